package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	idleLeast = 20 * time.Millisecond // between two looks through empty partitions
	idleMost  = time.Second
	failLeast = time.Second // after a batch that could not be run
	failMost  = time.Minute
)

// shift is one worker's part in one scan.
type shift struct {
	w      *worker
	conn   *Conn
	spec   Spec
	names  names
	runner Runner
	states states
	mail   *mail
	began  time.Time
	over   context.Context // ends with errOver when nobody waits for anything of the scan any more

	mu     sync.Mutex
	mine   map[int]struct{} // partitions that a batch is here of
	failed int              // batches in a row that could not be run
	resume time.Time        // none are taken before
}

func newShift(w *worker, spec Spec, r Runner) *shift {
	n := names{spec.Scan}
	return &shift{
		w: w, conn: w.conn, spec: spec, names: n, runner: r, mine: make(map[int]struct{}),
		states: states{conn: w.conn, names: n, refused: w.cfg.Refused}, mail: newMail(w.conn, n), began: time.Now(),
	}
}

// The causes of the end of a shift.
var (
	errOver    = fmt.Errorf("%w: the scan is over", ErrLeaseLost)
	errStopped = errors.New("the scan is stopped")
)

// work takes batches while there are any. It returns when the scan is over, ctx ends or the connection was closed, and every
// batch has ended by then.
func (s *shift) work(ctx context.Context) error {
	over, end := context.WithCancelCause(context.WithoutCancel(ctx))
	s.over = over
	ctx, stop := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { s.watch(over, stop, end) })
	wg.Go(func() { s.mail.run(over) })
	if p := s.runner.Pace(); p != nil && s.spec.Rate > 0 {
		wg.Go(func() { s.pace(ctx, p) })
	}
	defer wg.Wait()
	defer end(nil)
	defer stop(nil)

	var batches sync.WaitGroup
	defer batches.Wait()
	slots := make(chan struct{}, s.w.cfg.Slots)
	idle := idleLeast
	for ctx.Err() == nil {
		if s.conn.nc.IsClosed() {
			return nats.ErrConnectionClosed
		}
		taken := s.sweep(ctx, slots, &batches)
		if taken {
			idle = idleLeast
			continue
		}
		s.w.wait(ctx, idle)
		idle = min(2*idle, idleMost)
	}
	return nil
}

// sweep asks every partition once, from anywhere on, and says whether any had a batch. It waits for a free slot.
func (s *shift) sweep(ctx context.Context, slots chan struct{}, batches *sync.WaitGroup) bool {
	any := false
	start := rand.IntN(s.spec.Partitions)
	for i := range s.spec.Partitions {
		p := (start + i) % s.spec.Partitions
		if !s.mayAsk(ctx, p) {
			continue
		}
		select {
		case <-ctx.Done():
			return any
		case slots <- struct{}{}:
		}
		d, err := s.fetch(ctx, p)
		if d == nil {
			<-slots
			if err != nil {
				return any // not reachable: wait
			}
			continue
		}
		any = true
		s.claim(p)
		batches.Go(func() {
			defer func() { <-slots }()
			defer s.yield(p)
			s.run(ctx, d)
		})
	}
	return any
}

// mayAsk says whether a partition may have something for us. After batches that could not be run it waits first.
func (s *shift) mayAsk(ctx context.Context, p int) bool {
	s.mu.Lock()
	_, mine := s.mine[p]
	wait := time.Until(s.resume)
	s.mu.Unlock()
	if wait > 0 && !pause(ctx, wait) {
		return false
	}
	return !mine && ctx.Err() == nil
}

func (s *shift) claim(p int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mine[p] = struct{}{}
}

func (s *shift) yield(p int) {
	s.mu.Lock()
	delete(s.mine, p)
	s.mu.Unlock()
	raise(s.w.nudge) // the next one of the partition may be there
}

// ran notes whether a batch could be run: a worker that cannot is not to run through all there are.
func (s *shift) ran(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.failed = 0
		return
	}
	s.failed++
	s.resume = time.Now().Add(min(failMost, failLeast<<min(s.failed-1, 10)))
}

// watch stops the shift when its scan is to be stopped, and ends all of it when the scan is over, which ends ctx, too.
func (s *shift) watch(ctx context.Context, stop, end context.CancelCauseFunc) {
	timer := time.NewTimer(lookEvery / 2)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-s.w.turn:
		}
		timer.Reset(lookEvery / 2)
		phase, err := s.phase(ctx)
		switch {
		case err == nil && phase == phaseStop:
			stop(errStopped)
		case errors.Is(err, jetstream.ErrKeyNotFound):
			stop(errOver)
			end(errOver)
		}
	}
}

func (s *shift) phase(ctx context.Context) (string, error) {
	ctx, stop := context.WithTimeout(ctx, callTimeout)
	defer stop()
	kv, err := s.conn.js.KeyValue(ctx, noticeBucket)
	if err != nil {
		return "", err
	}
	entry, err := kv.Get(ctx, s.spec.Scan)
	if err != nil {
		return "", err
	}
	n, err := decodeNotice(entry.Value())
	if err != nil {
		s.w.cfg.Refused.note("scan", noticeBucket+"."+s.spec.Scan, err)
		return "", err
	}
	return n.Phase, nil
}
