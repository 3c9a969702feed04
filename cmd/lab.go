package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/redialscan/redial/internal/lab"
)

// labOptions are the flags of redial lab.
type labOptions struct {
	counts       map[lab.Kind]*int
	port         int
	flakyDown    durationValue
	delay        durationValue
	outage       durationValue
	outageAt     durationValue
	rate         float64
	retryAfter   string
	seed         uint64
	list         string
	statsFile    string
	arrivalsFile string
}

func newLabCommand(env Env) *cobra.Command {
	o := labOptions{counts: map[lab.Kind]*int{}}
	c := &cobra.Command{
		Use:   "lab",
		Short: "Run loopback hosts with chosen faults, to try a scanner on",
		Long: `Run loopback hosts with chosen faults until Ctrl-C. Each host has an address of its
own in 127.0.0.0/8. "ready" on standard error says that all of them are as they
should be, and that the list is written.`,
		Example: `  redial lab --healthy 5 --refusing 2 --silent 1 --list targets.txt
  redial lab --flaky 3 --flaky-down 13s --list - --stats-file stats.json`,
		GroupID:     groupTry,
		Args:        noArguments,
		Annotations: map[string]string{exitStatusKey: labExitStatusHelp},
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.validate(); err != nil {
				return err
			}
			return o.run(c.Context(), env)
		},
	}
	groups := newFlagGroups(c)
	groups.add("Hosts", o.addHostFlags)
	groups.add("Their faults", o.addFaultFlags)
	groups.add("The lab", o.addLabFlags)
	return c
}

func (o *labOptions) addHostFlags(fs *pflag.FlagSet) {
	for _, kind := range lab.Kinds() {
		o.counts[kind] = fs.Int(string(kind), 0, "`N` "+labKindHelp(kind))
	}
}

func (o *labOptions) addFaultFlags(fs *pflag.FlagSet) {
	o.delay = durationValue(lab.DefaultDelay)
	fs.Var(&o.flakyDown, "flaky-down", "how long the flaky hosts are down at first; 0 is for good")
	fs.Var(&o.delay, "delay", "how long the slow hosts wait before they answer")
	o.outageAt = durationValue(5 * time.Second)
	fs.Var(&o.outage, "outage", "how long all healthy hosts are down, once; 0 is never")
	fs.Var(&o.outageAt, "outage-after", "when that begins, counted from ready")
	fs.Float64Var(&o.rate, "rate", lab.DefaultRate, "requests a second that a throttling host takes")
	fs.StringVar(&o.retryAfter, "retry-after", "", "Retry-After of the throttling and unavailable hosts")
}

func (o *labOptions) addLabFlags(fs *pflag.FlagSet) {
	fs.IntVar(&o.port, "port", 0, "port of all hosts; 0 takes a free one")
	fs.StringVar(&o.list, "list", "", "write the URLs of the hosts to this `file`; - is standard output")
	fs.Uint64Var(&o.seed, "seed", 0, "shuffle the list by this seed; 0 keeps the order")
	fs.StringVar(&o.statsFile, "stats-file", "", "at the end, write what arrived at each host to this `file`, as JSON")
	fs.StringVar(&o.arrivalsFile, "arrivals-file", "", "at the end, write how many requests came in each second to this `file`, as JSON")
}

func (o *labOptions) validate() error {
	most := 0
	for _, kind := range lab.Kinds() {
		n := *o.counts[kind]
		if err := atLeast(string(kind), n, 0); err != nil {
			return err
		}
		most = max(most, n)
	}
	switch {
	case most == 0:
		return errors.New("a lab without hosts, expected some, such as --healthy 5 --refusing 2")
	case o.port < 0 || o.port > 65535:
		return usageErrorf("port", "%d is out of range, expected 0 to 65535", o.port)
	case !(o.rate > 0):
		return usageErrorf("rate", "%v is out of range, expected more than 0", o.rate)
	case o.delay == 0:
		return usageErrorf("delay", "0 is out of range, expected more")
	}
	for flag, file := range map[string]string{"stats-file": o.statsFile, "arrivals-file": o.arrivalsFile} {
		if file == "" {
			continue
		}
		if err := writable(file); err != nil {
			return usageErrorf(flag, "%v", err)
		}
	}
	return nil
}

func (o *labOptions) run(ctx context.Context, env Env) error {
	l, err := o.start()
	if err != nil {
		return err
	}
	defer l.Close()
	calm := inHurry(ctx)
	if err := o.writeList(env, l); err != nil {
		return err
	}
	calm()
	fmt.Fprintln(env.Stderr, "ready")
	if err := o.cutOff(ctx, l); err != nil {
		return err
	}
	<-ctx.Done() // Ctrl-C is how a lab ends: no error
	if err := l.Close(); err != nil {
		return err
	}
	if o.statsFile != "" {
		if err := writeIndented(o.statsFile, l.Stats()); err != nil {
			return err
		}
	}
	if o.arrivalsFile != "" {
		return writeIndented(o.arrivalsFile, l.Arrivals())
	}
	return nil
}

func writeIndented(file string, what any) error {
	return writeWhole(file, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(what)
	})
}

// cutOff takes all healthy hosts down for a while, as if the link to them were cut.
func (o *labOptions) cutOff(ctx context.Context, l *lab.Lab) error {
	if o.outage == 0 {
		return nil
	}
	for _, step := range []struct {
		wait durationValue
		turn func(lab.Host) error
	}{{o.outageAt, lab.Host.Down}, {o.outage, lab.Host.Up}} {
		select {
		case <-time.After(time.Duration(step.wait)):
		case <-ctx.Done():
			return nil
		}
		for _, host := range l.Of(lab.Healthy) {
			if err := step.turn(host); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *labOptions) start() (*lab.Lab, error) {
	cfg := lab.Config{
		Counts: map[lab.Kind]int{}, Port: o.port, FlakyDown: time.Duration(o.flakyDown), Delay: time.Duration(o.delay),
		Rate: o.rate, RetryAfter: o.retryAfter, Seed: o.seed, RecordTimes: o.arrivalsFile != "",
	}
	for kind, n := range o.counts {
		cfg.Counts[kind] = *n
	}
	l, err := lab.Start(cfg)
	if errors.Is(err, syscall.EADDRINUSE) && o.port != 0 {
		return nil, fmt.Errorf("%w; expected a --port that is free, or none for any", err)
	}
	return l, err
}

func (o *labOptions) writeList(env Env, l *lab.Lab) error {
	switch o.list {
	case "":
		return nil
	case "-":
		return l.WriteList(env.Stdout)
	}
	if err := writeWhole(o.list, l.WriteList); err != nil {
		return usageErrorf("list", "%v", err)
	}
	return nil
}
