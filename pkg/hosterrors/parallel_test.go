package hosterrors

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const crowd = 64

// inParallel runs f on as many goroutines as the crowd has, all let go at once.
func inParallel(f func(id int)) {
	var group sync.WaitGroup
	gate := make(chan struct{})
	for id := range crowd {
		group.Go(func() {
			<-gate
			f(id)
		})
	}
	close(gate)
	group.Wait()
}

func TestOneProbeAtATime(t *testing.T) {
	tt := newTester(t, Config{MaxTrips: -1, ProbeTTL: 1 << 60})
	tt.fail(3)
	var live, probes atomic.Int64
	inParallel(func(id int) {
		for i := range 300 {
			tt.clock.advance(time.Second)
			tt.Quarantined(host)
			ticket, ok := tt.Enter(host)
			if !ok {
				continue
			}
			probes.Add(1)
			if n := live.Add(1); n != 1 {
				t.Errorf("%d probes in flight", n)
			}
			runtime.Gosched()
			live.Add(-1)
			if (id+i)%2 == 0 {
				ticket.Release()
			} else {
				ticket.Fail(hostError, false)
			}
		}
	})
	if probes.Load() < 2 {
		t.Errorf("%d probes in %d s, want some", probes.Load(), 300*crowd)
	}
}

// Some probes are lost here, so that several can be under way; each must have a generation of its own, and
// only the last one may decide.
func TestNoTwoProbesOfOneGeneration(t *testing.T) {
	tt := newTester(t, Config{MaxTrips: -1, ProbeTTL: time.Second, Cooldown: time.Second})
	tt.fail(3)
	var seen sync.Map
	inParallel(func(id int) {
		for i := range 300 {
			tt.clock.advance(time.Second / 16)
			ticket, ok := tt.Enter(host)
			if !ok {
				continue
			}
			if _, twice := seen.LoadOrStore(ticket.gen, id); twice {
				t.Errorf("two probes of generation %d", ticket.gen)
			}
			switch (id + i) % 3 {
			case 0:
				ticket.Fail(hostError, false)
				ticket.Fail(hostError, false)
			case 1:
				ticket.Release()
			}
		}
	})
}

// Every change is announced, and sorted by Seq the announcements make one unbroken life of the host.
func TestTransitionsMakeAChain(t *testing.T) {
	tt := newTester(t, Config{MaxTrips: -1, Cooldown: time.Second, ProbeTTL: 2 * time.Second})
	var mu sync.Mutex
	var seen []Transition
	tt.SetObserver(func(tr Transition) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, tr)
	})
	inParallel(func(id int) {
		for i := range 200 {
			tt.clock.advance(time.Second / 8)
			ticket, ok := tt.Enter(host)
			switch {
			case !ok:
			case (id+i)%7 == 0:
				ticket.Success()
			default:
				ticket.Fail(hostError, false)
			}
		}
	})
	slices.SortFunc(seen, func(a, b Transition) int { return int(a.Seq) - int(b.Seq) })
	state := StateClosed
	for i, tr := range seen {
		if tr.From != state || i > 0 && (tr.Seq == seen[i-1].Seq || tr.At.Before(seen[i-1].At)) {
			t.Fatalf("transition %d does not follow a host that is %v: %+v", i, state, tr)
		}
		state = tr.To
	}
	if len(seen) < 3 || tt.Cache.State(host) != state {
		t.Errorf("%d transitions end %v, but the host is %v", len(seen), state, tt.Cache.State(host))
	}
}

func TestConcurrentFailuresAreAllCounted(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: crowd * 10})
	var opened atomic.Int64
	tt.SetObserver(func(Transition) { opened.Add(1) })
	inParallel(func(int) { tt.fail(10) })
	tt.wantState(StateOpen)
	if got := opened.Load(); got != 1 {
		t.Errorf("opened %d times, want once", got)
	}
}

// Failures, successes, trips and sweeps of the same few records, with a bound so low that sweeps never stop.
func TestTotalsHoldInAMelee(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 4, MaxHostsCount: 3})
	inParallel(func(id int) {
		for i := range 400 {
			key := fmt.Sprintf("h%d:80", (id*7+i)%97)
			switch (id + i) % 5 {
			case 0:
				tt.MarkSuccess(key)
			case 1:
				if (id+i)%11 == 0 {
					tt.Trip(key, hostError)
				}
			default:
				tt.MarkFailed(key, hostError, false)
			}
		}
	})
	notClosed := 0
	for h := range tt.Hosts() {
		if h.State != StateClosed {
			notClosed++
		}
	}
	if got := tt.QuarantinedCount(); got != notClosed || got == 0 {
		t.Errorf("%d quarantined by the total, %d by looking at each", got, notClosed)
	}
	if got := mapEntries(tt.Cache) - notClosed; got > 2*3 {
		t.Errorf("%d counters are kept, want at most 6", got)
	}
}
