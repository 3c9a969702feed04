package flow

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"
)

// stepWall moves the wall clock of a moment and leaves its monotonic reading, as
// setting the system's clock between two calls of time.Now does. The seconds of
// the wall clock stand above the nanoseconds' 30 bits in the first word.
func stepWall(t *testing.T, now time.Time, by time.Duration) time.Time {
	t.Helper()
	stepped := now
	*(*uint64)(unsafe.Pointer(&stepped)) += uint64(by/time.Second) << 30
	if stepped.Sub(now) != 0 || stepped.Round(0).Sub(now.Round(0)) != by {
		t.Fatal("time.Time is laid out in another way; this helper must follow")
	}
	return stepped
}

func allModes(rate float64) []Rule {
	warm := Rule{Rate: rate, WarmUp: 2 * time.Second, ColdFactor: 3, MaxQueueWait: time.Second}
	rules := []Rule{warm, warm, warm, warm}
	for i := range rules {
		rules[i].Mode = Mode(i)
	}
	return rules
}

func TestWallClockSteps(t *testing.T) {
	for _, r := range allModes(20) {
		still, stepped := mustNew(t, r), mustNew(t, r)
		rng := rand.New(rand.NewPCG(1, 2))
		now := time.Now()
		for i := range 1000 {
			now = now.Add(time.Duration(rng.Int64N(int64(60 * time.Millisecond))))
			moved := stepWall(t, now, time.Duration(rng.IntN(7200)-3600)*time.Second)
			if stepped.NextAdmit(moved).Sub(now) != still.NextAdmit(now).Sub(now) {
				t.Fatalf("%v: request %d: another NextAdmit", r.Mode, i)
			}
			a, b := still.Take(now), stepped.Take(moved)
			if a.OK != b.OK || a.Wait != b.Wait {
				t.Fatalf("%v: request %d: %v %v, with steps %v %v", r.Mode, i, a.OK, a.Wait, b.OK, b.Wait)
			}
			if stepped.Idle(moved) != still.Idle(now) {
				t.Fatalf("%v: request %d: another Idle", r.Mode, i)
			}
		}
	}
}

// A now from before the latest one is taken as the latest, and the wait is counted
// from the now that was given. The warm-up is cold at 20 permits with c = 300 ms, so
// that the first costs 300 - 20/2 ms.
func TestStaleNow(t *testing.T) {
	const ms = time.Millisecond
	steps := map[Mode][]step{
		Queue:       {{0, true, 0}, {50 * ms, true, 50 * ms}, {0, true, 200 * ms}, {40 * ms, true, 260 * ms}},
		WarmUpQueue: {{0, true, 0}, {290 * ms, true, 0}, {50 * ms, true, 510 * ms}},
		WarmUp:      {{0, true, 0}, {290 * ms, true, 0}, {0, false, 560 * ms}, {559 * ms, false, ms}},
		Reject:      {{0, true, 0}, {50 * ms, true, 0}, {0, true, 50 * ms}},
	}
	for _, r := range allModes(10) {
		t.Run(r.Mode.String(), func(t *testing.T) { runSteps(t, mustNew(t, r), steps[r.Mode]) })
	}
}

// However far and often now steps back, what is granted keeps the bounds: nothing
// is armed a second time.
func TestStepsBackGrantNothingTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		const rate = 10
		for _, r := range allModes(rate) {
			l, t0 := mustNewIn(t, r), time.Now()
			now := t0
			var went []time.Duration
			for range 400 {
				now = now.Add(time.Duration(rng.Int64N(int64(30 * time.Millisecond))))
				at := now
				if rng.IntN(3) == 0 {
					at = at.Add(-time.Duration(rng.Int64N(int64(time.Hour))))
				}
				if g := l.Take(at); g.OK {
					went = append(went, at.Add(g.Wait).Sub(t0))
				}
			}
			many, length := 1, time.Second/rate
			if r.Mode == Reject {
				many, length = rate, time.Second
			}
			if !slices.IsSorted(went) {
				t.Fatalf("%v: out of order", r.Mode)
			}
			for i := many; i < len(went); i++ {
				if d := went[i] - went[i-many]; d < length {
					t.Fatalf("%v: %d within %v", r.Mode, many+1, d)
				}
			}
		}
	})
}

// A moment without a monotonic reading, or outside any sane range, breaks nothing.
func TestAbsurdNow(t *testing.T) {
	for _, r := range allModes(10) {
		l, t0 := mustNew(t, r), time.Now()
		l.Take(t0)
		for _, now := range []time.Time{{}, t0.Round(0), time.Unix(1<<40, 0), time.Unix(-1<<40, 0), t0} {
			if g := l.Take(now); g.Wait < 0 {
				t.Errorf("%v at %v: wait of %v", r.Mode, now, g.Wait)
			}
		}
	}
}
