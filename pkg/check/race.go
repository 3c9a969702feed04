package check

import (
	"context"
	"sync"
	"time"

	"github.com/redialscan/redial/pkg/requester"
)

// maxCopies bounds the copies of a request that are sent at once.
const maxCopies = 1000

// race sends copies of a request at once, each by the Sender like any other, and judges their answers in order. It fails when none of
// them was answered: that a host drops some is what such a check provokes.
func (s *state) race(ctx context.Context, q *request, req *requester.Request) (bool, error) {
	turn := together(s.job.Turn)
	type reply struct {
		resp  *requester.Response
		err   error
		panic any
	}
	replies := make([]reply, s.block.copies)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range replies {
		all.Go(func() {
			defer func() { replies[i].panic = recover() }()
			<-start
			replies[i].resp, replies[i].err = s.job.Send.Do(ctx, req, turn)
		})
	}
	close(start)
	all.Wait()
	matched, answered := false, false
	var first error
	for _, r := range replies {
		switch {
		case r.panic != nil:
			panic(r.panic)
		case r.err != nil && first == nil:
			first = r.err
		case r.resp != nil:
			answered = true
			matched = s.take(req, r.resp) || matched
		}
		if matched && s.block.stop {
			return true, nil
		}
	}
	if !answered {
		return false, s.fault(ctx, q, req, first)
	}
	return matched, nil
}

// sharedTurn is the turn of one run for several sends at a time: it is given back by one of them after the other.
type sharedTurn struct {
	mu   sync.Mutex
	turn requester.Turn
}

func together(turn requester.Turn) requester.Turn {
	if turn == nil {
		return nil
	}
	return &sharedTurn{turn: turn}
}

// Wait implements [requester.Turn].
func (t *sharedTurn) Wait(ctx context.Context, until time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.turn.Wait(ctx, until)
}

// Dialed implements [requester.Turn].
func (t *sharedTurn) Dialed(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.turn.Dialed(ctx)
}

// pause waits for d by the turn, or in place without one.
func pause(ctx context.Context, turn requester.Turn, d time.Duration) error {
	if turn != nil {
		return turn.Wait(ctx, time.Now().Add(d))
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
