package scan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redialscan/redial/pkg/executor"
	"github.com/redialscan/redial/pkg/failurewindow"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
	"github.com/redialscan/redial/pkg/retry"
	"github.com/redialscan/redial/pkg/target"
)

// budgetFloor is how many retries a scan may make in any case.
const budgetFloor = retry.DefaultBudgetFloor

// Scan is one scan. Make it with New; Run is called once. Status may be called from any goroutine, also before Run.
type Scan struct {
	opt     Options
	breaker *hosterrors.Cache // nil = off
	client  *requester.Client
	policy  retry.Policy
	exec    *executor.Executor[job]
	tally   *report.Tally
	emit    func(report.Event)
	part    bool      // results are only lent to emit
	lent    sync.Pool // of those that have come back

	began   atomic.Int64 // nanoseconds of the wall clock; 0 before
	read    int64        // targets read so far; the reader's goroutine only
	growing atomic.Bool
	dead    atomic.Int64
	faults  faults
	told    []*report.Info // of each check
	answers *answers       // that several checks want; nil = none are shared
	asks    bool           // some check asks something of the targets
	schemes bool           // some check needs the scheme of its target
	moot    atomic.Int64   // items that were done without a word of their host
	worst   atomic.Int64   // the highest rank of a severity that was found
	earlier *earlier       // set by Run; nil = none

	load     load
	pausedAt time.Time // the guard's goroutine only
}

// job is a target with the number by which events name it.
type job struct {
	target.Target
	index int64
}

// New checks the options and builds the parts; nothing is sent.
func New(opt Options) (*Scan, error) {
	s := &Scan{opt: opt, tally: report.NewTally(opt.MaxHosts)}
	s.growing.Store(true)
	s.load.concurrency, s.load.dials = opt.Concurrency, opt.DialConcurrency
	if opt.Requester.OutageTimeout > 0 {
		opt.Breaker.UndoWindow = 2 * requester.OutageWindow
	}
	if opt.Breaker.MaxHostError > 0 {
		breaker, err := hosterrors.NewWithConfig(opt.Breaker)
		if err != nil {
			return nil, fmt.Errorf("breaker: %w", err)
		}
		breaker.SetObserver(s.observe)
		s.breaker = breaker
		s.opt.Requester.Breaker = breaker
	}
	if opt.FailureLimit > 0 {
		window, err := failurewindow.New(failurewindow.Config{Limit: opt.FailureLimit, Length: opt.FailureWindow})
		if err != nil {
			return nil, err
		}
		s.opt.Requester.Window = window
	}
	s.opt.Requester.Observe = s.paced
	s.opt.Requester.Strained = s.strained
	client, err := requester.New(s.opt.Requester)
	if err != nil {
		return nil, err
	}
	s.client = client
	if err := s.recall(opt.Hosts); err != nil {
		return nil, err
	}
	budget := opt.Budget
	if budget == nil {
		if budget, err = retry.NewBudget(opt.RetryBudget, budgetFloor); err != nil {
			return nil, fmt.Errorf("retry budget: %w", err)
		}
	}
	s.policy = retry.Policy{
		Attempts: opt.Retries + 1,
		Plan:     retry.Plan{Base: opt.RetryWait, Max: opt.RetryMaxWait},
		Deadline: opt.ItemDeadline,
		Budget:   budget,
	}
	s.told = tellChecks(opt.Checks)
	s.survey()
	if opt.Checks != nil && !opt.NoShared {
		s.answers = newAnswers()
	}
	s.exec, err = executor.New(s.executorConfig())
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Scan) executorConfig() executor.Config[job] {
	cfg := executor.Config[job]{
		Concurrency:     s.opt.Concurrency,
		HostConcurrency: s.opt.HostConcurrency,
		DialConcurrency: s.opt.DialConcurrency,
		MaxHosts:        s.opt.MaxHosts,
		Checks:          s.places(),
		NoRevisit:       s.opt.NoRevisit,
		HostTimeout:     s.opt.HostTimeout,
		Linger:          s.opt.Linger,
		Grace:           s.opt.Requester.Timeout, // what people are told; a request that still dials has no more
		Host:            job.Key,
		Run:             s.run,
		Failed:          s.failed,
		Skipped:         s.skipped,
		Unsent:          s.refund,
		NextAdmit:       s.nextAdmit,
		Ended:           s.client.Forget,
		Waiting:         s.waiting,
		Stopping:        s.opt.StopReading,
	}
	if s.opt.Requester.OutageTimeout > 0 {
		cfg.Doubt = requester.OutageWindow
	}
	if s.opt.Requester.Scan.Rate > 0 || s.opt.Requester.Pace != nil {
		cfg.Pace = s.pace
	}
	if s.opt.Earlier != nil || s.opt.Only != nil || s.alone() > 0 {
		cfg.Left = s.left
	}
	if s.breaker != nil || s.opt.Requester.Window != nil {
		cfg.Quarantined = s.quarantined
	}
	if s.breaker != nil {
		cfg.Trip = s.breaker.Trip
		cfg.LastCall = s.breaker.LastCall
		cfg.Probe = s.call
		cfg.FirstContact = s.opt.Breaker.MaxHostError
		if s.opt.FirstContact > 0 {
			cfg.FirstContact = min(cfg.FirstContact, s.opt.FirstContact)
		}
	}
	return cfg
}

// Ending is how a scan ended.
type Ending struct {
	report.Summary
	// Incomplete: an item of a host that served others was not done, or nothing was done at all.
	Incomplete bool
	// Silent: nothing answered at all, though there was something to ask.
	Silent bool
	// Worst is the rank of the highest severity among the findings (report.SeverityRank), where one without severity
	// counts as info; 0 = no finding.
	Worst int
}

// Run runs the scan and returns when every item has its end and every output is written. The error is what kept the scan
// from running or an output from being written (a *report.OutputError), or the cause of ctx's end.
func (s *Scan) Run(ctx context.Context) (Ending, error) {
	defer s.client.Close()
	start := time.Now()
	s.began.Store(start.UnixNano())
	handlers := append([]report.Handler{s.tally}, s.opt.Handlers...)

	var end Ending
	if err := s.goOn(); err != nil {
		return end, err
	}
	var tally executor.Tally
	err := report.Run(ctx, report.NewMulti(s.opt.OutputFailed, handlers...),
		func(ctx context.Context, emit func(report.Event)) error {
			s.emit = emit
			s.opt.Started.Time = start
			s.opt.Started.Format = report.FormatVersion
			s.opt.Started.Resumed = s.earlier != nil
			emit(&s.opt.Started)
			if s.earlier == nil {
				for i := range s.places() {
					emit(s.place(i))
				}
			}
			var err error
			tally, err = s.guarded(ctx)
			return err
		},
		func(err error) report.Event {
			end.Summary = s.summary(start, tally, err)
			return &end.Summary
		})
	end.Worst = int(s.worst.Load())
	end.Silent = end.Done == s.moot.Load() && end.Items > end.Done
	end.Incomplete = tally.Lost > 0 || end.Silent || s.earlier != nil && s.earlier.Incomplete()
	return end, err
}

// next reads a target for the executor.
func (s *Scan) next() (job, error) {
	if j, ok := s.nextAlone(); ok {
		return j, nil
	}
	for {
		t, err := s.opt.Targets.Next()
		if err != nil {
			s.growing.Store(false)
			if errors.Is(err, io.EOF) {
				return job{}, io.EOF
			}
			return job{}, err
		}
		j := job{Target: t, index: s.read}
		s.read++
		if s.opt.Index != nil {
			j.index = s.opt.Index(j.index)
		}
		if !s.passOver(j) {
			return j, nil
		}
	}
}

// Status is where the scan stands.
func (s *Scan) Status() report.Status {
	t := s.exec.Tally()
	began := s.began.Load()
	st := report.Status{
		Items: t.Items, Growing: s.growing.Load(), Hosts: t.Hosts,
		Done: t.Done, Failed: t.Failed, Skipped: t.Skipped,
		Sent: s.client.Sent(), Dead: s.dead.Load(),
	}
	if began > 0 {
		st.Elapsed = time.Since(time.Unix(0, began))
	}
	if s.breaker != nil {
		st.Open = max(0, int64(s.breaker.QuarantinedCount())-st.Dead)
		st.HalfOpen = min(int64(s.breaker.HalfOpenCount()), st.Open) // the two are read one after the other
	}
	s.withEarlierStatus(&st)
	return st
}
