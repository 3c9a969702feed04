package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/redialscan/redial/internal/scan"
	"github.com/redialscan/redial/pkg/cluster"
	"github.com/redialscan/redial/pkg/report"
)

// serveOptions are the flags of redial serve: those of a scan, and how it is shared out.
type serveOptions struct {
	scan   scanOptions
	server serverOptions
	access accessOptions
}

func newServeCommand(env Env) *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   "serve",
		Short: "Share a scan out to workers on several machines",
		Long: `Run a scan by workers: cut the targets into batches of hosts, hand them to whoever
joins with redial worker, and write what they find as redial scan does. A host is with one
worker at a time, and its quarantine goes with it. The workers are reached over NATS: a
server is part of this program, or one of yours is used with --nats.

The flags are those of redial scan. --concurrency and --dial-concurrency are those of each
worker, unless it has its own; --rate-limit is that of all workers together, and always
kept as a queue. Headers, credentials and client certificates go to the workers over the
connection: beyond this machine, use TLS.

Nothing is sent from here: without a worker the scan waits. Ctrl-C has the workers hand
back what they have; with an events file, --resume goes on from there, also after a crash
of this process, with the same --state-dir or --nats.`,
		Example: `  redial serve -l targets.txt -t templates/ --events scan.events
  redial worker        # in another terminal, or several
  redial serve -l targets.txt --listen 10.0.0.5:4222 --token-file token
  redial serve -l targets.txt --nats tls://nats.example.com --resume scan.events`,
		GroupID:     groupScan,
		Args:        noArguments,
		Annotations: map[string]string{exitStatusKey: exitStatusHelp},
		RunE: func(c *cobra.Command, _ []string) error {
			calm := inHurry(c.Context())
			if err := o.scan.settings.apply(c.Flags(), env); err != nil {
				return err
			}
			err := o.validate(c.Flags())
			if err == nil {
				err = o.run(c.Context(), env, c.Flags(), calm)
			}
			return o.scan.settings.blame(err)
		},
	}
	groups := o.scan.addFlags(c)
	groups.add("Sharing out", o.server.addFlags)
	groups.add("Access", o.access.addServerFlags)
	for name := range lonelyFlags() {
		c.Flags().Lookup(name).Hidden = true
	}
	return c
}

func (o *serveOptions) validate(flags *pflag.FlagSet) error {
	if err := refuseLonely(flags); err != nil {
		return err
	}
	if err := o.server.validate(flags); err != nil {
		return err
	}
	return o.scan.validate(flags)
}

// run runs the scan by its workers. It calls calm before the first of them is told.
func (o *serveOptions) run(ctx context.Context, env Env, flags *pflag.FlagSet, calm func()) error {
	o.scan.shared = true
	return o.scan.framed(ctx, env, func(ctx context.Context, f *frame) (scan.Ending, error) {
		link, err := o.connect(ctx, env, f.screen.messages, f.stop)
		if err != nil {
			return scan.Ending{}, err
		}
		defer link.close()
		ending, err := o.shareOut(ctx, env, flags, f, link, calm)
		return ending, lost(err)
	})
}

// shareOut opens the outputs, calls calm and runs the scan.
func (o *serveOptions) shareOut(
	ctx context.Context, env Env, flags *pflag.FlagSet, f *frame, link *link, calm func(),
) (scan.Ending, error) {
	s, screen, opt := &o.scan, f.screen, &f.opt
	shared := newSharedScan(s, opt)
	var telling sync.WaitGroup
	defer telling.Wait()
	telling.Go(func() { link.tellLeft(ctx, shared.id, screen.messages) }) // it may take a second to find out
	watched, err := s.watch.measureShared(ctx, screen, shared)
	if err != nil {
		return scan.Ending{}, err
	}
	defer watched.close()
	var files report.Files
	defer files.Close()
	s.keepInputs(env, &files)
	if opt.Handlers, err = s.output.handlers(env, screen, &files, opt.Earlier); err != nil {
		return scan.Ending{}, err
	}
	dir, err := os.MkdirTemp("", "redial-serve-*")
	if err != nil {
		return scan.Ending{}, err
	}
	defer os.RemoveAll(dir)
	cfg, err := shared.config(flags, dir)
	if err != nil {
		return scan.Ending{}, err
	}
	cfg.Conn, cfg.Log = link.Conn, screen.messages.info
	cfg.Spec.AckWait = report.Duration(o.server.ackWait)
	if shared.coordinator, err = cluster.NewCoordinator(cfg); err != nil {
		return scan.Ending{}, err
	}
	calm()
	err = s.watched(ctx, screen, watched, shared.status, func(ctx context.Context) error {
		_, err := shared.coordinator.Serve(ctx)
		return err
	})
	return shared.ending, err
}

// lost makes a scan whose workers did not tell of all items an incomplete one.
func lost(err error) error {
	if some, ok := errors.AsType[*cluster.LostError](err); ok {
		return &StatusError{Status: StatusIncomplete, Err: fmt.Errorf("incomplete: %w", some)}
	}
	return err
}
