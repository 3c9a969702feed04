package hosterrors

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestObserverSeesEachTransitionOnce(t *testing.T) {
	tt := newTester(t, Config{MaxTrips: 2, Cooldown: time.Minute})
	var seen []Transition
	tt.SetObserver(func(tr Transition) { seen = append(seen, tr) })
	start := tt.clock.Now()
	tt.fail(3)
	tt.clock.advance(time.Minute)
	tt.mustEnter().Fail(hostError, false)
	tt.clock.advance(2 * time.Minute)
	tt.mustEnter().Success()
	tt.Trip(host, nil)
	for range 2 {
		tt.clock.advance(4 * time.Minute)
		tt.mustEnter().Fail(hostError, false)
	}
	at := func(minutes int) time.Time { return start.Add(time.Duration(minutes) * time.Minute) }
	want := []Transition{
		{From: StateClosed, To: StateOpen, Errors: 3, Cooldown: time.Minute, Err: hostError, At: at(0)},
		{From: StateOpen, To: StateHalfOpen, Errors: 3, Err: hostError, At: at(1)},
		{From: StateHalfOpen, To: StateOpen, Errors: 4, Trips: 1, Cooldown: 2 * time.Minute, Err: hostError, At: at(1)},
		{From: StateOpen, To: StateHalfOpen, Errors: 4, Trips: 1, Err: hostError, At: at(3)},
		{From: StateHalfOpen, To: StateClosed, At: at(3)},
		{From: StateClosed, To: StateOpen, Cooldown: time.Minute, Err: hostError, At: at(3)},
		{From: StateOpen, To: StateHalfOpen, Err: hostError, At: at(7)},
		{From: StateHalfOpen, To: StateOpen, Errors: 1, Trips: 1, Cooldown: 2 * time.Minute, Err: hostError, At: at(7)},
		{From: StateOpen, To: StateHalfOpen, Errors: 1, Trips: 1, Err: hostError, At: at(11)},
		{From: StateHalfOpen, To: StateDead, Errors: 2, Trips: 2, Err: hostError, At: at(11)},
	}
	if len(seen) != len(want) {
		t.Fatalf("saw %d transitions, want %d: %+v", len(seen), len(want), seen)
	}
	for i, tr := range seen {
		want[i].Key, want[i].Seq = host, uint64(i+1)
		if tr != want[i] {
			t.Errorf("transition %d is\n%+v, want\n%+v", i, tr, want[i])
		}
	}
}

func TestNilObserverRemovesIt(t *testing.T) {
	tt := newTester(t, Config{})
	tt.SetObserver(func(Transition) { t.Error("a removed observer was called") })
	tt.SetObserver(nil)
	tt.fail(3)
	tt.wantState(StateOpen)
}

// github.com/sony/gobreaker/pull/119
func TestObserverMayCallTheBreaker(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 1, MaxTrips: 1})
	depth := 0
	tt.SetObserver(func(tr Transition) {
		if depth++; depth > 3 {
			return
		}
		tt.Quarantined(tr.Key)
		tt.Cache.State(tr.Key)
		tt.LastError(tr.Key)
		tt.NextAdmit(tr.Key, tr.At)
		tt.MarkSuccess(tr.Key)
		tt.MarkFailed(tr.Key, hostError, false)
		tt.Trip(tr.Key, hostError)
		tt.Trip(fmt.Sprintf("other%d:80", depth), hostError)
		for h := range tt.Hosts() {
			tt.Admit(h.Key)
		}
		tt.SetObserver(nil)
		tt.Close()
	})
	tt.fail(1)
	if got := tt.QuarantinedCount(); got != 4 {
		t.Errorf("%d hosts quarantined, want the tripped one and the three of the nested calls", got)
	}
}

func TestLogNamesTransitionsAndOnlyWhenVerboseErrors(t *testing.T) {
	var lines []string
	clock := newHandClock()
	c, err := NewWithConfig(Config{
		MaxHostError: 2, MaxTrips: 1, Now: clock.Now,
		Log: func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	c.MarkFailed(host, hostError, false)
	c.MarkFailed(host, hostError, false)
	clock.advance(DefaultCooldown)
	c.Admit(host)
	c.MarkSuccess(host)
	c.SetVerbose(true)
	c.MarkFailed(host, hostError, false)
	c.MarkFailed(host, &StarvedError{}, false)
	c.Trip(host, nil)
	clock.advance(DefaultCooldown)
	c.Admit(host)
	c.SetVerbose(false)
	c.MarkFailed(host, hostError, false)
	want := []string{"opened", "probing", "recovered", "host error 1", "opened", "probing", "dead"}
	if !slices.EqualFunc(lines, want, func(line, part string) bool {
		return strings.HasPrefix(line, host+": "+part)
	}) {
		t.Errorf("logged:\n%s\nwant lines of %q", strings.Join(lines, "\n"), want)
	}
}

func TestCloseEndsAdmissionAndCounting(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 1})
	tt.Trip("tripped:80", hostError)
	tt.clock.advance(DefaultCooldown)
	ticket := tt.mustEnter()
	tt.Close()
	tt.Close()
	ticket.Fail(hostError, false)
	tt.fail(1)
	tt.Trip(host, nil)
	if got := tt.Cache.State(host); got != StateClosed {
		t.Errorf("%s is %v after Close, want it not counted", host, got)
	}
	for _, key := range []string{host, "tripped:80"} {
		if _, ok := tt.Enter(key); ok || tt.Admit(key) {
			t.Errorf("%s is admitted after Close", key)
		}
		if got := tt.NextAdmit(key, tt.clock.Now()); !got.Equal(Never()) {
			t.Errorf("%s: next at %v after Close, want never", key, got)
		}
	}
	if got := tt.Cache.State("tripped:80"); got != StateOpen || tt.LastError("tripped:80") != hostError {
		t.Errorf("what was gathered is lost: %v, %v", got, tt.LastError("tripped:80"))
	}
}
