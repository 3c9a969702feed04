package flow

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestCancelNewest(t *testing.T) {
	for _, mode := range []Mode{Queue, WarmUpQueue} {
		l := mustNew(t, Rule{Rate: 8, Mode: mode, WarmUp: time.Second, ColdFactor: 3})
		t0 := time.Now()
		var grants []Grant
		var waits []time.Duration
		for range 20 {
			g := l.Take(t0)
			grants, waits = append(grants, g), append(waits, g.Wait)
		}
		for i := len(grants) - 1; i >= 5; i-- {
			grants[i].Cancel(t0.Add(time.Millisecond))
		}
		for i := 5; i < len(waits); i++ {
			if g := l.Take(t0); g.Wait != waits[i] {
				t.Errorf("%v: slot %d again: %v, want %v", mode, i, g.Wait, waits[i])
			}
		}
	}
}

// In whatever order all the waiting ones give up, nothing is lost.
func TestCancelAllInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom([]Mode{Queue, WarmUpQueue}).Draw(t, "mode")
		rate := rates(0.01, 100_000).Draw(t, "rate")
		l := mustNewIn(t, Rule{Rate: rate, Mode: mode, WarmUp: time.Second, ColdFactor: 3})
		t0 := time.Now()
		n := rapid.IntRange(1, maxFreed+1).Draw(t, "waiting")
		for range rapid.IntRange(1, 10).Draw(t, "gone") {
			l.Take(t0)
		}
		before := l.NextAdmit(t0)
		grants := make([]Grant, n)
		for i := range grants {
			grants[i] = l.Take(t0)
		}
		for _, i := range rapid.Permutation(indexes(n)).Draw(t, "order") {
			grants[i].Cancel(t0)
			grants[i].Cancel(t0) // harmless
		}
		if after := l.NextAdmit(t0); !after.Equal(before) || len(l.line.freed) != 0 {
			t.Fatalf("next slot %v after its old moment, %d slots kept", after.Sub(before), len(l.line.freed))
		}
	})
}

func indexes(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// A slot in the middle goes to the next who asks in time, and is lost afterwards.
func TestCancelMiddle(t *testing.T) {
	const s = time.Second
	l, t0 := mustNew(t, Rule{Rate: 1}), time.Now()
	grants := make([]Grant, 5)
	for i := range grants {
		grants[i] = l.Take(t0)
	}
	grants[1].Cancel(t0)
	grants[3].Cancel(t0)
	if next := l.NextAdmit(t0).Sub(t0); next != s {
		t.Errorf("next is in %v, want the freed slot in 1s", next)
	}
	if g := l.Take(t0.Add(s)); !g.OK || g.Wait != 0 {
		t.Errorf("the slot at its very moment: %v, wait %v", g.OK, g.Wait)
	}
	if g := l.Take(t0.Add(3*s + 1)); g.Wait != 2*s-1 {
		t.Errorf("the slot after its moment: wait %v, want that of the slot at 5 s", g.Wait)
	}
	grants[2].Cancel(t0.Add(4 * s)) // long past: others stand behind it
	if next := l.NextAdmit(t0.Add(4 * s)).Sub(t0); next != 6*s || len(l.line.freed) != 0 {
		t.Errorf("next is at %v, want 6s; %d past slots kept", next, len(l.line.freed))
	}
}

// A wait that fails at its end (the breaker said no) still gives the newest slot back.
func TestCancelAfterTheWait(t *testing.T) {
	l, t0 := mustNew(t, Rule{Rate: 1}), time.Now()
	l.Take(t0)
	g := l.Take(t0)
	late := t0.Add(g.Wait + time.Millisecond)
	g.Cancel(late)
	if g := l.Take(late); !g.OK || g.Wait != 0 {
		t.Errorf("the next one: %v, wait %v; want the slot that was not used", g.OK, g.Wait)
	}
}

// Of many cancelled slots the latest ones are kept, in whatever order they come.
func TestCancelBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, t0 := mustNewIn(t, Rule{Rate: 10}), time.Now()
		const n = 3 * maxFreed
		grants := make([]Grant, n+1)
		for i := range grants {
			grants[i] = l.Take(t0)
		}
		waits := make([]time.Duration, n) // the newest stays
		for _, i := range rapid.Permutation(indexes(n)).Draw(t, "order") {
			waits[i] = grants[i].Wait
			grants[i].Cancel(t0)
		}
		if n := len(l.line.freed); n != maxFreed {
			t.Fatalf("%d slots kept, want %d", n, maxFreed)
		}
		for i, want := range waits[n-maxFreed:] {
			if g := l.Take(t0); g.Wait != want {
				t.Fatalf("slot %d: %v, want %v", i, g.Wait, want)
			}
		}
	})
}

func TestCancelNothing(t *testing.T) {
	t0 := time.Now()
	var zero Grant
	zero.Cancel(t0)
	refused := mustNew(t, Rule{Rate: 1, Mode: Reject})
	refused.Take(t0)
	no := refused.Take(t0)
	no.Cancel(t0)
	if refused.Take(t0).OK {
		t.Error("cancelling a refusal made room")
	}
}

// Takes and cancellations at random moments: those that go are never closer than
// 1/T, a cancelled slot whose moment is to come goes to the next who asks, and what
// cancelled slots that are past may cost is less than one interval.
func TestCancelModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const interval = 1000 // ns
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		l, t0 := mustNewIn(t, Rule{Rate: 1e9 / interval}), time.Now()
		var held, open []int64 // moments that are taken, and that were given back; ascending
		grants := map[int64]Grant{}
		now := int64(0)
		for range 500 {
			now += rng.Int64N(interval)
			at := t0.Add(time.Duration(now))
			if n := len(held); n > 0 && rng.IntN(2) == 0 {
				i := n - 1 - rng.IntN(min(n, 20))
				g := grants[held[i]]
				g.Cancel(at)
				j, _ := slices.BinarySearch(open, held[i])
				open = slices.Insert(open, j, held[i])
				held = slices.Delete(held, i, i+1)
				continue
			}
			for range rng.IntN(4) {
				g := l.Take(at)
				slot := now + int64(g.Wait)
				i, taken := slices.BinarySearch(held, slot)
				if taken || i > 0 && slot-held[i-1] < interval || i < len(held) && held[i]-slot < interval {
					t.Fatalf("slot %d is too close to %v", slot, held[max(0, i-1):min(i+1, len(held))])
				}
				open = slices.DeleteFunc(open, func(s int64) bool { return s < now })
				if len(open) > 0 && slot > open[0] {
					t.Fatalf("slot %d, although %d was given back", slot, open[0])
				}
				open = slices.DeleteFunc(open, func(s int64) bool { return s < slot+interval })
				last := int64(0)
				if len(held) > 0 {
					last = held[len(held)-1]
				}
				if slot > max(now, last)+interval {
					t.Fatalf("slot %d at %d, after %d", slot, now, last)
				}
				held = slices.Insert(held, i, slot)
				grants[slot] = g
			}
		}
	})
}
