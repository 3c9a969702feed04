package hosterrors

import (
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const host = "host:443"

// hostError is what the tests fail requests with when any host error will do.
var hostError error = syscall.ECONNREFUSED

// handClock is a clock that only the test moves.
type handClock struct {
	mu  sync.Mutex
	now time.Time
}

func newHandClock() *handClock {
	return &handClock{now: time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)}
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// tester drives one breaker, whose limit is 3 unless cfg says otherwise, and speaks of the host named host.
type tester struct {
	*testing.T
	*Cache
	clock *handClock
}

func newTester(t *testing.T, cfg Config) *tester {
	t.Helper()
	clock := newHandClock()
	cfg.Now = clock.Now
	if cfg.MaxHostError == 0 {
		cfg.MaxHostError = 3
	}
	c, err := NewWithConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &tester{T: t, Cache: c, clock: clock}
}

func (tt *tester) fail(times int) {
	for range times {
		tt.MarkFailed(host, hostError, false)
	}
}

func (tt *tester) wantState(want State) {
	tt.Helper()
	if got := tt.Cache.State(host); got != want {
		tt.Fatalf("state is %v, want %v", got, want)
	}
	if got, want := tt.QuarantinedCount(), 0; (got == want) != (tt.Cache.State(host) == StateClosed) {
		tt.Fatalf("%d hosts are not closed, but %s is %v", got, host, tt.Cache.State(host))
	}
}

func (tt *tester) wantQuarantined(want bool) {
	tt.Helper()
	before := tt.Cache.State(host)
	if got := tt.Quarantined(host); got != want {
		tt.Fatalf("quarantined is %t while %v, want %t", got, before, want)
	}
	if after := tt.Cache.State(host); after != before {
		tt.Fatalf("asking whether it is quarantined took the host from %v to %v", before, after)
	}
}

func (tt *tester) wantAdmit(want bool) {
	tt.Helper()
	tt.wantQuarantined(!want)
	before := tt.Cache.State(host)
	if got := tt.Admit(host); got != want {
		tt.Fatalf("admit is %t while %v, want %t", got, before, want)
	}
}

func (tt *tester) mustEnter() Ticket {
	tt.Helper()
	ticket, ok := tt.Enter(host)
	if !ok {
		tt.Fatalf("not admitted while %v", tt.Cache.State(host))
	}
	return ticket
}

// known is the host as Hosts shows it.
func (tt *tester) known() Host {
	tt.Helper()
	for h := range tt.Hosts() {
		if h.Key == host {
			return h
		}
	}
	tt.Fatalf("Hosts does not show %s", host)
	return Host{}
}
