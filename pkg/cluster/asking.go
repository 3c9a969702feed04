package cluster

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// sweep asks every partition once for a batch. The batches that come are run beside it; each of them has a slot from when it is asked for.
func (s *shift) sweep(ctx context.Context, slots chan struct{}, batches *sync.WaitGroup) {
	others := rand.Perm(s.spec.Partitions)
	for {
		select {
		case <-ctx.Done():
			return
		case slots <- struct{}{}:
		}
		p, ok := 0, s.mayAsk(ctx)
		if ok {
			p, ok = s.claim(&others)
		}
		if !ok {
			<-slots
			return
		}
		wait := fetchWait
		if len(slots) == cap(slots) {
			wait /= 5 // it is the last slot: others may have something at once
		}
		batches.Go(func() {
			defer func() { <-slots }()
			d, err := s.fetch(ctx, p, wait)
			if d == nil {
				s.release(p)
				if err != nil {
					pause(ctx, idleLeast) // not reachable: its slot is not to be had at once
				}
				return
			}
			s.took.Store(true)
			s.run(ctx, d)
			s.yield(p)
		})
	}
}

// mayAsk waits after batches that could not be run, and says whether to go on. Until one could be, there is one at a time.
func (s *shift) mayAsk(ctx context.Context) bool {
	s.mu.Lock()
	wait, tries := max(time.Until(s.resume), time.Until(s.rest)), s.failed > 0 && len(s.mine) > 0
	s.mu.Unlock()
	return !tries && (wait <= 0 || pause(ctx, wait)) && ctx.Err() == nil
}

// claim gives the partition to ask next: in turns one that was left, where nobody else is in the way, and the first of others, which
// gets shorter.
func (s *shift) claim(others *[]int) (p int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		s.turn = !s.turn
		switch n := len(s.left); {
		case n > 0 && (s.turn || len(*others) == 0):
			p, s.left = s.left[n-1], s.left[:n-1]
		case len(*others) > 0:
			p, *others = (*others)[0], (*others)[1:]
		default:
			return 0, false
		}
		if _, mine := s.mine[p]; !mine {
			s.mine[p] = struct{}{}
			return p, true
		}
	}
}

// release takes a partition as asked in vain.
func (s *shift) release(p int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.mine, p)
}

// yield takes the batch of a partition as ended.
func (s *shift) yield(p int) {
	s.mu.Lock()
	delete(s.mine, p)
	s.left = append(s.left, p)
	s.mu.Unlock()
	raise(s.w.nudge) // the next one of the partition may be there
}
