package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// bench is one run of this program.
type bench struct {
	opt      options
	dir      string
	self     string // this program
	redial   string
	programs map[string]string // of each tool that can be run
	env      []string
	port     int // on which nothing listens
	messages io.Writer
}

func runBench(ctx context.Context, args []string, out, messages io.Writer) error {
	opt, err := parseOptions(args, messages)
	if err != nil {
		return err
	}
	b := &bench{opt: opt, messages: messages}
	if b.dir, err = os.MkdirTemp("", "redial-bench"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if b.redial = opt.redial; b.redial == "" {
		if b.redial, err = build(ctx, b.dir, "redial", opt.profile); err != nil {
			return err
		}
	}
	var missing []string
	b.programs, missing = find(opt.tools, b.redial, b.self)
	if len(missing) > 0 {
		fmt.Fprintf(messages, "not on the PATH, and left out: %s\n", strings.Join(missing, ", "))
	}
	if n := len(b.workloads()); n < len(opt.workloads) {
		fmt.Fprintf(messages, "%d workloads are left out, since they need Linux\n", len(opt.workloads)-n)
	}
	fmt.Fprintf(out, "%s, %s/%s, %d CPUs, rounds: %d, scale: %g%s\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(),
		opt.rounds, opt.scale, loadAverage())
	rows, err := b.measureAll(ctx)
	if err != nil {
		return err
	}
	var reached []goal
	if opt.scale == 1 {
		reached = goals(rows)
	}
	if err := writeTable(out, rows, reached); err != nil {
		return err
	}
	if err := trouble(rows); err != nil || !opt.profile {
		return err
	}
	return b.profileAll(ctx, out)
}

// build builds redial, with the profiler if need be.
func build(ctx context.Context, dir, name string, profile bool) (string, error) {
	program := filepath.Join(dir, name)
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", program}
	if profile {
		args = append(args, "-tags", "profile")
	}
	c := exec.CommandContext(ctx, "go", append(args, "github.com/redialscan/redial")...)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building redial: %w\n%s", err, said)
	}
	return program, nil
}

// measureAll runs the rounds of each workload.
func (b *bench) measureAll(ctx context.Context) ([]row, error) {
	var rows []row
	for _, w := range b.workloads() {
		tools := b.toolsOf(w)
		measures := make([][]measure, len(tools))
		for round := range b.opt.rounds {
			for turn := range tools {
				i := (turn + round) % len(tools)
				if slices.ContainsFunc(measures[i], func(m measure) bool { return m.failed != "" }) {
					continue
				}
				fmt.Fprintf(b.messages, "%s, round %d of %d: %s\n", w.name, round+1, b.opt.rounds, tools[i].name)
				m, err := b.runOnce(ctx, w, tools[i])
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %w", w.name, tools[i].name, err)
				}
				measures[i] = append(measures[i], m)
			}
		}
		for i, t := range tools {
			rows = append(rows, summarize(w.name, t.name, measures[i]))
		}
	}
	return rows, nil
}

// workloads are those that were asked for, scaled.
func (b *bench) workloads() []workload {
	var all []workload
	for _, w := range allWorkloads() {
		if slices.Contains(b.opt.workloads, w.name) && (runtime.GOOS == "linux" || !w.linux) {
			all = append(all, w.scaled(b.opt.scale))
		}
	}
	return all
}

// toolsOf are the tools that were asked for, are there, and can do a workload.
func (b *bench) toolsOf(w workload) []tool {
	return slices.DeleteFunc(allTools(), func(t tool) bool {
		return b.programs[t.name] == "" || !slices.Contains(b.opt.tools, t.name) || !slices.Contains(w.tools, t.name)
	})
}

// trouble is an error when redial, alone or shared out, failed or lost an item: figures may depend on the day, that may not.
func trouble(rows []row) error {
	for _, r := range rows {
		switch {
		case r.tool != "redial" && r.tool != "serve":
		case r.failed != "":
			return fmt.Errorf("%s failed on %s: %s", r.tool, r.workload, r.failed)
		case r.lost > 0:
			return fmt.Errorf("%s lost %d items on %s", r.tool, r.lost, r.workload)
		}
	}
	return nil
}

// loadAverage tells how busy the machine was before, where the system says so.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	average, _, _ := strings.Cut(string(text), " ")
	return ", load average: " + average
}
