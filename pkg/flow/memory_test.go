package flow

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A limiter that goes on from another one's memory grants nothing sooner than that one would have; where the mode has a
// schedule it grants the same. Times of which it knows no fractions may be off by a nanosecond.
func TestMemoryGoesOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom([]Mode{Queue, WarmUp, WarmUpQueue, Reject}).Draw(t, "mode")
		rule := Rule{
			Rate: rapid.SampledFrom([]float64{0.5, 2.5, 10, 333}).Draw(t, "rate"), Mode: mode,
			WarmUp: 4 * time.Second, ColdFactor: 3, MaxQueueWait: time.Duration(rapid.IntRange(0, 2).Draw(t, "most")) * time.Second,
		}
		before, err := New(rule)
		if err != nil {
			t.Fatal(err)
		}
		after, _ := New(rule)
		now := time.Now()
		pass := func(name string) {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(800*time.Millisecond)).Draw(t, name)))
		}
		for range rapid.IntRange(0, 20).Draw(t, "takes") {
			before.Take(now)
			pass("passed")
		}
		m, ok := before.Memory(now)
		if ok == before.Idle(now) {
			t.Fatalf("a memory: %v, idle: %v", ok, before.Idle(now))
		}
		if !ok {
			return
		}
		after.Recall(m, now)
		if after.Idle(now) {
			t.Fatal("nothing is remembered")
		}
		for range 10 {
			a, b := before.Take(now), after.Take(now)
			differ := b.Wait - a.Wait
			if mode != Reject && differ == -1 {
				differ = 0
			}
			switch {
			case mode != Reject && (a.OK != b.OK || differ < 0 || differ > time.Microsecond):
				t.Fatalf("granted %v after %v, want %v after %v", b.OK, b.Wait, a.OK, a.Wait)
			case b.OK && !a.OK, a.OK == b.OK && differ < 0:
				t.Fatalf("granted %v after %v, sooner than %v after %v", b.OK, b.Wait, a.OK, a.Wait)
			}
			if mode == Reject && a.OK != b.OK {
				return // from here on they have other histories
			}
			pass("between")
		}
	})
}

// What comes from elsewhere may be anything.
func TestMemoryOutOfBounds(t *testing.T) {
	for _, r := range allModes(2) {
		for _, m := range []Memory{
			{Next: 1 << 62, Stored: 1e300, Recent: 1 << 40}, {Next: -1 << 62, Stored: -1, Recent: -5},
		} {
			l := mustNew(t, r)
			now := time.Now()
			l.Recall(m, now)
			l.Take(now)
			l.Idle(now.Add(time.Hour))
			if r.Mode == Reject && len(l.window.ring) > 2 {
				t.Errorf("%v remembers %d moments at 2 a second", m, len(l.window.ring))
			}
		}
	}
}
