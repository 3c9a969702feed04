package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/redialscan/redial/internal/lab"
)

// labOptions are the flags of redial lab.
type labOptions struct {
	counts     map[lab.Kind]*int
	port       int
	flakyDown  durationValue
	delay      durationValue
	retryAfter string
	seed       uint64
	list       string
	statsFile  string
}

func newLabCommand(env Env) *cobra.Command {
	o := labOptions{counts: map[lab.Kind]*int{}}
	c := &cobra.Command{
		Use:   "lab",
		Short: "Run loopback hosts with chosen faults, to try a scanner on",
		Long: `Run loopback hosts with chosen faults until Ctrl-C. Each host has an address of its
own in 127.0.0.0/8. "ready" on standard error says that all of them listen.`,
		Example: `  redial lab --healthy 5 --refusing 2 --silent 1 --list targets.txt
  redial lab --flaky 3 --flaky-down 13s --list - --stats-file stats.json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context(), env) },
	}
	o.addFlags(c.Flags())
	return c
}

func (o *labOptions) addFlags(fs *pflag.FlagSet) {
	fs.SortFlags = false
	for _, kind := range lab.Kinds() {
		o.counts[kind] = fs.Int(string(kind), 0, "number of such hosts")
	}
	o.delay = durationValue(lab.DefaultDelay)
	fs.Var(&o.flakyDown, "flaky-down", "how long the flaky hosts are down at first; 0 is for good")
	fs.Var(&o.delay, "delay", "how long the slow hosts wait before they answer")
	fs.StringVar(&o.retryAfter, "retry-after", "", "Retry-After of the throttling and unavailable hosts")
	fs.IntVar(&o.port, "port", 0, "port of all hosts; 0 takes a free one")
	fs.StringVar(&o.list, "list", "", "write the URLs of the hosts to this file; - is standard output")
	fs.Uint64Var(&o.seed, "seed", 0, "shuffle the list by this seed; 0 keeps the order")
	fs.StringVar(&o.statsFile, "stats-file", "", "at the end, write what arrived at each host to this file, as JSON")
}

func (o *labOptions) run(ctx context.Context, env Env) error {
	cfg := lab.Config{
		Counts: map[lab.Kind]int{}, Port: o.port, FlakyDown: time.Duration(o.flakyDown), Delay: time.Duration(o.delay),
		RetryAfter: o.retryAfter, Seed: o.seed,
	}
	total := 0
	for kind, n := range o.counts {
		if err := atLeast(string(kind), *n, 0); err != nil {
			return err
		}
		cfg.Counts[kind] = *n
		total += *n
	}
	if total == 0 {
		return fmt.Errorf("a lab without hosts, expected some, such as --healthy 5 --refusing 2")
	}
	if o.port < 0 || o.port > 65535 {
		return usageErrorf("port", "%d is out of range, expected 0 to 65535", o.port)
	}
	l, err := lab.Start(cfg)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := o.writeList(env, l); err != nil {
		return err
	}
	fmt.Fprintln(env.Stderr, "ready")
	<-ctx.Done()
	if err := l.Close(); err != nil {
		return err
	}
	if o.statsFile == "" {
		return nil
	}
	return writeWhole(o.statsFile, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(l.Stats())
	})
}

func (o *labOptions) writeList(env Env, l *lab.Lab) error {
	switch o.list {
	case "":
		return nil
	case "-":
		return l.WriteList(env.Stdout)
	}
	return writeWhole(o.list, l.WriteList)
}

// writeWhole writes a file so that it is there whole or not at all.
func writeWhole(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
			err = fmt.Errorf("%s: %w", path, err)
		}
	}()
	if err = write(f); err != nil {
		return err
	}
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
