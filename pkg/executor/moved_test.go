package executor

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A parked host whose last target moves away is no host to wait for.
func TestParkedHostThatMovedAwayIsNotAwaited(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Linger = time.Hour
	var quarantined atomic.Bool
	cfg.Quarantined = func(host string) bool { return host == "bare" && quarantined.Load() }
	cfg.NextAdmit = func(host string, now time.Time) time.Time {
		if host == "bare" && quarantined.Load() {
			return now.Add(30 * time.Minute)
		}
		return now
	}
	full := "bare:443"
	w.respond = func(_ *world, item Item[string]) Outcome[string] {
		if item.Target == "bare" && item.Check == 0 {
			return Outcome[string]{Kind: CheckError, Err: errDown, Answered: true}
		}
		if item.Target == "bare" && item.Check == 1 {
			hang(10 * time.Second)
			return Outcome[string]{Target: &full}
		}
		if item.Target == "bare" && item.Check == 2 {
			quarantined.Store(true)
			return Outcome[string]{Kind: NotAdmitted, At: time.Now()}
		}
		return Outcome[string]{}
	}
	cfg.Checks = 4
	synctest.Test(t, func(t *testing.T) {
		e, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		tally, err := e.Run(t.Context(), list("bare"))
		wantSum(t, tally)
		if took := time.Since(start); err != nil || took > time.Minute || tally.Done != 3 {
			t.Errorf("error %v, %v, tally %+v; want 3 done and no wait for a host that is gone", err, took, tally)
		}
	})
}

// Two items of a target may find its name at once.
func TestTargetThatTwoItemsSettle(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Checks = 40
	cfg.NextAdmit = func(_ string, now time.Time) time.Time {
		hang(time.Millisecond) // while one item is asked for, another settles the target
		return now
	}
	w.respond = func(_ *world, item Item[string]) Outcome[string] {
		hang(time.Duration(item.Check%3) * time.Millisecond)
		if strings.HasSuffix(item.Target, "?") {
			named := strings.TrimSuffix(item.Target, "?")
			return Outcome[string]{Target: &named}
		}
		return Outcome[string]{}
	}
	scan(t, cfg, func(tally Tally, err error) {
		if tally.Done != 160 || err != nil {
			t.Errorf("tally %+v, error %v; want all done", tally, err)
		}
	}, "h/a?", "h/b?", "h/c?", "h/d?")
}

// An item that is put back goes to where its target went meanwhile, not to the name that it was taken from.
func TestItemsInFlightFollowTheirTarget(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Checks = 4
	full := "bare:443"
	w.respond = func(_ *world, item Item[string]) Outcome[string] {
		hang(time.Duration(item.Check) * time.Second)
		switch {
		case item.Check == 0:
			return Outcome[string]{Kind: CheckError, Err: errDown, Answered: true}
		case item.Check == 1:
			return Outcome[string]{Target: &full}
		case item.Check == 3:
		case item.Sends == 1:
			return Outcome[string]{Kind: Neutral, Err: errDown}
		default:
			return Outcome[string]{Kind: CheckError, Err: errDown}
		}
		return Outcome[string]{}
	}
	var failedAt []string
	cfg.Failed = func(f Failure[string]) { failedAt = append(failedAt, f.Host) }
	scan(t, cfg, func(tally Tally, _ error) {
		if want := []string{"bare", full}; !slices.Equal(failedAt, want) || tally.Lost != 2 || tally.Hosts != 1 {
			t.Errorf("tally %+v, failed at %v, want %v", tally, failedAt, want)
		}
	}, "bare")
}
