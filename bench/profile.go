package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// profileVariable names the file to which a redial built with the tag profile writes its CPU profile.
const profileVariable = "REDIAL_CPU_PROFILE"

const module = "github.com/redialscan/redial/"

// part is something that CPU time goes to. Of redial's own code is what a bare loop would do without; what is left is
// the kernel, the HTTP protocol, and the runtime.
type part struct {
	name string
	own  bool
}

var (
	kernel    = part{name: "kernel: sockets, polling, wake-ups"}
	protocol  = part{name: "HTTP, TLS, connections"}
	collector = part{name: "garbage collection"}
	runtimes  = part{name: "Go scheduler, timers, the rest"}
)

// rooms are the parts of the packages.
var rooms = map[string]part{
	"pkg/requester":     protocol, // but for the files of admission
	"pkg/executor":      {"scheduling", true},
	"pkg/hosterrors":    {"breaker, failure window, retries", true},
	"pkg/failurewindow": {"breaker, failure window, retries", true},
	"pkg/retry":         {"breaker, failure window, retries", true},
	"pkg/flow":          {"pace and admission", true},
	"pkg/check":         {"requests built, answers read and matched", true},
	"pkg/report":        {"results and events", true},
	"pkg/target":        {"targets and the rest of redial", true},
	"pkg/hostkey":       {"targets and the rest of redial", true},
	"internal/scan":     {"assembly: what one room says told to the next", true},
	"cmd":               {"targets and the rest of redial", true},
}

// admission are the files of the send path that do what no bare client does.
var admission = []string{
	"admit.go", "gate.go", "hold.go", "throttle.go", "meter.go", "outage.go", "lag.go", "watch.go", "proxyhealth.go",
}

// profileAll runs redial once more on each workload, under the profiler.
func (b *bench) profileAll(ctx context.Context, out io.Writer) error {
	for _, w := range b.workloads() {
		if w.tools[0] != "redial" { // the plain scan of another workload
			continue
		}
		file := filepath.Join(b.dir, w.name+".cpu")
		b.env = []string{profileVariable + "=" + file}
		m, err := b.runOnce(ctx, w, allTools()[0])
		b.env = nil
		if err == nil && m.failed != "" {
			err = fmt.Errorf("redial failed: %s", m.failed)
		}
		if err != nil {
			return fmt.Errorf("%s under the profiler: %w", w.name, err)
		}
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		p, err := profile.Parse(f)
		_ = f.Close()
		if err != nil {
			return fmt.Errorf("the profile of %s: %w", w.name, err)
		}
		fmt.Fprintf(out, "\nCPU time of redial on %s:\n\n", w.name)
		if err := writeParts(out, addUp(p)); err != nil {
			return err
		}
	}
	return nil
}

// addUp gives the CPU time of each part, in nanoseconds.
func addUp(p *profile.Profile) map[part]int64 {
	times := map[part]int64{}
	for _, s := range p.Sample {
		times[partOf(frames(s))] += s.Value[len(s.Value)-1]
	}
	return times
}

// frame is a function on a stack.
type frame struct{ function, file string }

// frames are the stack of a sample, the innermost function first.
func frames(s *profile.Sample) []frame {
	var all []frame
	for _, at := range s.Location {
		for _, l := range at.Line {
			if l.Function != nil {
				all = append(all, frame{l.Function.Name, path.Base(filepath.ToSlash(l.Function.Filename))})
			}
		}
	}
	return all
}

// partOf tells whose time a sample is: the kernel's in a system call, the collector's wherever it works, else that of the
// innermost function of redial.
func partOf(stack []frame) part {
	if len(stack) > 0 && isSystemCall(stack[0].function) {
		return kernel
	}
	for _, f := range stack {
		if isCollector(f.function) {
			return collector
		}
		if room, ok := roomOf(f.function); ok {
			if room == "pkg/requester" && slices.Contains(admission, f.file) {
				return rooms["pkg/flow"]
			}
			return rooms[room]
		}
	}
	return runtimes
}

func isSystemCall(function string) bool {
	for _, prefix := range []string{"internal/runtime/syscall", "runtime.futex", "runtime.epoll", "runtime.usleep", "runtime.kevent", "syscall."} {
		if strings.HasPrefix(function, prefix) {
			return true
		}
	}
	return false
}

func isCollector(function string) bool {
	for _, prefix := range []string{"runtime.gcBgMarkWorker", "runtime.gcAssistAlloc", "runtime.bgsweep", "runtime.bgscavenge", "runtime.gcStart"} {
		if strings.HasPrefix(function, prefix) {
			return true
		}
	}
	return false
}

// roomOf finds the package of redial that a function belongs to.
func roomOf(function string) (string, bool) {
	rest, ok := strings.CutPrefix(function, module)
	if !ok {
		return "", false
	}
	for room := range rooms {
		if strings.HasPrefix(rest, room+".") || strings.HasPrefix(rest, room+"/") {
			return room, true
		}
	}
	return "", false
}

func writeParts(w io.Writer, times map[part]int64) error {
	var total, own int64
	var parts []part
	for p, t := range times {
		parts = append(parts, p)
		total += t
		if p.own {
			own += t
		}
	}
	if total == 0 {
		_, err := fmt.Fprintln(w, "too short for a sample")
		return err
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a.name, b.name)) })
	share := func(t int64) float64 { return 100 * float64(t) / float64(total) }
	for _, p := range parts {
		whose := ""
		if p.own {
			whose = "  (redial's own)"
		}
		fmt.Fprintf(w, "%5.1f %%  %s%s\n", share(times[p]), p.name, whose)
	}
	_, err := fmt.Fprintf(w, "%5.1f %%  redial's own together, at most 25 %%\n", share(own))
	return err
}
