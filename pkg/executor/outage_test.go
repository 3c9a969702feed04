package executor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// outage is a respond function under which all hosts fail between two times after the start.
func outage(start time.Time, from, to time.Duration) func(*world, Item[string]) Outcome[string] {
	return func(_ *world, _ Item[string]) Outcome[string] {
		hang(100 * time.Millisecond)
		if at := time.Since(start); at > from && at < to {
			return down()
		}
		return Outcome[string]{}
	}
}

// recalled pauses a scan between two times after its start and takes back what failed since a third.
func recalled(e *Executor[string], w *world, start time.Time, since, from, to time.Duration) {
	hang(time.Until(start.Add(from)))
	e.Pause()
	hang(time.Until(start.Add(to)))
	w.undo()
	e.Recall(start.Add(since))
	e.Resume()
}

// All hosts fail at once for ten seconds, in the middle and at the end of their items: nothing is lost by it, not even the
// hosts that were found dead.
func TestRecallLosesNothing(t *testing.T) {
	for _, checks := range []int{5, 100} {
		for _, trips := range []int{1, 5} {
			w := newWorld()
			w.maxTrips, w.cooldown = trips, time.Second
			cfg := w.config()
			cfg.Checks, cfg.Doubt = checks, 3*time.Second
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				w.respond = outage(start, 250*time.Millisecond, 12*time.Second)
				e, _ := New(cfg)
				go recalled(e, w, start, 250*time.Millisecond, 3*time.Second, 12*time.Second)
				tally, err := e.Run(t.Context(), list(hosts("h", 4)...))
				wantSum(t, tally)
				if tally.Done != int64(4*checks) || err != nil || len(w.failed) > 0 {
					t.Errorf("%d checks, dead after %d trips: tally %+v, failed %v; want all done", checks, trips, tally, w.failed)
				}
			})
		}
	}
}

// An attempt that was spent in an outage is given back, an earlier one is not.
func TestRecallGivesAttemptsBack(t *testing.T) {
	w := newWorld()
	w.max = 100
	cfg := w.config()
	cfg.Checks, cfg.Doubt, cfg.HostConcurrency = 2, 3*time.Second, 1
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var attempts []int
		w.respond = func(_ *world, item Item[string]) Outcome[string] {
			hang(100 * time.Millisecond)
			if item.Target != "a" || item.Check > 0 || item.Attempt > 2 {
				return Outcome[string]{}
			}
			attempts = append(attempts, item.Attempt)
			out := down()
			out.At = time.Now().Add(time.Second)
			return out
		}
		e, _ := New(cfg)
		go recalled(e, w, start, time.Second, 1300*time.Millisecond, 5*time.Second)
		tally, _ := e.Run(t.Context(), list("a", "b"))
		// Failed at 0.1 s and at 1.2 s, and the other items were done in between. The outage took the second.
		if want := []int{1, 2, 2}; !slices.Equal(attempts, want) || tally.Done != 4 {
			t.Errorf("attempts that failed: %v, want %v; tally %+v", attempts, want, tally)
		}
	})
}

// Without an outage a failure is told at most Config.Doubt later, and at once when a host answers.
func TestDoubtEnds(t *testing.T) {
	for _, test := range []struct {
		others int
		answer time.Duration // when one of the others answers what is sent then
		want   time.Duration
	}{
		{others: 0, want: time.Second},                               // nothing to tell an outage by
		{others: 2, answer: 20 * time.Second, want: 4 * time.Second}, // the doubt has run out
		{others: 2, answer: 2 * time.Second, want: 2 * time.Second},
	} {
		w := newWorld()
		cfg := w.config()
		cfg.Checks, cfg.Doubt, cfg.HostConcurrency = 3, 3*time.Second, 1
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			w.respond = func(_ *world, item Item[string]) Outcome[string] {
				switch {
				case item.Check == 0:
					return Outcome[string]{}
				case item.Target == "bad":
					hang(time.Until(start.Add(time.Second)))
					return down()
				}
				hang(time.Until(start.Add(test.answer))) // and the last is sent then, and answered at once
				return Outcome[string]{}
			}
			var told time.Duration
			cfg.Failed = func(Failure[string]) { told = time.Since(start) }
			e, _ := New(cfg)
			tally, _ := e.Run(t.Context(), list(append(hosts("h", test.others), "bad")...))
			wantSum(t, tally)
			if told != test.want || tally.Failed != 2 {
				t.Errorf("%+v: told after %v, want %v; tally %+v", test, told, test.want, tally)
			}
		})
	}
}

// Nothing starts in a pause, the wait for parked hosts stands still, and Ctrl-C works.
func TestPause(t *testing.T) {
	for _, interrupted := range []bool{false, true} {
		w := newWorld()
		cfg := w.config()
		cfg.Checks, cfg.Linger = 100, 15*time.Second
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			var sent []time.Duration
			w.respond = func(w *world, item Item[string]) Outcome[string] {
				w.mu.Lock()
				sent = append(sent, time.Since(start))
				w.mu.Unlock()
				hang(100 * time.Millisecond)
				if item.Target == "flaky" && time.Since(start) < time.Minute {
					return down()
				}
				return Outcome[string]{}
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			e, _ := New(cfg)
			go func() {
				hang(time.Second)
				e.Pause()
				hang(time.Minute)
				if interrupted {
					cancel()
				} else {
					e.Resume()
				}
			}()
			tally, err := e.Run(ctx, list("good", "flaky"))
			wantSum(t, tally)
			for _, at := range sent {
				if at > time.Second && at < 61*time.Second {
					t.Errorf("sent after %v, in the pause", at)
				}
			}
			if interrupted != errors.Is(err, context.Canceled) || !interrupted && tally.Done != 200 {
				t.Errorf("interrupted %v: tally %+v, error %v", interrupted, tally, err)
			}
		})
	}
}

func TestLimitsCanBeLoweredAndRaised(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Checks = 100
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		most := map[time.Duration]int{}
		w.respond = func(w *world, _ Item[string]) Outcome[string] {
			w.mu.Lock()
			second := time.Since(start).Truncate(time.Second)
			most[second] = max(most[second], w.all)
			w.mu.Unlock()
			hang(90 * time.Millisecond)
			return Outcome[string]{}
		}
		e, _ := New(cfg)
		go func() {
			hang(950 * time.Millisecond)
			e.SetLimits(2, 1)
			hang(1100 * time.Millisecond)
			e.SetLimits(1000, 1000) // never more than the configuration allows
		}()
		tally, _ := e.Run(t.Context(), list(hosts("h", 5)...))
		wantSum(t, tally)
		if most[0] != 10 || most[time.Second] != 2 || most[3*time.Second] != 10 || tally.Done != 500 {
			t.Errorf("most in flight by second: %v, tally %+v", most, tally)
		}
	})
}

// What was under way when an outage was taken back belongs to it, even when it fails later.
func TestLateFailuresBelongToTheOutage(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Checks, cfg.Doubt = 1, 3*time.Second
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w.respond = func(_ *world, item Item[string]) Outcome[string] {
			if item.Sends > 1 {
				return Outcome[string]{}
			}
			hang(3 * time.Second)
			return down()
		}
		e, _ := New(cfg)
		go recalled(e, w, start, 0, time.Second, 2*time.Second)
		tally, _ := e.Run(t.Context(), list(hosts("h", 3)...))
		if wantSum(t, tally); tally.Done != 3 {
			t.Errorf("tally %+v, failed %v; want 3 done", tally, w.failed)
		}
	})
}

// Calls that fail at the end of a scan are doubted, but they do not make the wait for parked hosts begin anew.
func TestDoubtDoesNotProlongTheWait(t *testing.T) {
	w := newWorld()
	w.maxTrips, w.cooldown = 1_000_000, 10*time.Second // which never get dead
	cfg := w.config()
	cfg.Checks, cfg.Doubt, cfg.Linger = 10, 3*time.Second, 25*time.Second
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w.respond = func(_ *world, item Item[string]) Outcome[string] {
			hang(100 * time.Millisecond)
			if strings.HasPrefix(item.Target, "lost") && time.Since(start) > 250*time.Millisecond {
				return down()
			}
			return Outcome[string]{}
		}
		e, _ := New(cfg)
		defer time.AfterFunc(10*time.Minute, func() { e.Stop("too long", nil) }).Stop()
		tally, _ := e.Run(t.Context(), list(append(hosts("lost", 4), "good")...))
		wantSum(t, tally)
		if took := time.Since(start); took > time.Minute {
			t.Errorf("took %v, skipped %+v; want less than a minute", took, w.skipped)
		}
	})
}

// Where hosts are not called again, those that an outage made quarantined go on all the same; one that is quarantined by
// itself is not called, also when its cooldown ends before the doubt.
func TestRecallWithoutRevisits(t *testing.T) {
	w := newWorld()
	w.cooldown = time.Second
	cfg := w.config()
	cfg.Checks, cfg.Doubt, cfg.NoRevisit = 50, 3*time.Second, true
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		failing := outage(start, 250*time.Millisecond, 12*time.Second)
		w.respond = func(w *world, item Item[string]) Outcome[string] {
			if item.Target == "dead" {
				hang(100 * time.Millisecond)
				return down()
			}
			return failing(w, item)
		}
		e, _ := New(cfg)
		go recalled(e, w, start, 250*time.Millisecond, time.Second, 12*time.Second)
		tally, err := e.Run(t.Context(), list(append(hosts("h", 4), "dead")...))
		wantSum(t, tally)
		if tally.Done != 200 || err != nil || tally.Skipped != 50 || len(w.failed) > 0 {
			t.Errorf("tally %+v, failed %v, skipped %v; want the items of all but the dead host done", tally, w.failed, w.skipped)
		}
		calls := 0
		for _, run := range w.runs {
			if strings.HasPrefix(run, "dead#") {
				calls++
			}
		}
		if calls > 6 { // a first contact, once more after it was undone
			t.Errorf("%d calls of the dead host, want at most 6", calls)
		}
	})
}
