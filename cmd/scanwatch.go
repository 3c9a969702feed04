package cmd

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/redialscan/redial/internal/metrics"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
)

// watchOptions say who may look at a scan while it runs.
type watchOptions struct {
	metricsAddr   string
	statsInterval durationValue
	statsJSON     bool
	noProgress    bool
}

func (o *watchOptions) addFlags(fs *pflag.FlagSet) {
	o.statsInterval = durationValue(5 * time.Second)
	fs.BoolVar(&o.noProgress, "no-progress", false, "neither progress bar nor status lines")
	fs.Var(&o.statsInterval, "stats-interval", "time between status lines where there is no terminal; 0 is none")
	fs.BoolVar(&o.statsJSON, "stats-json", false, "status lines as JSON, also in place of the progress bar")
	fs.StringVar(&o.metricsAddr, "metrics-addr", "",
		"serve Prometheus metrics and pprof at this `address`, such as 127.0.0.1:9090; a port alone is on loopback (default off)")
}

func (o *watchOptions) validate(fs *pflag.FlagSet, silent bool) error {
	switch {
	case o.statsJSON && (o.noProgress || silent):
		return usageErrorf("stats-json", "expected without --no-progress and --silent, which leave status lines out")
	case o.statsJSON && o.statsInterval == 0:
		return usageErrorf("stats-json", "expected with a --stats-interval above 0")
	case o.metricsAddr == "" && !fs.Changed("metrics-addr"):
		return nil
	}
	addr, err := metrics.Address(o.metricsAddr)
	if err != nil {
		return usageErrorf("metrics-addr", "%q, %v", o.metricsAddr, err)
	}
	o.metricsAddr = addr
	return nil
}

// gauge is the watching of one scan by Prometheus. The zero value is nobody's.
type gauge struct {
	metrics  *metrics.Scan
	listener net.Listener
}

// measure takes the port, and counts the requests of a client that is made of cfg. status is asked once Serve is called.
func (o *watchOptions) measure(ctx context.Context, s *screen, cfg *requester.Config, status func() report.Status) (gauge, error) {
	g, err := o.listen(ctx, s, status)
	if g.metrics != nil {
		listen(cfg, g.metrics.Observe)
	}
	return g, err
}

// listen takes the port.
func (o *watchOptions) listen(ctx context.Context, s *screen, status func() report.Status) (gauge, error) {
	if o.metricsAddr == "" {
		return gauge{}, nil
	}
	l, err := metrics.Listen(ctx, o.metricsAddr)
	if err != nil {
		return gauge{}, usageErrorf("metrics-addr", "%v", err)
	}
	s.messages.info("metrics at http://%s/metrics, profiles at /debug/pprof/", l.Addr())
	return gauge{metrics.New(version(), status), l}, nil
}

// close frees the port of a scan that cannot begin.
func (g *gauge) close() {
	if g.listener != nil {
		_ = g.listener.Close() // closed already, where it was served
	}
}

// tellStop says what a person who has pressed Ctrl-C waits for, when there is something.
func (o *scanOptions) tellStop(ctx, watch context.Context, screen *screen) {
	select {
	case <-watch.Done():
		return
	case <-ctx.Done():
	}
	interrupted, ok := errors.AsType[*InterruptError](context.Cause(ctx))
	if !ok || interrupted.Signal != os.Interrupt {
		return
	}
	soon := time.NewTimer(300 * time.Millisecond) // most scans are over by then
	defer soon.Stop()
	select {
	case <-watch.Done():
	case <-soon.C:
		screen.messages.info("stopping: requests in flight are awaited, %s at most; a second Ctrl-C ends at once", time.Duration(o.request.timeout))
	}
}

// watched runs a scan with a progress bar or status lines beside it.
func (o *scanOptions) watched(ctx context.Context, screen *screen, g gauge, status func() report.Status, run func(context.Context) error) error {
	var wg sync.WaitGroup
	watch, stop := context.WithCancel(context.WithoutCancel(ctx))
	final := false // read after stop only
	sample := func() report.Status {
		st := status()
		st.Final = watch.Err() != nil && final
		return st
	}
	interval := time.Duration(o.watch.statsInterval)
	switch {
	case screen.progress != nil:
		wg.Go(func() { screen.progress.Run(watch, sample) })
	case !o.watch.noProgress && !o.output.silent && interval > 0:
		write := report.PrintStatus
		if o.watch.statsJSON {
			write = report.PrintStatusJSON
		}
		wg.Go(func() { write(watch, screen.stderr, interval, sample) })
	}
	if g.metrics != nil {
		wg.Go(func() { g.metrics.Serve(watch, g.listener) })
	}
	wg.Go(func() { paceCollector(watch, 100*time.Millisecond) })
	wg.Go(func() { o.tellStop(ctx, watch, screen) })
	err := run(ctx)
	final = true
	stop()
	wg.Wait()
	return err
}
