package check

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/redialscan/redial/pkg/requester"
)

// maxCopies bounds the copies of a request that are sent at once.
const maxCopies = 1000

// reply is what came of one copy.
type reply struct {
	resp  *requester.Response
	err   error
	panic any
}

// race sends copies of a request at once, each by the Sender like any other, and judges their answers in order. Those that a pace held
// back follow when some have gone out. It fails when none was answered: that a host drops some is what such a check provokes.
func (s *state) race(ctx context.Context, q *request, req *requester.Request) (bool, error) {
	replies := make([]*reply, s.block.copies)
	for i := range replies {
		replies[i] = &reply{}
	}
	s.sendAll(ctx, req, replies)
	answered := slices.ContainsFunc(replies, func(r *reply) bool { return r.resp != nil })
	if answered {
		s.sendAll(ctx, req, slices.DeleteFunc(slices.Clone(replies), func(r *reply) bool {
			_, held := errors.AsType[*requester.NotAdmittedError](r.err)
			return !held
		}))
	}
	matched := false
	var first error
	for _, r := range replies {
		switch {
		case r.panic != nil:
			panic(r.panic)
		case r.err != nil:
			first = cmp.Or(first, r.err)
		default:
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

// sendAll sends a copy of a request for each reply, all at once.
func (s *state) sendAll(ctx context.Context, req *requester.Request, replies []*reply) {
	turn := together(s.job.Turn)
	start := make(chan struct{})
	var all sync.WaitGroup
	for _, r := range replies {
		all.Go(func() {
			defer func() { r.panic = recover() }()
			<-start
			r.resp, r.err = s.job.Send.Do(ctx, req, turn)
		})
	}
	close(start)
	all.Wait()
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
