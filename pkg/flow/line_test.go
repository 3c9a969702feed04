package flow

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Slot i of a full queue is at i/T: to the nanosecond, however many went before.
func TestQueueSpacing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rates(0.01, 100_000).Draw(t, "rate")
		l, t0 := mustNewIn(t, Rule{Rate: rate}), time.Now()
		for i := range int(min(20_000, 1e6*rate)) {
			g := l.Take(t0)
			exact := float64(i) * 1e9 / rate
			// Above 2^53 ns the expectation itself is not a whole nanosecond any more.
			if early := exact - float64(g.Wait); !g.OK || math.Abs(early) > 1+exact*4e-16 {
				t.Fatalf("slot %d of T = %v: %v at %d, want %f", i, rate, g.OK, g.Wait, exact)
			}
		}
	})
}

// Whatever order requests come in, none leaves less than 1/T after another, and
// none waits longer than the rule says.
func TestQueueArrivals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rates(0.01, 100_000).Draw(t, "rate")
		interval := 1e9 / rate
		longest := time.Duration(interval * rapid.Float64Range(0.1, 20).Draw(t, "longest wait"))
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		l, t0 := mustNewIn(t, Rule{Rate: rate, MaxQueueWait: longest}), time.Now()
		now, free := int64(0), 0.0
		for range 2000 {
			now += gap(rng, rate, int64(10*interval)+2)
			g := l.Take(t0.Add(time.Duration(now)))
			want := max(0, free-float64(now))
			if !g.OK {
				if g.Wait <= 0 || math.Abs(want-float64(longest)-float64(g.Wait)) > 2 {
					t.Fatalf("refused for %d, want %f", g.Wait, want-float64(longest))
				}
				continue
			}
			if g.Wait > longest || math.Abs(want-float64(g.Wait)) > 2 {
				t.Fatalf("wait of %d, want %f and at most %d", g.Wait, want, longest)
			}
			// The model's rounding must not add up against the schedule's exactness.
			free = float64(now) + float64(g.Wait) + interval
		}
	})
}

func TestQueueWaitBound(t *testing.T) {
	const ms = time.Millisecond
	runSteps(t, mustNew(t, Rule{Rate: 100, MaxQueueWait: 25 * ms}), []step{
		{0, true, 0},
		{0, true, 10 * ms},
		{0, true, 20 * ms},
		{0, false, 5 * ms},
		{5*ms - 1, false, 1},
		{5 * ms, true, 25 * ms},
	})
}

// One sleeper takes the slots of the next 20 ms and wakes late, as timers do. The
// rate over ten seconds is exact all the same.
func TestQueueLateTimers(t *testing.T) {
	const ahead = 20 * time.Millisecond
	for _, rate := range []float64{0.5, 7, 64, 1000, 30_000, 100_000} {
		l, t0 := mustNew(t, Rule{Rate: rate}), time.Now()
		rng := rand.New(rand.NewPCG(7, 7))
		sent, end := 0, t0.Add(10*time.Second)
		for now := t0; ; {
			next := l.NextAdmit(now)
			if !next.Before(end) {
				break
			}
			if next.Sub(now) > ahead/2 {
				now = next.Add(time.Duration(rng.Int64N(int64(ahead / 2)))).Add(-ahead / 2)
				continue
			}
			for l.NextAdmit(now).Sub(now) <= ahead && l.NextAdmit(now).Before(end) {
				if g := l.Take(now); !g.OK {
					t.Fatalf("T = %v: refused", rate)
				}
				sent++
			}
		}
		if want := 10 * rate; math.Abs(float64(sent)-want) > 0.5 {
			t.Errorf("T = %v: %d slots in ten seconds, want %v", rate, sent, want)
		}
	}
}

// Asking again exactly when told keeps the rate, although the moments told are
// rounded to nanoseconds.
func TestQueueNextAdmitKeepsFractions(t *testing.T) {
	l, t0 := mustNew(t, Rule{Rate: 30_000}), time.Now()
	now := t0
	for range 300_000 {
		if g := l.Take(now); !g.OK || g.Wait != 0 {
			t.Fatalf("not free at the moment told: %v, wait %v", g.OK, g.Wait)
		}
		now = l.NextAdmit(now)
	}
	if d := now.Sub(t0); d != 10*time.Second {
		t.Errorf("300,000 slots at 30,000 a second took %v", d)
	}
}
