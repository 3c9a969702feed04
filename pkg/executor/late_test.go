package executor

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A run may learn of another host's breaker that nothing of its target will ever be admitted: two candidates of a name
// that are dead, say. The item must not wait for ever.
func TestNeverAdmittedIsDead(t *testing.T) {
	for _, probe := range []bool{false, true} {
		w := newWorld()
		cfg := w.config()
		cfg.Checks = 3
		refuse := func(context.Context, Item[string], *Turn) Outcome[string] {
			return Outcome[string]{Kind: NotAdmitted, Err: errDown, At: time.Now().Add(100 * 365 * 24 * time.Hour)}
		}
		if cfg.Run = refuse; probe {
			cfg.Run, cfg.Probe, cfg.LastCall = w.run, refuse, func(string) bool { return true }
			w.respond = func(*world, Item[string]) Outcome[string] { return down() }
		}
		scan(t, cfg, func(tally Tally, _ error) {
			if tally.Skipped != 3 || w.skipped[0].Reason != Dead {
				t.Errorf("probe %v: tally %+v, skipped %+v; want 3 items of a dead host", probe, tally, w.skipped)
			}
		}, "h")
	}
}

// An answer to a request that was sent before the trip says nothing, also when the host has been woken meanwhile: the call
// goes out alone.
func TestLateAnswerDoesNotOpenTheWindow(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Checks, cfg.Linger = 12, 15*time.Second
	var late atomic.Bool
	w.respond = func(_ *world, item Item[string]) Outcome[string] {
		if late.Swap(false) && !item.Probe {
			t.Errorf("check %d follows the late answer, want a call", item.Check)
		}
		switch {
		case item.Check == 3: // sent before the trip, answered after the cooldown
			hang(15 * time.Second)
			late.Store(true)
		case item.Check >= 4 && item.Check <= 6 && item.Sends == 1:
			hang(time.Second)
			return down()
		default:
			hang(2 * time.Second)
		}
		return Outcome[string]{}
	}
	scan(t, cfg, func(tally Tally, _ error) {
		if tally.Done != 12 {
			t.Errorf("tally %+v, runs %v, skipped %+v; want all done", tally, w.runs, w.skipped)
		}
	}, "h")
}

// A host that was parked because somebody else called it is asked again when one of its items ends, not at the end of the
// other's time.
func TestParkedHostIsAskedAgainWhenItsItemEnds(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Checks, cfg.Linger = 8, time.Minute
	var other atomic.Pointer[time.Time] // until then somebody else is taken to be calling
	quarantined := func(string) bool {
		until := other.Load()
		return until != nil && time.Now().Before(*until)
	}
	cfg.Quarantined = quarantined
	cfg.NextAdmit = func(host string, now time.Time) time.Time {
		if quarantined(host) {
			return now.Add(time.Hour)
		}
		return now
	}
	w.respond = func(_ *world, item Item[string]) Outcome[string] {
		if item.Check == 1 {
			until := time.Now().Add(2 * time.Second)
			other.Store(&until)
			hang(5 * time.Second)
			return Outcome[string]{}
		}
		hang(time.Second)
		return Outcome[string]{}
	}
	scan(t, cfg, func(tally Tally, _ error) {
		if tally.Done != 8 {
			t.Errorf("tally %+v, skipped %+v; want all done", tally, w.skipped)
		}
	}, "h")
}

// An item that failed before its host served another one is an item of a host that was served.
func TestLossIsToldWheneverTheHostWasServed(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Checks = 3
	w.respond = func(_ *world, item Item[string]) Outcome[string] {
		if item.Check == 0 && strings.HasPrefix(item.Target, "a") {
			return Outcome[string]{Kind: CheckError, Err: errDown}
		}
		if item.Check == 0 {
			return down()
		}
		return Outcome[string]{}
	}
	scan(t, cfg, func(tally Tally, _ error) {
		if tally.Failed != 2 || tally.Lost != 2 {
			t.Errorf("tally %+v, want 2 items lost by hosts that served others", tally)
		}
	}, "a", "b")
}

// A pace gives new hosts their turns, however much those that answer have left.
func TestPaceIsSharedWithNewHosts(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Checks = 20
	next := time.Now()
	cfg.Pace = func(now time.Time) (time.Time, int) {
		if now.Before(next) {
			return next, 0
		}
		next = now.Add(100 * time.Millisecond)
		return now, 1
	}
	w.respond = func(*world, Item[string]) Outcome[string] {
		hang(time.Millisecond)
		return Outcome[string]{}
	}
	scan(t, cfg, func(tally Tally, _ error) {
		if i := slices.Index(w.runs, "c#0"); i < 0 || i > 6 {
			t.Errorf("the third host's first item was number %d, want it among the first: %v", i, w.runs)
		}
	}, "a", "b", "c")
}

// A host that holds all the targets it may keeps the reader only until it is through with one of them.
func TestFullHostLetsTheReaderGoOn(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.MaxBacklog, cfg.HostConcurrency = 2, 1
	w.respond = func(*world, Item[string]) Outcome[string] {
		hang(time.Second)
		return Outcome[string]{}
	}
	scan(t, cfg, func(tally Tally, _ error) {
		if i := slices.Index(w.runs, "b#0"); i > 3 || tally.Hosts != 2 {
			t.Errorf("tally %+v, order %v; want the second host read as soon as there is room", tally, w.runs)
		}
	}, "a/0", "a/1", "a/2", "b")
}

// While a call is under way, hosts whose own call is further off are not given up: the scan may go on for long.
func TestFarCallsOutlastACallUnderWay(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Linger, cfg.Checks = 20*time.Second, 9
	at := map[string]time.Duration{"near": 10 * time.Second, "far": 40 * time.Second}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		cfg.Quarantined = func(host string) bool {
			return time.Since(start) > 0 && time.Since(start) < at[host]
		}
		cfg.NextAdmit = func(host string, now time.Time) time.Time { return start.Add(at[host]) }
		w.respond = func(_ *world, item Item[string]) Outcome[string] {
			hang(8 * time.Second)
			return Outcome[string]{}
		}
		hang(time.Second)
		e, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		tally, err := e.Run(t.Context(), list("near", "far"))
		wantSum(t, tally)
		if err != nil || tally.Done != 18 {
			t.Errorf("error %v, tally %+v, skipped %+v; want both hosts done", err, tally, w.skipped)
		}
	})
}

// An answer to a request that was under way already when another failed does not show that the host was well.
func TestAnswerToAnEarlierRequestDecidesNothing(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Checks = 12
	w.max = 5
	var mu sync.Mutex
	var back time.Time
	w.respond = func(_ *world, item Item[string]) Outcome[string] {
		if item.Check < 3 { // the window grows to 4
			return Outcome[string]{}
		}
		mu.Lock()
		if back.IsZero() {
			back = time.Now().Add(15 * time.Second)
		}
		until := back
		mu.Unlock()
		if item.Check == 3 && item.Sends == 1 {
			hang(1500 * time.Millisecond) // three others have failed meanwhile
			return Outcome[string]{}
		}
		hang(time.Second)
		if time.Now().Before(until) {
			return down()
		}
		return Outcome[string]{}
	}
	scan(t, cfg, func(tally Tally, _ error) {
		if tally.Done != 12 {
			t.Errorf("tally %+v, failed %v; want all done", tally, w.failed)
		}
	}, "h")
}
