package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/redialscan/redial/internal/batch"
	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/cluster"
	"github.com/redialscan/redial/pkg/target"
)

// workerExitStatusHelp is for taking part in a scan.
const workerExitStatusHelp = `
EXIT STATUS
  0    the scan is over
  2    wrong usage, or no part could be taken in a scan
  130  interrupted (Ctrl-C); what was not done is handed back
  143  terminated, likewise
`

// workerOptions are the flags of redial worker.
type workerOptions struct {
	join   string
	name   string
	slots  int
	stay   bool
	wait   durationValue
	access accessOptions

	concurrency, dialConcurrency int
	output                       outputOptions
	settings                     settings
}

func newWorkerCommand(env Env) *cobra.Command {
	var o workerOptions
	c := &cobra.Command{
		Use:   "worker",
		Short: "Take part in the scan of redial serve",
		Long: `Take part in a scan that redial serve shares out: take batches of hosts, run their
checks, and send what is found to the coordinator. Workers may come and go at any time.
Ctrl-C hands back what is not done; a worker that is killed loses its batches to others
after a while. A server that is away is waited for: with --stay for ever, else for five
minutes.`,
		Example: `  redial worker --join nats://10.0.0.5:4222 --token-file token
  redial worker --stay --name rack1`,
		GroupID:     groupScan,
		Args:        noArguments,
		Annotations: map[string]string{exitStatusKey: workerExitStatusHelp},
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.settings.applyEnvironment(c.Flags(), env); err != nil {
				return err
			}
			err := o.validate(c.Flags())
			if err == nil {
				err = o.run(c.Context(), env)
			}
			return o.settings.blame(err)
		},
	}
	g := newFlagGroups(c)
	g.add("Taking part", o.addFlags)
	g.add("Access", o.access.addFlags)
	g.add("Output", o.addOutputFlags)
	return c
}

func (o *workerOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.join, "join", "nats://"+defaultServer, "`URL` of the NATS server of the scan")
	fs.StringVar(&o.name, "name", "", "`name` of this worker, letters, digits, dots and dashes (default: made of machine and process)")
	fs.IntVar(&o.slots, "slots", cluster.DefaultSlots, "batches of hosts in work at once")
	fs.IntVarP(&o.concurrency, "concurrency", "c", 0, "requests in flight over all batches (default: as redial serve says)")
	fs.IntVar(&o.dialConcurrency, "dial-concurrency", 0, "hosts that are being contacted for the first time at once (default: as redial serve says)")
	o.wait = durationValue(10 * time.Second)
	fs.Var(&o.wait, "wait", "how long to wait for a server that is not there yet")
	fs.BoolVar(&o.stay, "stay", false, "wait for another scan when one is over")
}

func (o *workerOptions) addOutputFlags(fs *pflag.FlagSet) {
	fs.BoolVar(&o.output.silent, "silent", false, "errors only")
	fs.BoolVarP(&o.output.verbose, "verbose", "v", false, "tell each decision about a host and each failure")
	fs.BoolVar(&o.output.noColor, "no-color", false, "no colours")
}

func (o *workerOptions) validate(fs *pflag.FlagSet) error {
	if err := atLeast("slots", o.slots, 1); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		v    int
	}{{"concurrency", o.concurrency}, {"dial-concurrency", o.dialConcurrency}} {
		if fs.Changed(f.name) {
			if err := atLeast(f.name, f.v, 1); err != nil {
				return err
			}
		}
	}
	return checkServers("join", o.join)
}

func (o *workerOptions) run(ctx context.Context, env Env) error {
	screen := o.output.screen(env, false)
	for _, warning := range o.settings.warnings {
		screen.messages.warn("%s", warning)
	}
	defer context.AfterFunc(ctx, func() {
		screen.messages.info("stopping: requests in flight are awaited and the rest is handed back; a second Ctrl-C ends at once")
	})()
	calm := inHurry(ctx)
	conn, err := o.access.dial(ctx, env, o.join, o.name, time.Duration(o.wait), screen.messages)
	if err != nil {
		return err
	}
	defer conn.Close()
	calm()
	dir, err := os.MkdirTemp("", "redial-worker-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var pacing sync.WaitGroup
	defer pacing.Wait()
	paced, stop := context.WithCancel(ctx)
	defer stop()
	pacing.Go(func() { paceCollector(paced, 100*time.Millisecond) })
	err = cluster.Join(ctx, cluster.WorkerConfig{
		Conn: conn, Name: o.name, Version: version(), Dir: dir, Slots: o.slots, Stay: o.stay, Patience: o.patience(),
		Log: screen.messages.info,
		NewRunner: func(ctx context.Context, spec cluster.Spec, dir string) (cluster.Runner, error) {
			return o.runner(ctx, screen, spec, dir)
		},
	})
	if interrupted, ok := errors.AsType[*InterruptError](context.Cause(ctx)); ok {
		return interrupted
	}
	return err
}

// patience is how long a server may be away: long enough to begin it again by hand.
func (o *workerOptions) patience() time.Duration {
	if o.stay {
		return 0
	}
	return 5 * time.Minute
}

// runner makes what runs the batches of a scan, from its settings and files, by the code of redial scan.
func (o *workerOptions) runner(ctx context.Context, screen *screen, spec cluster.Spec, dir string) (cluster.Runner, error) {
	var s scanOptions
	flags := &cobra.Command{}
	s.addFlags(flags)
	if err := takeSettings(flags.Flags(), spec.Flags); err != nil {
		return nil, err
	}
	if dir != "" {
		if err := s.unbundle(dir); err != nil {
			return nil, err
		}
	}
	if o.concurrency > 0 {
		s.pace.concurrency = o.concurrency
	}
	if o.dialConcurrency > 0 {
		s.pace.dialConcurrency = o.dialConcurrency
	}
	s.output.verbose, s.output.silent = o.output.verbose, o.output.silent
	if err := s.validate(flags.Flags()); err != nil {
		return nil, err
	}
	opt, err := s.parts(screen)
	if err != nil {
		return nil, err
	}
	if opt.Checks, err = s.checks.load(ctx); err != nil {
		return nil, err
	}
	if opt.Checks != nil {
		if err := arrange(opt.Checks, dir); err != nil {
			return nil, fmt.Errorf("checks of the scan: %w", err)
		}
	}
	if n := items(opt.Checks, opt.Probe); n != spec.Items {
		return nil, fmt.Errorf("%d items of each target, expected %d", n, spec.Items)
	}
	if err := s.refuse(&opt.Requester.Refuse); err != nil {
		return nil, err
	}
	if err := s.request.reachProxy(ctx, opt.Requester.DialTimeout); err != nil {
		return nil, err
	}
	return batch.New(opt, o.slots, spec.Rate > 0)
}

// items is how many each target has.
func items(set *check.Set, probe *check.Probe) int {
	if set != nil {
		return len(set.Checks)
	}
	return probe.Len()
}

// refuse makes what must not be sent to, of the lists that came with the scan.
func (o *scanOptions) refuse(to *func(string, uint16) bool) error {
	if len(o.input.exclude) == 0 {
		return nil
	}
	exclude, err := target.NewExclusion(o.input.exclude)
	if err == nil {
		*to = exclude.MatchPort
	}
	return err
}
