package executor

import (
	"slices"
	"testing"
)

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
