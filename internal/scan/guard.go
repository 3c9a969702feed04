package scan

import (
	"context"
	"sync"
	"time"

	"github.com/redialscan/redial/pkg/executor"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
)

// guarded runs the items, with a look at what is our own fault beside them: the lag of this process, its load, and the
// link.
func (s *Scan) guarded(ctx context.Context) (executor.Tally, error) {
	var guards sync.WaitGroup
	defer guards.Wait()
	guarding, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	guards.Go(func() { s.client.MeasureLag(guarding) })
	guards.Go(func() { s.recoverLoad(guarding) })
	if s.opt.Requester.OutageTimeout > 0 {
		guards.Go(func() {
			if err := s.client.Watch(guarding, requester.OutageHooks{Paused: s.paused, Over: s.resumed}); err != nil {
				s.exec.Stop(executor.Outage, err)
			}
		})
	}
	return s.exec.Run(ctx, s.next)
}

// strained lowers the load after something failed by it.
func (s *Scan) strained(err error) {
	s.load.Lock()
	defer s.load.Unlock()
	if s.load.strain(time.Now()) {
		concurrency := s.setLimitsLocked()
		s.opt.Log.verbose("concurrency lowered to %d: %s", concurrency, oneLine(err))
	}
}

// recoverLoad raises the load again, step by step, as long as all is calm.
func (s *Scan) recoverLoad(ctx context.Context) {
	tick := time.NewTicker(easeStep)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s.load.Lock()
		if s.load.calm(time.Now()) {
			if concurrency := s.setLimitsLocked(); s.load.cuts == 0 {
				s.opt.Log.verbose("concurrency is back at %d", concurrency)
			}
		}
		s.load.Unlock()
	}
}

// Halt ends the scan at once: what is in flight is cancelled, and skipped with all that is left as interrupted. Run returns
// err. It may be called from any goroutine.
func (s *Scan) Halt(err error) { s.exec.Halt(err) }

// Share says how much of Options.Concurrency and Options.DialConcurrency the scan may use from now on, where several share
// what this process can do: at least 1, and at most all. What is in flight beyond that goes on. It may be called from any
// goroutine, also before Run.
func (s *Scan) Share(concurrency, dials int) {
	s.load.Lock()
	defer s.load.Unlock()
	s.load.concurrency = min(max(1, concurrency), s.opt.Concurrency)
	s.load.dials = min(max(1, dials), s.opt.DialConcurrency)
	s.setLimitsLocked()
}

func (s *Scan) setLimitsLocked() (concurrency int) {
	concurrency = s.load.of(s.load.concurrency)
	s.exec.SetLimits(concurrency, s.load.of(s.load.dials))
	return concurrency
}

// load is what a scan may have in flight, and the ease of it, under a lock.
type load struct {
	sync.Mutex
	ease
	concurrency, dials int
}

// paused stops the items: nothing gets through.
func (s *Scan) paused(o requester.Outage) {
	s.exec.Pause()
	s.pausedAt = time.Now()
	s.emit(&report.Paused{Time: s.pausedAt, Reason: oneLine(o.Err), Hosts: o.Hosts})
	s.opt.Log.info("paused: %d hosts that had answered failed within %s and none succeeded, so the fault seems to be on this side "+
		"(the last error: %s); asking them until one answers", o.Hosts, requester.OutageWindow, oneLine(o.Err))
}

// resumed lets the items go on, after what failed for no fault of its host was put back.
func (s *Scan) resumed(o requester.Outage, end requester.OutageEnd) {
	after := time.Since(s.pausedAt).Round(100 * time.Millisecond)
	e := &report.Paused{Time: time.Now(), Resumed: true, Hosts: o.Hosts, Undone: end.Undone}
	if end.Ours {
		e.Reason = "a host that had failed answers: " + end.Answered
		e.PutBack = s.exec.Recall(o.Since)
		s.opt.Log.info("resumed after %s: %s answers again; quarantines undone: %d, items put back: %d",
			after, end.Answered, e.Undone, e.PutBack)
	} else {
		e.Reason = "only others answer: " + end.Answered
		s.opt.Log.info("resumed after %s: %s answers, so the %d hosts failed by themselves", after, end.Answered, o.Hosts)
	}
	s.emit(e)
	s.exec.Resume()
}
