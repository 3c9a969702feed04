package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/redialscan/redial/pkg/cluster"
	"github.com/redialscan/redial/pkg/report"
)

// workersOptions are the flags of redial workers.
type workersOptions struct {
	join     string
	jsonl    bool
	forget   string
	access   accessOptions
	settings settings
}

func newWorkersCommand(env Env) *cobra.Command {
	var o workersOptions
	c := &cobra.Command{
		Use:   "workers",
		Short: "List the workers of redial serve and what they do",
		Long: `List the workers that are connected to a NATS server, and the batches of hosts that each
works on: the partition, how many hosts and targets, since when, and how often it was
handed out. A scan whose coordinator was killed stays on the server until redial serve
--resume goes on with it, or --forget takes it away.`,
		Example: `  redial workers
  redial workers --join nats://10.0.0.5:4222 --token-file token -j
  redial workers --join nats://10.0.0.5:4222 --forget 7e4c8e02b1e2879e`,
		GroupID:     groupScan,
		Args:        noArguments,
		Annotations: map[string]string{exitStatusKey: plainExitStatusHelp},
		RunE: func(c *cobra.Command, _ []string) error {
			err := o.settings.applyEnvironment(c.Flags(), env)
			if err == nil {
				err = checkServers("join", o.join)
			}
			if err == nil {
				err = o.run(c.Context(), env)
			}
			return o.settings.blame(err)
		},
	}
	g := newFlagGroups(c)
	g.add("Flags", func(fs *pflag.FlagSet) {
		fs.StringVar(&o.join, "join", "nats://"+defaultServer, "`URL` of the NATS server")
		fs.BoolVarP(&o.jsonl, "jsonl", "j", false, "a JSON line for each worker")
		fs.StringVar(&o.forget, "forget", "", "take away what the server has of this `scan`, whose coordinator was killed and will not come again")
	})
	g.add("Access", o.access.addFlags)
	return c
}

func (o *workersOptions) run(ctx context.Context, env Env) error {
	m := newMessages(env.Stderr, false, false, false)
	calm := inHurry(ctx)
	conn, err := o.access.dial(ctx, env, o.join, "workers", 0, m)
	if err != nil {
		return err
	}
	defer conn.Close()
	calm()
	if o.forget != "" {
		if err := cluster.Forget(ctx, conn, o.forget); err != nil {
			return usageErrorf("forget", "%s: %v", o.forget, err)
		}
		return nil
	}
	scans, unlisted := cluster.Scans(ctx, conn) // the workers are told of all the same
	for _, s := range scans {
		if !s.Served {
			m.warn("%s", leftBehind(s))
		}
	}
	all, err := cluster.Workers(ctx, conn)
	if err != nil {
		return errors.Join(unlisted, err)
	}
	text, err := o.text(all, time.Now())
	if err == nil {
		_, err = env.Stdout.Write(text)
	}
	return errors.Join(unlisted, err)
}

// leftBehind says what can be done with a scan that has no coordinator.
func leftBehind(s cluster.ScanStatus) string {
	return fmt.Sprintf("scan %s is there from before, without its coordinator: redial serve --resume goes on with it, redial workers --forget %s takes it away",
		s.Scan, s.Scan)
}

// text is what is printed of workers.
func (o *workersOptions) text(all []cluster.WorkerStatus, now time.Time) ([]byte, error) {
	var b bytes.Buffer
	for _, w := range all {
		if o.jsonl {
			line, err := json.Marshal(w)
			if err != nil {
				return nil, err
			}
			b.Write(append(line, '\n'))
			continue
		}
		writeWorker(&b, &w, now)
	}
	if len(all) == 0 && !o.jsonl {
		b.WriteString("no workers\n")
	}
	return b.Bytes(), nil
}

// writeWorker writes a worker and a line for each of its batches.
func writeWorker(b *bytes.Buffer, w *cluster.WorkerStatus, now time.Time) {
	if w.Scan == "" {
		fmt.Fprintf(b, "%s  waits for a scan\n", report.Sanitize(w.Name))
		return
	}
	hosts, targets := 0, 0
	for _, batch := range w.Batches {
		hosts, targets = hosts+batch.Hosts, targets+batch.Targets
	}
	fmt.Fprintf(b, "%s  scan %s, %d of %s, %s, %s\n", report.Sanitize(w.Name), report.Sanitize(w.Scan), len(w.Batches),
		counted(w.Slots, "slot"), counted(hosts, "host"), counted(targets, "target"))
	if w.Failing {
		b.WriteString("  its last batch could not be run\n")
	}
	if len(w.Batches) > 0 {
		fmt.Fprintf(b, "  %9s %7s %8s %8s\n", "partition", "hosts", "targets", "for")
	}
	for _, batch := range w.Batches {
		again := ""
		if batch.Delivery > 1 {
			again = fmt.Sprintf("  handed out %d times", batch.Delivery)
		}
		fmt.Fprintf(b, "  %9d %7d %8d %8s%s\n",
			batch.Partition, batch.Hosts, batch.Targets, max(0, now.Sub(batch.Since)).Truncate(time.Second), again)
	}
}
