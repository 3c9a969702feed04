package executor

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// timeline is a respond function under which a host fails until the given time after the start.
func timeline(start *time.Time, downFor map[string]time.Duration) func(*world, Item[string]) Outcome[string] {
	return func(_ *world, item Item[string]) Outcome[string] {
		hang(10 * time.Millisecond)
		if time.Since(*start) < downFor[hostOf(item.Target)] {
			return down()
		}
		return Outcome[string]{}
	}
}

// github.com/projectdiscovery/nuclei/issues/5234: a host trips, comes back, and gets the rest of its checks.
func TestHostThatComesBackGetsAllItsItems(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Checks = 8
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w.respond = timeline(&start, map[string]time.Duration{"flaky": 13 * time.Second})
		e, _ := New(cfg)
		tally, err := e.Run(t.Context(), list("flaky", "good"))
		wantSum(t, tally)
		if tally.Done != 16 || err != nil {
			t.Errorf("tally %+v, error %v; want 16 done", tally, err)
		}
		// Three in the first contact, a probe at 10 s, a probe at 20 s, then the other seven.
		var flaky []string
		for _, r := range w.runs {
			if strings.HasPrefix(r, "flaky") {
				flaky = append(flaky, r)
			}
		}
		if len(flaky) != 3+1+1+7 {
			t.Errorf("runs of the flaky host: %v, want 12", flaky)
		}
		if !slices.Contains(w.ended, "flaky") || !slices.Contains(w.ended, "good") {
			t.Errorf("ended %v, want both hosts", w.ended)
		}
	})
}

// An item of a quarantined host costs neither a worker nor a run.
func TestDroppedItemsCostNothing(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Checks = 100
	cfg.Host = func(target string) string {
		if b := w.breaker("dead"); !b.open {
			b.open, b.until = true, time.Now().Add(1000*time.Hour)
		}
		return hostOf(target)
	}
	scan(t, cfg, func(tally Tally, _ error) {
		if len(w.runs) != 0 {
			t.Errorf("runs %v, want none", w.runs)
		}
		if len(w.skipped) != 1 || w.skipped[0].Reason != Quarantined || w.skipped[0].Items() != 100 {
			t.Errorf("skipped %+v, want 100 items of a quarantined host", w.skipped)
		}
	}, "dead")
}

// After the cooldown one item goes out alone, an untried one; the others follow its success.
func TestOneProbeAlone(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Checks = 6
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var probes []string
		w.respond = func(w *world, item Item[string]) Outcome[string] {
			if item.Probe {
				w.mu.Lock()
				probes = append(probes, fmt.Sprintf("#%d with %d in flight", item.Check, w.all))
				w.mu.Unlock()
				hang(5 * time.Second)
			}
			if time.Since(start) < 5*time.Second {
				return down()
			}
			return Outcome[string]{}
		}
		// It has answered nothing, so what it tried in vain in the first contact counts as untried again.
		e, _ := New(cfg)
		tally, _ := e.Run(t.Context(), list("h"))
		if tally.Done != 6 || !slices.Equal(probes, []string{"#0 with 1 in flight"}) {
			t.Errorf("probes %v, tally %+v; want one probe alone and 6 done", probes, tally)
		}
	})
}

func TestDeadHostIsSkippedAsDead(t *testing.T) {
	w := newWorld()
	w.maxTrips = 2
	w.respond = func(*world, Item[string]) Outcome[string] { return down() }
	cfg := w.config()
	cfg.Checks = 10
	scan(t, cfg, func(tally Tally, _ error) {
		if tally.Skipped != 10 || len(w.skipped) != 1 || w.skipped[0].Reason != Dead || w.skipped[0].Err != errDown {
			t.Errorf("tally %+v, skipped %+v; want 10 items of a dead host with its error", tally, w.skipped)
		}
		if len(w.runs) != 3+2 {
			t.Errorf("runs %v, want 3 in the first contact and 2 probes", w.runs)
		}
		if last := w.runs[len(w.runs)-1]; last != "h#-1" {
			t.Errorf("the last call was %s, want a plain probe", last)
		}
	}, "h")
}

func TestNoRevisitMakesAQuarantineFinal(t *testing.T) {
	w := newWorld()
	w.respond = func(*world, Item[string]) Outcome[string] { return down() }
	cfg := w.config()
	cfg.Checks, cfg.NoRevisit = 10, true
	scan(t, cfg, func(tally Tally, _ error) {
		if len(w.runs) != 3 || tally.Skipped != 10 || w.skipped[0].Reason != Quarantined {
			t.Errorf("runs %v, skipped %+v; want 3 and one quarantine", w.runs, w.skipped)
		}
	}, "h")
}

// github.com/projectdiscovery/nuclei/issues/3165: one payload makes a firewall reset the connection every time. The item
// fails; its host lives.
func TestPoisonedItemFailsAndItsHostLives(t *testing.T) {
	for _, checks := range []int{1, 4, 40} {
		w := newWorld()
		w.respond = func(_ *world, item Item[string]) Outcome[string] {
			hang(time.Second)
			if item.Check == checks-1 {
				return down()
			}
			return Outcome[string]{}
		}
		cfg := w.config()
		cfg.Checks = checks
		scan(t, cfg, func(tally Tally, _ error) {
			if tally.Failed != 1 || tally.Done != int64(checks-1) || w.breaker("h").dead {
				t.Errorf("%d checks: tally %+v, dead %v; want one failed", checks, tally, w.breaker("h").dead)
			}
		}, "h")
	}
}

// More poisoned items than the breaker takes in a row make the host trip again and again, but not for ever, and the
// plain probe keeps it from being dead.
func TestManyPoisonedItemsEnd(t *testing.T) {
	w := newWorld()
	w.respond = func(_ *world, item Item[string]) Outcome[string] {
		if item.Check >= 10 {
			return down()
		}
		return Outcome[string]{}
	}
	cfg := w.config()
	cfg.Checks = 20
	scan(t, cfg, func(tally Tally, _ error) {
		if tally.Done != 10 || tally.Failed != 10 || w.breaker("h").dead {
			t.Errorf("tally %+v, dead %v; want 10 done and 10 failed", tally, w.breaker("h").dead)
		}
	}, "h")
}

// Three items of a flaky host fail and trip it; it comes back: those three are done too.
func TestSuspectsAreGivenBackOnATrip(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Checks = 30
	cfg.HostConcurrency = 1
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w.respond = func(_ *world, item Item[string]) Outcome[string] {
			hang(time.Second)
			if at := time.Since(start); at > 5*time.Second && at < 15*time.Second {
				return down()
			}
			return Outcome[string]{}
		}
		e, _ := New(cfg)
		tally, _ := e.Run(t.Context(), list("flaky"))
		if tally.Done != 30 || len(w.failed) != 0 {
			t.Errorf("tally %+v, failed %v; want 30 done", tally, w.failed)
		}
	})
}

// The same without a trip: a later success shows that the items failed, not the host.
func TestSuspectsFailOnASuccess(t *testing.T) {
	w := newWorld()
	w.respond = func(_ *world, item Item[string]) Outcome[string] {
		if item.Check == 2 || item.Check == 3 {
			return down()
		}
		return Outcome[string]{}
	}
	cfg := w.config()
	cfg.Checks, cfg.HostConcurrency = 6, 1
	scan(t, cfg, func(tally Tally, _ error) {
		want := []string{"h#2 x1: down", "h#3 x1: down"}
		if tally.Failed != 2 || !slices.Equal(w.failed, want) {
			t.Errorf("failed %v, want %v", w.failed, want)
		}
	}, "h")
}

// And when the host has nothing else to send.
func TestSuspectsFailAtTheEndOfTheirHost(t *testing.T) {
	w := newWorld()
	w.respond = func(*world, Item[string]) Outcome[string] { return down() }
	cfg := w.config()
	cfg.Checks = 2
	scan(t, cfg, func(tally Tally, _ error) {
		if tally.Failed != 2 || len(w.runs) != 2 {
			t.Errorf("tally %+v after runs %v, want 2 failed after 2 runs", tally, w.runs)
		}
	}, "h")
}

// A failed probe spends no attempt of the item that carried it, and the sum of the runs is kept.
func TestFailedProbeSpendsNoAttempt(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	var attempts, sends []int
	cfg.Checks, cfg.FirstContact = 1, 1
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w.respond = func(_ *world, item Item[string]) Outcome[string] {
			attempts, sends = append(attempts, item.Attempt), append(sends, item.Sends)
			if time.Since(start) < 25*time.Second {
				return down()
			}
			return Outcome[string]{}
		}
		e, _ := New(cfg)
		tally, _ := e.Run(t.Context(), list("h"))
		if tally.Done != 1 || !slices.Equal(attempts, []int{1, 1, 1, 1}) || !slices.Equal(sends, []int{1, 2, 3, 4}) {
			t.Errorf("tally %+v, attempts %v, sends %v; want 1 done in attempt 1 of 4 sends", tally, attempts, sends)
		}
	})
}

func TestRetriesSpendAttempts(t *testing.T) {
	w := newWorld()
	w.max = 100
	cfg := w.config()
	cfg.FirstContact, cfg.Checks = 0, 1
	var attempts []int
	w.respond = func(_ *world, item Item[string]) Outcome[string] {
		attempts = append(attempts, item.Attempt)
		if item.Attempt < 3 {
			return Outcome[string]{Kind: HostError, Err: errDown, At: time.Now().Add(time.Second)}
		}
		return down()
	}
	scan(t, cfg, func(tally Tally, _ error) {
		if !slices.Equal(attempts, []int{1, 2, 3}) || tally.Failed != 1 {
			t.Errorf("attempts %v, tally %+v; want 3 attempts and a failure", attempts, tally)
		}
	}, "h")
}
