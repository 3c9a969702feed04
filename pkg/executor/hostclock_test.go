package executor

import (
	"context"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// A host has its time from the start of its first item, whatever it does with it. What it has in flight then goes on.
func TestHostTimeout(t *testing.T) {
	for _, c := range []struct {
		name    string
		respond func(w *world, item Item[string]) Outcome[string]
		done    int64
		ends    time.Duration // of the scan
	}{
		{"slow", func(*world, Item[string]) Outcome[string] { hang(3 * time.Second); return Outcome[string]{} }, 4, 12 * time.Second},
		{"parked", func(*world, Item[string]) Outcome[string] { return down() }, 0, 11 * time.Second},
		{"held", func(*world, Item[string]) Outcome[string] {
			return Outcome[string]{Kind: NotAdmitted, At: time.Now().Add(time.Hour)}
		}, 0, 11 * time.Second},
		{"nobody's fault", func(*world, Item[string]) Outcome[string] { return Outcome[string]{Kind: Neutral, Err: errDown} }, 0, 11 * time.Second},
		{"retries", func(*world, Item[string]) Outcome[string] {
			return Outcome[string]{Kind: Retry, At: time.Now().Add(4 * time.Second)}
		}, 0, 11 * time.Second},
		{"fast", func(*world, Item[string]) Outcome[string] { hang(time.Second); return Outcome[string]{} }, 9, 9 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld()
			w.respond, w.maxTrips = c.respond, 1000
			cfg := w.config()
			cfg.Checks, cfg.HostConcurrency, cfg.HostTimeout, cfg.Linger = 9, 1, 11*time.Second, time.Hour
			var at time.Duration
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				skipped := cfg.Skipped
				cfg.Skipped = func(s Skipped[string]) { at = time.Since(start); skipped(s) }
				e, _ := New(cfg)
				tally, err := e.Run(t.Context(), list("h"))
				wantSum(t, tally)
				if tally.Done != c.done || tally.Failed != 0 || err != nil || time.Since(start) != c.ends {
					t.Errorf("tally %+v after %v, error %v; want %d done after %v", tally, time.Since(start), err, c.done, c.ends)
				}
				for _, s := range w.skipped {
					if s.Reason != HostTimeout || at != cfg.HostTimeout {
						t.Errorf("%d items skipped as %s after %v, want host-timeout after %v", s.Items(), s.Reason, at, cfg.HostTimeout)
					}
				}
				if lost := map[bool]int64{true: tally.Skipped}[c.done > 0]; tally.Lost != lost {
					t.Errorf("%d items lost, want %d", tally.Lost, lost)
				}
			})
		})
	}
}

// The time of one host is not that of the others, and begins with its first item, not with its line in the list.
func TestHostTimeoutIsOfEachHost(t *testing.T) {
	w := newWorld()
	w.respond = func(_ *world, item Item[string]) Outcome[string] {
		hang(map[string]time.Duration{"slow": 8 * time.Second}[hostOf(item.Target)] + 4*time.Second)
		return Outcome[string]{}
	}
	cfg := w.config()
	cfg.MaxHosts, cfg.HostConcurrency = 1, 1
	cfg.Checks, cfg.HostTimeout = 2, 10*time.Second
	scan(t, cfg, func(tally Tally, _ error) {
		if tally.Done != 7 || len(w.skipped) != 1 || w.skipped[0].Host != "slow" || w.skipped[0].Items() != 1 {
			t.Errorf("tally %+v, skipped %+v; want all done but the second item of the slow host", tally, w.skipped)
		}
	}, "slow", "a", "b", "c")
}

// What the list has of a host after its time is skipped too; a host that only had nothing to do has its time anew.
func TestHostTimeoutIsRemembered(t *testing.T) {
	w := newWorld()
	w.respond = func(_ *world, item Item[string]) Outcome[string] {
		hang(map[string]time.Duration{"slow": 4 * time.Second}[hostOf(item.Target)])
		return Outcome[string]{}
	}
	cfg := w.config()
	cfg.Checks, cfg.HostConcurrency, cfg.HostTimeout = 3, 1, 5*time.Second
	synctest.Test(t, func(t *testing.T) {
		lines := []string{"slow/1", "quick/1", "", "slow/2", "quick/2"}
		e, _ := New(cfg)
		tally, _ := e.Run(t.Context(), func() (string, error) {
			if len(lines) > 0 && lines[0] == "" {
				hang(time.Minute)
				lines = lines[1:]
			}
			if len(lines) == 0 {
				return "", io.EOF
			}
			next := lines[0]
			lines = lines[1:]
			return next, nil
		})
		wantSum(t, tally)
		if tally.Done != 2+6 || tally.Skipped != 4 || tally.Lost != 4 || tally.Hosts != 3 {
			t.Errorf("tally %+v, want 2 items of the slow host done and 4 skipped, and 6 of the quick one, met twice", tally)
		}
	})
}

// A target that goes to a host under its full name finds there what is left of that host's time.
func TestHostTimeoutOfAnotherName(t *testing.T) {
	w := newWorld()
	w.respond = func(_ *world, item Item[string]) Outcome[string] {
		hang(4 * time.Second)
		if item.Target == "bare" {
			named := "h:443"
			return Outcome[string]{Target: &named}
		}
		return Outcome[string]{}
	}
	cfg := w.config()
	cfg.Checks, cfg.HostConcurrency, cfg.HostTimeout, cfg.DialConcurrency = 5, 1, 6*time.Second, 1
	scan(t, cfg, func(tally Tally, _ error) {
		if tally.Done != 3 || tally.Skipped != 7 {
			t.Errorf("tally %+v, want 2 items of the host and 1 of its other name done", tally)
		}
		for _, s := range w.skipped {
			if s.Host != "h:443" || s.Reason != HostTimeout {
				t.Errorf("skipped %+v, want the host-timeout of h:443", s)
			}
		}
	}, "h:443", "bare")
}

// Hosts that have ended do not pile up until their time would be over.
func TestHostClocksLetGo(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.MaxHosts, cfg.HostTimeout = 20, time.Hour
	most := 0
	var e *Executor[string]
	cfg.Run = func(context.Context, Item[string], *Turn) Outcome[string] {
		e.mu.Lock()
		defer e.mu.Unlock()
		most = max(most, len(e.clocks.queue))
		return Outcome[string]{}
	}
	synctest.Test(t, func(t *testing.T) {
		e, _ = New(cfg)
		n := 0
		tally, _ := e.Run(t.Context(), func() (string, error) {
			if n++; n > 10_000 {
				return "", io.EOF
			}
			return fmt.Sprint("h", n), nil
		})
		if tally.Done != 10_000 || most > 2*minHostQueue+20 {
			t.Errorf("tally %+v, up to %d hosts in the queue; want %d at most", tally, most, 2*minHostQueue+20)
		}
	})
}

// A pause of the scan is not the host's time, neither for a host that had begun before nor for one that has an item in flight.
func TestHostTimeoutStandsStillInAPause(t *testing.T) {
	w := newWorld()
	w.respond = func(*world, Item[string]) Outcome[string] { hang(2 * time.Second); return Outcome[string]{} }
	cfg := w.config()
	cfg.Checks, cfg.HostConcurrency, cfg.HostTimeout = 9, 1, 6500*time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		e, _ := New(cfg)
		start := time.Now()
		time.AfterFunc(3*time.Second, e.Pause) // the second item is in flight until 4 s
		time.AfterFunc(5*time.Second, e.Pause)
		time.AfterFunc(63*time.Second, e.Resume)
		time.AfterFunc(64*time.Second, e.Resume)
		tally, _ := e.Run(t.Context(), list("h"))
		wantSum(t, tally)
		// 3 s had gone by, 3.5 are left: items at 63 and 65 s, the end of the last one at 67 s.
		if tally.Done != 4 || tally.Skipped != 5 || time.Since(start) != 67*time.Second {
			t.Errorf("tally %+v after %v, want 4 done and the end after 67 s", tally, time.Since(start))
		}
	})
}
