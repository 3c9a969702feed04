package flow

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestIdleBoundary(t *testing.T) {
	warm := Rule{Rate: 0.5, Mode: WarmUp, WarmUp: 8 * time.Second, ColdFactor: 3}
	warmQueue := warm
	warmQueue.Mode = WarmUpQueue
	for _, tt := range []struct {
		rule  Rule
		takes int
		after time.Duration
	}{
		{Rule{Rate: 10, Mode: Reject}, 3, time.Second},
		{Rule{Rate: 0.5, Mode: Reject}, 1, 2 * time.Second},
		{Rule{Rate: 2.5, Mode: Reject}, 1, 1200 * time.Millisecond},
		{Rule{Rate: 10}, 3, 300 * time.Millisecond},
		{warm, 1, 7 * time.Second},       // 5 s paid, 3 of 4 permits left: cold 2 s later
		{warmQueue, 2, 12 * time.Second}, // 8 s paid, 2 of 4 left: cold 4 s later
	} {
		l, t0 := mustNew(t, tt.rule), time.Now()
		if !l.Idle(t0) {
			t.Errorf("%+v: a new one is not idle", tt.rule)
		}
		for range tt.takes {
			l.Take(t0)
		}
		if l.Idle(t0.Add(tt.after - 1)) {
			t.Errorf("%+v: idle a nanosecond before %v", tt.rule, tt.after)
		}
		if !l.Idle(t0.Add(tt.after)) {
			t.Errorf("%+v: not idle after %v", tt.rule, tt.after)
		}
	}
}

// An owner that forgets its limiter whenever it is idle sees no difference.
func TestIdleForgets(t *testing.T) {
	forgotten := 0
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		rate := rates(0.01, 1000).Draw(t, "rate")
		for _, r := range allModes(rate) {
			r.MaxQueueWait = time.Duration(3e9 / rate)
			kept, dropped, now := mustNewIn(t, r), mustNewIn(t, r), time.Now()
			for i := range 300 {
				now = now.Add(time.Duration(gap(rng, rate, int64(4e9/rate)+int64(4*time.Second))))
				if dropped.Idle(now) {
					dropped = mustNewIn(t, r)
					forgotten++
				}
				a, b := kept.Take(now), dropped.Take(now)
				if a.OK != b.OK || a.Wait != b.Wait {
					t.Fatalf("%+v: request %d: kept %v %v, dropped %v %v", r, i, a.OK, a.Wait, b.OK, b.Wait)
				}
				if a.OK && rng.IntN(8) == 0 {
					a.Cancel(now)
					b.Cancel(now)
				}
			}
		}
	})
	if forgotten < 100 {
		t.Errorf("only %d times idle: the test shows nothing", forgotten)
	}
}
