package flow

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"golang.org/x/time/rate"
	"pgregory.net/rapid"
)

// A queue is a token bucket that holds one token: golang.org/x/time/rate must tell
// the same waits, also when the newest waits are cancelled and when the long ones
// are turned away.
func TestQueueAgainstRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rates(0.01, 100_000).Draw(t, "rate")
		interval := 1e9 / r
		longest := time.Duration(interval * rapid.Float64Range(0.5, 10).Draw(t, "longest wait"))
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		ours, theirs := mustNewIn(t, Rule{Rate: r, MaxQueueWait: longest}), rate.NewLimiter(rate.Limit(r), 1)
		now := time.Now()
		near := time.Duration(100 + interval*1e-9) // their tokens are floats, rounded at each step
		for i := range 500 {
			now = now.Add(time.Duration(gap(rng, r, int64(20*interval)+2)))
			res := theirs.ReserveN(now, 1)
			wait := res.DelayFrom(now)
			if (wait - longest).Abs() <= near {
				res.CancelAt(now)
				continue // the two may disagree about who is a hair too long
			}
			g := ours.Take(now)
			if wait > longest {
				res.CancelAt(now)
				wait -= longest
			}
			if g.OK != (res.DelayFrom(now) <= longest) || (g.Wait-wait).Abs() > near {
				t.Fatalf("request %d of T = %v: %v, wait %v; x/time/rate says %v", i, r, g.OK, g.Wait, wait)
			}
			if g.OK && rng.IntN(4) == 0 {
				g.Cancel(now)
				res.CancelAt(now)
			}
		}
	})
}

// Up to one a second, Reject is the same bucket with Allow.
func TestRejectAgainstRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := min(1, rates(0.01, 1).Draw(t, "rate"))
		span := 1e9 / r
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		ours, theirs := mustNewIn(t, Rule{Rate: r, Mode: Reject}), rate.NewLimiter(rate.Limit(r), 1)
		now, last := time.Now(), time.Time{}
		for i := range 500 {
			now = now.Add(time.Duration(gap(rng, r, int64(2*span))))
			if math.Abs(float64(now.Sub(last))-span) < 1000 {
				now = now.Add(2 * time.Microsecond)
			}
			g := ours.Take(now)
			if want := theirs.AllowN(now, 1); g.OK != want {
				t.Fatalf("request %d of T = %v: %v, x/time/rate says %v", i, r, g.OK, want)
			}
			if g.OK {
				last = now
			}
		}
	})
}
