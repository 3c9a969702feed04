package cmd

import (
	"bytes"
	"context"
	"encoding/json"
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
	access   accessOptions
	settings settings
}

func newWorkersCommand(env Env) *cobra.Command {
	var o workersOptions
	c := &cobra.Command{
		Use:   "workers",
		Short: "List the workers of redial serve and what they do",
		Long: `List the workers that are connected to a NATS server, and the batches of hosts that each
works on: the partition, how many hosts and targets, since when, and how often somebody
had it before.`,
		Example: `  redial workers
  redial workers --join nats://10.0.0.5:4222 --token-file token -j`,
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
	})
	g.add("Access", o.access.addFlags)
	return c
}

func (o *workersOptions) run(ctx context.Context, env Env) error {
	conn, err := o.access.dial(ctx, env, o.join, "workers", 0, newMessages(env.Stderr, false, false, false))
	if err != nil {
		return err
	}
	defer conn.Close()
	all, err := cluster.Workers(ctx, conn)
	if err != nil {
		return err
	}
	text, err := o.text(all, time.Now())
	if err != nil {
		return err
	}
	_, err = env.Stdout.Write(text)
	return err
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
		doing := "waits for a scan"
		if w.Scan != "" {
			doing = fmt.Sprintf("scan %s, %d of %d slots", w.Scan, len(w.Batches), w.Slots)
		}
		fmt.Fprintf(&b, "%s  %s\n", report.Sanitize(w.Name), report.Sanitize(doing))
		for _, batch := range w.Batches {
			again := ""
			if batch.Delivery > 1 {
				again = fmt.Sprintf(", handed out %d times", batch.Delivery)
			}
			fmt.Fprintf(&b, "  partition %d: %d hosts, %d targets, for %s%s\n",
				batch.Partition, batch.Hosts, batch.Targets, max(0, now.Sub(batch.Since)).Truncate(time.Second), again)
		}
	}
	if len(all) == 0 && !o.jsonl {
		b.WriteString("no workers\n")
	}
	return b.Bytes(), nil
}
