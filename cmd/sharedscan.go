package cmd

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/redialscan/redial/internal/batch"
	"github.com/redialscan/redial/internal/metrics"
	"github.com/redialscan/redial/internal/scan"
	"github.com/redialscan/redial/pkg/cluster"
	"github.com/redialscan/redial/pkg/report"
)

// scanOption is the option in the first event by which a scan that goes on finds what it has left on the server.
const scanOption = "scan"

// sharedScan is a scan as its coordinator sees it.
type sharedScan struct {
	id          string
	options     *scanOptions
	opt         *scan.Options
	account     *batch.Account
	coordinator *cluster.Coordinator // set before status is asked
	began       time.Time
	ending      scan.Ending // once it is over
}

func newSharedScan(o *scanOptions, opt *scan.Options) *sharedScan {
	id := cluster.NewScanID()
	if opt.Earlier != nil {
		id = cmp.Or(opt.Earlier.Started().Options[scanOption], id)
	}
	return &sharedScan{id: id, options: o, opt: opt, account: batch.NewAccount(o.pace.maxHosts, scan.Names(*opt)), began: time.Now()}
}

// config is what the coordinator has to know, but for its connection. Files that are made for it go below dir.
func (s *sharedScan) config(flags *pflag.FlagSet, dir string) (cluster.Config, error) {
	o, opt := s.options, s.opt
	settings, err := o.workerSettings(flags, opt.KeepRaw)
	if err != nil {
		return cluster.Config{}, err
	}
	files, err := o.bundle(dir, opt.Checks)
	if err != nil {
		return cluster.Config{}, err
	}
	if opt.Earlier != nil {
		if err := opt.Earlier.Events(s.account.Event); err != nil {
			return cluster.Config{}, err
		}
	}
	return cluster.Config{
		Spec: cluster.Spec{
			Scan: s.id, Version: version(), Flags: settings, Items: items(opt.Checks, opt.Probe), Rate: o.pace.rateLimit,
			NoRevisit: o.breaker.noRevisit,
		},
		Files: files, Targets: &batch.Feed{From: opt.Targets}, StopReading: opt.StopReading, Linger: time.Duration(o.breaker.linger),
		First: s.first(), Handlers: append([]report.Handler{s.account}, opt.Handlers...), Last: s.last,
		OutputFailed: opt.OutputFailed, Earlier: opt.Earlier, Name: batch.Name,
	}, nil
}

// first gives the events that come before all others.
func (s *sharedScan) first() []report.Event {
	started := s.opt.Started
	started.Time, started.Format, started.Resumed = s.began, report.FormatVersion, s.opt.Earlier != nil
	started.Options[scanOption] = s.id
	all := []report.Event{&started}
	if s.opt.Earlier == nil {
		for _, c := range scan.Places(*s.opt) {
			all = append(all, c)
		}
	}
	return all
}

// last sums the scan up.
func (s *sharedScan) last(end cluster.Ending, err error) report.Event {
	now := time.Now()
	sum := report.Summary{
		Time: now, Duration: report.Duration(now.Sub(s.began)), Hosts: end.Hosts, Items: end.Items, Sent: end.Sent,
	}
	if err != nil {
		sum.Interrupted = strings.ReplaceAll(plainCause(err).Error(), "\n", "; ")
	}
	if set := s.opt.Checks; set != nil {
		sum.Checks, sum.Refused = int64(len(set.Checks)), int64(len(set.Refused))
	}
	if s.opt.Earlier != nil {
		sum.Sent += s.opt.Earlier.Sent()
	}
	s.account.Fill(&sum)
	silent := sum.Done == 0 && sum.Items > 0
	s.ending = scan.Ending{
		Summary: sum, Worst: s.account.Worst(), Silent: silent, Incomplete: s.account.Incomplete() || silent,
	}
	return &sum
}

// plainCause is what a person has done, where that ended the scan.
func plainCause(err error) error {
	if interrupted, ok := errors.AsType[*InterruptError](err); ok {
		return interrupted
	}
	return err
}

// status is where the scan stands.
func (s *sharedScan) status() report.Status {
	st := s.coordinator.Status()
	n := s.account.Counts()
	open, dead := s.account.Quarantined()
	return report.Status{
		Elapsed: time.Since(s.began), Items: st.Items, Growing: st.Growing, Hosts: st.Hosts,
		Done: n.Done, Failed: n.Failed, Skipped: n.Skipped, Sent: st.Sent, Open: open, Dead: dead,
	}
}

// cluster is where its workers stand.
func (s *sharedScan) cluster() metrics.Cluster {
	st := s.coordinator.Status()
	c := metrics.Cluster{Queued: st.Queued, Parked: st.Parked, Workers: len(st.Workers), Refused: st.Refused}
	for _, w := range st.Workers {
		c.Slots += w.Slots
		c.Running += len(w.Batches)
	}
	return c
}

// measureShared takes the port of --metrics-addr.
func (o *watchOptions) measureShared(ctx context.Context, screen *screen, s *sharedScan) (gauge, error) {
	g, err := o.listen(ctx, screen, s.status)
	if g.metrics != nil {
		g.metrics.Share(s.cluster)
	}
	return g, err
}
