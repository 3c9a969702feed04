package executor

import (
	"slices"
	"testing"
)

// An item with nothing to ask is done, and no answer: what its host loses is told by the others.
func TestMootItemsAreNoAnswer(t *testing.T) {
	for _, row := range []struct {
		others Kind
		lost   int64
	}{{CheckError, 0}, {Done, 1}} {
		w := newWorld()
		w.respond = func(_ *world, item Item[string]) Outcome[string] {
			switch item.Check {
			case 0:
				return Outcome[string]{Kind: Moot}
			case 1:
				return Outcome[string]{Kind: CheckError}
			}
			return Outcome[string]{Kind: row.others}
		}
		cfg := w.config()
		cfg.Checks, cfg.HostConcurrency = 3, 1
		scan(t, cfg, func(tally Tally, _ error) {
			if tally.Lost != row.lost || tally.Done+tally.Failed != 3 || tally.Done < 1 {
				t.Errorf("tally %+v, want %d lost", tally, row.lost)
			}
		}, "h")
	}
}

// github.com/go-resty/resty/issues/777: an item that may have had its effect runs once, though its host trips and comes
// back, and its error counts against the host as any other.
func TestSpentItemsRunOnce(t *testing.T) {
	w := newWorld()
	w.respond = func(_ *world, item Item[string]) Outcome[string] {
		if item.Check < 4 {
			out := down()
			out.Spent = true
			return out
		}
		return Outcome[string]{}
	}
	cfg := w.config()
	cfg.Checks, cfg.HostConcurrency = 6, 1
	scan(t, cfg, func(tally Tally, _ error) {
		want := []string{"h#0", "h#1", "h#2", "h#3", "h#4", "h#5"}
		if !slices.Equal(w.runs, want) || tally.Failed != 4 || tally.Done != 2 {
			t.Errorf("runs %v, tally %+v; want each once, 4 failed", w.runs, tally)
		}
		if b := w.breaker("h"); b.open {
			t.Error("the host is quarantined at the end, want one that came back")
		}
	}, "h")
}
