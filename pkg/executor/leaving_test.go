package executor

import (
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// A host that was given up and is read again has items of before in flight, which count for it too.
func TestHostReadAgainKeepsItsConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.respond = func(_ *world, item Item[string]) Outcome[string] {
			switch {
			case item.Check == 0:
				return Outcome[string]{}
			case item.Target == "h/b":
				hang(time.Second)
			case item.Check == 2:
				hang(10 * time.Second)
			default:
				hang(time.Second)
				return Outcome[string]{Kind: Abandon, Reason: NoRoute, Err: errDown}
			}
			return Outcome[string]{}
		}
		cfg := w.config()
		cfg.Checks, cfg.HostConcurrency = 5, 2
		e, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		again := list("h/b")
		first := list("h/a")
		tally, _ := e.Run(t.Context(), func() (string, error) {
			target, err := first()
			if err == io.EOF {
				hang(2 * time.Second)
				return again()
			}
			return target, err
		})
		wantSum(t, tally)
		if w.maxIn["h"] != 2 || tally.Done != 7 {
			t.Errorf("%d in flight at once, %+v; want 2, and 7 items done", w.maxIn["h"], tally)
		}
		if took := time.Since(start); took != 10*time.Second {
			t.Errorf("took %v, want the 10s of the longest item: what has room goes on beside it", took)
		}
	})
}
