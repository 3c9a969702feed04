package hosterrors

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

func mapEntries(c *Cache) int {
	n := 0
	c.hosts.Range(func(_, _ any) bool {
		n++
		return true
	})
	return n
}

func TestHealthyHostsLeaveNothing(t *testing.T) {
	tt := newTester(t, Config{})
	tt.Trip("other:80", hostError)
	for i := range 1000 {
		key := fmt.Sprintf("h%d:80", i)
		ticket, _ := tt.Enter(key)
		tt.MarkFailed(key, hostError, false)
		tt.MarkFailed(key, &StarvedError{}, false)
		ticket.Success()
	}
	if got := mapEntries(tt.Cache); got != 1 {
		t.Errorf("%d hosts are remembered, want the tripped one", got)
	}
}

func TestOnceFailingHostsDoNotGrowMemory(t *testing.T) {
	const bound, flood = 50, 100_000
	tt := newTester(t, Config{MaxHostsCount: bound})
	for i := range flood {
		tt.MarkFailed(fmt.Sprintf("h%d:80", i), hostError, false)
		if i%1000 != 0 {
			continue
		}
		if got := mapEntries(tt.Cache); got > 2*bound {
			t.Fatalf("%d counters are kept after %d hosts, want at most %d", got, i+1, 2*bound)
		}
	}
	if got := cap(tt.counters.list); got > 4*bound {
		t.Errorf("the list has room for %d, want no more than its growth to %d needs", got, 2*bound)
	}
}

func TestFlappingHostDoesNotFillTheList(t *testing.T) {
	const bound = 5
	tt := newTester(t, Config{MaxHostsCount: bound})
	for range 1000 {
		tt.fail(1)
		tt.MarkSuccess(host)
		if got := len(tt.counters.list); got > 2*bound {
			t.Fatalf("one host stands on the list %d times, want at most %d", got, 2*bound)
		}
	}
}

func TestHostThatFailsAgainOutlastsAFlood(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 3, MaxHostsCount: 50})
	tt.fail(2)
	for i := range 10_000 {
		tt.MarkFailed(fmt.Sprintf("h%d:80", i), hostError, false)
	}
	tt.fail(1)
	tt.wantState(StateOpen)
}

func TestTrippedHostsAreNeverForgotten(t *testing.T) {
	const bound, dead = 20, 5000
	tt := newTester(t, Config{MaxHostError: 2, MaxHostsCount: bound})
	for i := range dead {
		key := fmt.Sprintf("dead%d:80", i)
		tt.MarkFailed(key, hostError, false)
		if i%2 == 0 {
			tt.MarkFailed(key, hostError, false)
		} else {
			tt.Trip(key, hostError)
		}
		if got := len(tt.counters.list); got > 2*bound {
			t.Fatalf("a sweep would walk %d records, want at most %d", got, 2*bound)
		}
	}
	if got := tt.counters.kept.Len(); got != 0 {
		t.Errorf("tripped hosts hold %d of the places for counters", got)
	}
	for i := range 10_000 {
		tt.MarkFailed(fmt.Sprintf("h%d:80", i), hostError, false)
	}
	for i := range dead {
		if key := fmt.Sprintf("dead%d:80", i); !tt.Quarantined(key) {
			t.Fatalf("%s is forgotten", key)
		}
	}
	if got := tt.QuarantinedCount(); got != dead {
		t.Errorf("%d quarantined, want %d", got, dead)
	}
}

func TestHostThatNeverTrippedHasNoTimeOfIt(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 3})
	tt.clock.advance(time.Hour)
	tt.fail(2)
	want := Host{Key: host, Errors: 2, Cooldown: DefaultCooldown, LastError: hostError}
	if got := tt.Host(host); got != want {
		t.Errorf("after two errors: %+v, want %+v", got, want)
	}
}

// Whoever found a record just before it was taken out of the map has to look again, or the error is lost.
func TestForgottenRecordTakesNoOutcome(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 2})
	tt.fail(1)
	stale := tt.find(host)
	tt.MarkSuccess(host)
	_, live := tt.change(host, stale, hostError, func(*machine, time.Duration) bool {
		t.Error("a forgotten record was changed")
		return true
	})
	if live {
		t.Error("a forgotten record passes for the host's own")
	}
	tt.fail(1)
	if tt.find(host) == stale {
		t.Error("a forgotten record came back")
	}
}

func TestRecoveredHostNeedsNoPlaceAmongTheCounters(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 3, MaxHostsCount: 5})
	tt.Trip(host, hostError)
	tt.clock.advance(DefaultCooldown)
	tt.mustEnter().Success()
	tt.fail(2)
	for i := range 1000 {
		tt.MarkFailed(fmt.Sprintf("h%d:80", i), hostError, false)
	}
	tt.fail(1)
	tt.wantState(StateOpen)
}

func TestMemoryOfATrippedHost(t *testing.T) {
	const hosts, limit = 1 << 16, 220
	c, err := NewWithConfig(Config{MaxHostError: 2, MaxHostsCount: 100})
	if err != nil {
		t.Fatal(err)
	}
	before := heapInUse()
	for i := range hosts {
		key := fmt.Sprintf("10.000.%03d.%03d:1", i>>8, i&255)
		c.MarkFailed(key, hostError, false)
		c.MarkFailed(key, hostError, false)
	}
	per := float64(heapInUse()-before) / hosts
	t.Logf("%.1f bytes a tripped host", per)
	if got := c.QuarantinedCount(); got != hosts || per > limit {
		t.Errorf("%d hosts cost %.1f bytes each with their keys, want %d at no more than %d", got, per, hosts, limit)
	}
}

func heapInUse() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func TestHealthyPathAllocatesNothing(t *testing.T) {
	tt := newTester(t, Config{})
	tt.Trip("other:80", hostError)
	tt.Trip("recovered:80", hostError)
	tt.clock.advance(DefaultCooldown)
	tt.Admit("recovered:80")
	tt.MarkSuccess("recovered:80")
	for _, key := range []string{host, "recovered:80"} {
		for name, call := range map[string]func(){
			"Quarantined": func() { tt.Quarantined(key) },
			"Admit":       func() { tt.Admit(key) },
			"MarkSuccess": func() { tt.MarkSuccess(key) },
			"NextAdmit":   func() { tt.NextAdmit(key, tt.start) },
			"ticket": func() {
				ticket, _ := tt.Enter(key)
				ticket.Success()
			},
		} {
			if got := testing.AllocsPerRun(100, call); got != 0 {
				t.Errorf("%s of %s: %v allocations, want 0", name, key, got)
			}
		}
	}
}
