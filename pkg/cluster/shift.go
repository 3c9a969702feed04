package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
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

	took atomic.Bool // a batch, since somebody looked last

	mu      sync.Mutex
	mine    map[int]struct{} // partitions that a batch is here of, or that are being asked
	left    []int            // partitions whose batch has ended here, the last one at the end: another may be there
	turn    bool             // of one of these
	failed  int              // times in a row that batches could not be run
	resume  time.Time        // none are taken before
	rest    time.Time        // likewise, after some were handed back
	running []*held          // the one begun last at the end
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

	deaf, err := s.hearGives()
	if err != nil {
		return err
	}
	defer deaf()
	var batches sync.WaitGroup
	defer batches.Wait()
	slots := make(chan struct{}, s.w.cfg.Slots)
	idle := idleLeast
	for ctx.Err() == nil {
		if s.conn.nc.IsClosed() {
			return nats.ErrConnectionClosed
		}
		s.sweep(ctx, slots, &batches)
		if s.took.Swap(false) {
			idle = idleLeast
		}
		if err := s.w.forsaken(); err != nil {
			stop(err)
			return err
		}
		s.w.wait(ctx, idle)
		idle = min(2*idle, idleMost)
	}
	return nil
}

// ran notes whether a batch could be run: a worker that cannot is not to run through all there are.
func (s *shift) ran(err error) {
	s.w.board.ran(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.failed = 0
		return
	}
	if time.Now().Before(s.resume) {
		return // with another one
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
		case errors.Is(err, errOver):
			stop(errOver)
			end(errOver)
		}
	}
}

// phase is what the list of scans says of ours; errOver when it is not there any more.
func (s *shift) phase(ctx context.Context) (phase string, err error) {
	why := errOver
	err = s.conn.latest(ctx, noticeStream, []string{noticePrefix + s.spec.Scan}, func(m *nats.Msg) {
		if m.Header.Get("KV-Operation") != "" { // somebody has taken it off the list
			return
		}
		n, err := decodeNotice(m.Data)
		if err != nil {
			s.w.cfg.Refused.note("scan", m.Header.Get(nats.JSSubject), err)
		}
		phase, why = n.Phase, err
	})
	if err != nil {
		return "", err
	}
	return phase, why
}
