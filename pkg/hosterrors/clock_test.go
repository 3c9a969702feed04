package hosterrors

import (
	"testing"
	"time"
)

func TestNextAdmitFollowsTheState(t *testing.T) {
	tt := newTester(t, Config{MaxTrips: 1, Cooldown: time.Minute, ProbeTTL: time.Second})
	want := func(what string, d time.Duration) {
		t.Helper()
		now := tt.clock.Now()
		state := tt.Cache.State(host)
		if got := tt.NextAdmit(host, now); !got.Equal(now.Add(d)) {
			t.Errorf("%s: next at %v, want %v", what, got, now.Add(d))
		}
		if got := tt.Cache.State(host); got != state {
			t.Errorf("%s: asking took the host from %v to %v", what, state, got)
		}
	}
	want("healthy", 0)
	tt.fail(1)
	want("one error", 0)
	tt.fail(2)
	want("open", time.Minute)
	tt.clock.advance(time.Minute - 1)
	want("nearly over", 1)
	tt.clock.advance(time.Hour)
	want("long over", 1-time.Hour)
	probe := tt.mustEnter()
	want("probe in flight", time.Second)
	probe.Release()
	want("free slot", 0)
	tt.mustEnter().Fail(hostError, false)
	if got := tt.NextAdmit(host, tt.clock.Now()); !got.Equal(Never()) {
		t.Errorf("dead: next at %v, want never", got)
	}
}

func TestNextAdmitBeyondTheEndOfTimeIsNever(t *testing.T) {
	for _, cooldown := range []time.Duration{250 * 365 * 24 * time.Hour, 1<<63 - 1} {
		tt := newTester(t, Config{Cooldown: cooldown})
		tt.clock.advance(time.Hour)
		tt.fail(3)
		if got := tt.NextAdmit(host, tt.clock.Now()); !got.Equal(Never()) {
			t.Errorf("cooldown %v: next at %v, want never", cooldown, got)
		}
		tt.clock.advance(1<<62 - 1)
		tt.wantAdmit(false)
	}
}

func TestClockThatStepsBackReopensNothing(t *testing.T) {
	tt := newTester(t, Config{Cooldown: time.Minute, ProbeTTL: time.Second})
	tt.fail(3)
	due := tt.NextAdmit(host, tt.clock.Now())
	tt.clock.advance(-time.Hour)
	tt.wantAdmit(false)
	if got := tt.NextAdmit(host, tt.clock.Now()); !got.Equal(due) {
		t.Errorf("next at %v, want %v as before the step", got, due)
	}
	tt.clock.advance(time.Hour + time.Minute)
	probe := tt.mustEnter()
	tt.clock.advance(-time.Hour)
	tt.wantAdmit(false)
	probe.Success()
	tt.wantState(StateClosed)
	if got := tt.known().Quarantined; got != 0 {
		t.Errorf("a quarantine that ended before it began lasted %v, want 0", got)
	}
}

func TestStepOfManyYearsDoesNotOverflow(t *testing.T) {
	tt := newTester(t, Config{})
	tt.clock.advance(-1 << 62)
	tt.clock.advance(-1 << 62)
	tt.fail(3)
	for range 4 {
		tt.clock.advance(1 << 62)
	}
	tt.wantAdmit(true)
	tt.wantAdmit(false)
}
