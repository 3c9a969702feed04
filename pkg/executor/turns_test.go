package executor

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestHostsTakeTurnsInExactOrder(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Concurrency, cfg.DialConcurrency, cfg.Checks = 1, 1, 3
	w.respond = func(*world, Item[string]) Outcome[string] {
		hang(time.Second)
		return Outcome[string]{}
	}
	scan(t, cfg, func(Tally, error) {
		want := []string{"a#0", "b#0", "c#0", "a#1", "b#1", "c#1", "a#2", "b#2", "c#2"}
		if !slices.Equal(w.runs, want) {
			t.Errorf("order %v, want %v", w.runs, want)
		}
	}, "a", "b", "c")
}

func TestBoundsHold(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Checks = 20
	w.respond = func(_ *world, item Item[string]) Outcome[string] {
		hang(time.Duration(item.Check%3+1) * time.Second)
		return Outcome[string]{}
	}
	scan(t, cfg, func(tally Tally, _ error) {
		if tally.Done != tally.Items {
			t.Errorf("tally %+v, want all done", tally)
		}
		if w.most != 10 {
			t.Errorf("%d items in flight at most, want the concurrency of 10", w.most)
		}
		for host, n := range w.maxIn {
			if n > 4 {
				t.Errorf("%d items of %s in flight, want 4 at most", n, host)
			}
		}
	}, hosts("h", 6)...)
}

func TestWindowGrowsWithEachAnswer(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Checks = 12
	var inFlight []int
	w.respond = func(w *world, item Item[string]) Outcome[string] {
		w.mu.Lock()
		inFlight = append(inFlight, w.inflight["h"])
		w.mu.Unlock()
		hang(time.Second)
		return Outcome[string]{}
	}
	scan(t, cfg, func(Tally, error) {
		want := []int{1, 1, 2, 1, 2, 3, 4} // one alone; then two; then as many as may
		if !slices.Equal(inFlight[:3], want[:3]) || slices.Max(inFlight) != 4 {
			t.Errorf("items in flight at each start: %v, want one, then two, then up to 4", inFlight)
		}
	}, "h")
}

// 15 hosts are held for a minute; with 150 workers all others run on, and no worker is held.
func TestHeldHostsHoldNoWorker(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Concurrency, cfg.HostConcurrency, cfg.Checks = 150, 10, 20
	held := hosts("held", 15)
	began := make(map[string]time.Time)
	nextAdmit := cfg.NextAdmit
	start := time.Time{}
	cfg.NextAdmit = func(host string, now time.Time) time.Time {
		if slices.Contains(held, host) {
			return start.Add(time.Minute)
		}
		return nextAdmit(host, now)
	}
	w.respond = func(w *world, item Item[string]) Outcome[string] {
		w.mu.Lock()
		began[item.Target] = time.Now()
		w.mu.Unlock()
		hang(time.Second)
		return Outcome[string]{}
	}
	synctest.Test(t, func(t *testing.T) {
		start = time.Now()
		e, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		tally, _ := e.Run(t.Context(), list(append(held, hosts("free", 100)...)...))
		wantSum(t, tally)
		if tally.Done != tally.Items {
			t.Errorf("tally %+v, want all done", tally)
		}
		for host, at := range began {
			after := at.Sub(start)
			if isHeld := slices.Contains(held, host); isHeld && after < time.Minute || !isHeld && after > 30*time.Second {
				t.Errorf("%s: last start after %v", host, after)
			}
		}
	})
}

// A run that waits in its middle gives its worker to another item and comes back with one.
func TestWaitInMidRunGivesTheWorkerBack(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Concurrency, cfg.HostConcurrency, cfg.DialConcurrency = 1, 1, 1
	var order []string
	note := func(s string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		order = append(order, s)
	}
	cfg.Run = func(ctx context.Context, item Item[string], turn *Turn) Outcome[string] {
		if err := turn.Dialed(ctx); err != nil {
			return Outcome[string]{Kind: CheckError, Err: err}
		}
		note(item.Target + " starts")
		if item.Target == "patient" {
			if err := turn.Wait(ctx, time.Now().Add(10*time.Second)); err != nil {
				return Outcome[string]{Kind: CheckError, Err: err}
			}
			note("patient goes on")
			return Outcome[string]{}
		}
		hang(4 * time.Second)
		note(item.Target + " ends")
		return Outcome[string]{}
	}
	scan(t, cfg, func(tally Tally, _ error) {
		want := []string{"patient starts", "b starts", "b ends", "c starts", "c ends", "d starts", "d ends", "patient goes on"}
		if !slices.Equal(order, want) {
			t.Errorf("order %q, want %q", order, want)
		}
	}, "patient", "b", "c", "d")
}

// Hosts that accept and fall silent never take all workers from one that answers.
func TestSilentHostsLeaveWorkers(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Concurrency, cfg.Checks, cfg.Linger = 8, 5, 0
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var last time.Time
		answers := make(chan struct{}, cfg.Checks)
		w.respond = func(w *world, item Item[string]) Outcome[string] {
			if item.Target != "good" {
				hang(time.Minute)
				return down()
			}
			hang(time.Second)
			w.mu.Lock()
			last = time.Now()
			w.mu.Unlock()
			answers <- struct{}{}
			return Outcome[string]{}
		}
		silent := list(hosts("silent", 50)...)
		next := 0
		e, _ := New(cfg)
		tally, _ := e.Run(t.Context(), func() (string, error) {
			switch next++; next {
			case 1:
				return "good", nil
			case 2:
				<-answers // only who has answered is told from the silent
			}
			return silent()
		})
		wantSum(t, tally)
		if got := last.Sub(start); got > 5*time.Second {
			t.Errorf("the living host was done after %v, want 5 s at most", got)
		}
	})
}

func TestPaceLimitsStarts(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Checks = 10
	var next time.Time // one start each 2 s
	var starts []time.Duration
	var start time.Time
	cfg.Pace = func(now time.Time) (time.Time, int) {
		w.mu.Lock()
		defer w.mu.Unlock()
		return next, 1
	}
	w.respond = func(w *world, item Item[string]) Outcome[string] {
		w.mu.Lock()
		defer w.mu.Unlock()
		next = time.Now().Add(2 * time.Second)
		starts = append(starts, time.Since(start))
		return Outcome[string]{}
	}
	synctest.Test(t, func(t *testing.T) {
		start = time.Now()
		next = start
		e, _ := New(cfg)
		tally, _ := e.Run(t.Context(), list("a", "b"))
		wantSum(t, tally)
		for i, at := range starts {
			if want := time.Duration(i) * 2 * time.Second; at != want {
				t.Errorf("start %d after %v, want %v", i, at, want)
			}
		}
	})
}
