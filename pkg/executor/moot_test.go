package executor

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// elsewhere makes every second check one that asks somebody else, past the breaker.
func elsewhere(w *world) Config[string] {
	cfg := w.config()
	cfg.Checks = 8
	cfg.Run = func(ctx context.Context, item Item[string], turn *Turn) Outcome[string] {
		if item.Check%2 == 1 {
			return Outcome[string]{Kind: Moot}
		}
		return w.run(ctx, item, turn)
	}
	return cfg
}

// What somebody else answers is no sign of life: a dead host gets its first contact and its calls as ever, and what it did not do is not
// taken for a loss of a host that serves.
func TestMootIsNoSignOfLife(t *testing.T) {
	w := newWorld()
	cfg := elsewhere(w)
	synctest.Test(t, func(t *testing.T) {
		w.respond = func(*world, Item[string]) Outcome[string] { return down() }
		e, _ := New(cfg)
		tally, err := e.Run(t.Context(), list("dead"))
		wantSum(t, tally)
		// The last one stands behind a check that the host is called with again and again.
		if tally.Done != 3 || tally.Skipped != 5 || tally.Lost != 0 || err != nil {
			t.Errorf("tally %+v, %v; want 3 done, 5 skipped and none lost", tally, err)
		}
		if b := w.breaker("dead"); !b.dead || len(w.runs) != 3+w.maxTrips {
			t.Errorf("%d runs, dead %v; want a first contact of 3 and %d calls", len(w.runs), b.dead, w.maxTrips)
		}
	})
}

// A host that comes back gets what is left, though an item that asks somebody else came in the place of its call.
func TestMootDoesNotRecover(t *testing.T) {
	w := newWorld()
	cfg := elsewhere(w)
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w.respond = timeline(&start, map[string]time.Duration{"flaky": 13 * time.Second})
		e, _ := New(cfg)
		tally, err := e.Run(t.Context(), list("flaky", "good"))
		wantSum(t, tally)
		if tally.Done != 16 || err != nil {
			t.Errorf("tally %+v, %v; want 16 done", tally, err)
		}
		runs := 0
		for _, r := range w.runs {
			if strings.HasPrefix(r, "flaky") {
				runs++
			}
		}
		if runs != 3+1+1+3 { // the first contact, the calls at 10 s and 20 s, and what is left
			t.Errorf("%d runs of the flaky host: %v, want 8", runs, w.runs)
		}
	})
}

// The window of a host does not grow by what others answer.
func TestMootKeepsTheFirstContact(t *testing.T) {
	w := newWorld()
	cfg := elsewhere(w)
	synctest.Test(t, func(t *testing.T) {
		w.respond = func(w *world, _ Item[string]) Outcome[string] {
			hang(time.Second)
			return Outcome[string]{}
		}
		e, _ := New(cfg)
		started := time.Now()
		if tally, err := e.Run(t.Context(), list("one")); err != nil || tally.Done != 8 {
			t.Errorf("tally %+v, %v", tally, err)
		}
		// One alone, then two, then the last.
		if took := time.Since(started); took != 3*time.Second || w.maxIn["one"] != 2 {
			t.Errorf("took %v with %d at once, want 3s with 2", took, w.maxIn["one"])
		}
	})
}
