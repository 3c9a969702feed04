package hosterrors

import (
	"math"
	"testing"
	"time"
)

func TestClosedOpensAtTheLimit(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 3})
	tt.fail(2)
	tt.wantState(StateClosed)
	tt.wantAdmit(true)
	tt.fail(1)
	tt.wantState(StateOpen)
	h := tt.known()
	if !h.OpenedAt.Equal(tt.clock.Now()) || h.Cooldown != DefaultCooldown || h.Errors != 3 || h.Trips != 0 {
		t.Errorf("opened as %+v", h)
	}
}

func TestClosedOpensOnTrip(t *testing.T) {
	tt := newTester(t, Config{})
	tt.Trip(host, hostError)
	tt.wantState(StateOpen)
	tt.wantAdmit(false)
	if got := tt.LastError(host); got != hostError {
		t.Errorf("last error is %v, want the reason of the trip", got)
	}
	if h := tt.known(); !h.OpenedAt.Equal(tt.clock.Now()) || h.Cooldown != DefaultCooldown || h.Trips != 0 {
		t.Errorf("opened as %+v", h)
	}
}

func TestTripOfAHostThatIsNotClosedDoesNothing(t *testing.T) {
	tt := newTester(t, Config{MaxTrips: 1})
	tt.Trip(host, nil)
	tt.clock.advance(DefaultCooldown - 1)
	tt.Trip(host, hostError)
	tt.wantAdmit(false)
	tt.clock.advance(1)
	tt.wantAdmit(true)
	tt.Trip(host, hostError)
	tt.wantState(StateHalfOpen)
	tt.fail(1)
	tt.wantState(StateDead)
	tt.Trip(host, nil)
	tt.wantState(StateDead)
}

func TestClosedSuccessStartsTheCountAnew(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 3})
	for range 5 {
		tt.fail(2)
		tt.MarkSuccess(host)
	}
	tt.wantState(StateClosed)
	tt.fail(2)
	tt.wantState(StateClosed)
	tt.fail(1)
	tt.wantState(StateOpen)
}

func TestOpenAdmitsOneProbeWhenTheCooldownIsOver(t *testing.T) {
	tt := newTester(t, Config{Cooldown: time.Minute})
	tt.fail(3)
	tt.clock.advance(time.Minute - 1)
	tt.wantAdmit(false)
	tt.wantState(StateOpen)
	tt.clock.advance(1)
	tt.wantQuarantined(false)
	tt.wantState(StateOpen)
	tt.wantAdmit(true)
	tt.wantState(StateHalfOpen)
	tt.wantAdmit(false)
}

func TestOpenIgnoresRequestsSentBeforeTheTrip(t *testing.T) {
	tt := newTester(t, Config{Cooldown: time.Minute})
	early := tt.mustEnter()
	tt.fail(3)
	opened := tt.known()
	tt.clock.advance(time.Second)
	early.Success()
	early.Fail(hostError, false)
	tt.MarkSuccess(host)
	tt.fail(1)
	tt.wantState(StateOpen)
	tt.clock.advance(time.Minute - time.Second - 1)
	tt.wantAdmit(false)
	if h := tt.known(); !h.OpenedAt.Equal(opened.OpenedAt) || h.Errors != opened.Errors {
		t.Errorf("late outcomes made %+v of %+v", h, opened)
	}
}

func TestHalfOpenSuccessForgivesAll(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 3, Cooldown: time.Second})
	tt.fail(3)
	tt.clock.advance(time.Second)
	tt.mustEnter().Fail(hostError, false)
	tt.clock.advance(2 * time.Second)
	tt.mustEnter().Success()
	tt.wantState(StateClosed)
	if h := tt.known(); h.Errors != 0 || h.Trips != 0 || h.Cooldown != time.Second || h.Quarantined != 3*time.Second {
		t.Errorf("recovered as %+v", h)
	}
	tt.fail(2)
	tt.wantState(StateClosed)
	tt.fail(1)
	tt.clock.advance(time.Second - 1)
	tt.wantAdmit(false)
	tt.clock.advance(1)
	tt.wantAdmit(true)
}

func TestHalfOpenFailureDoublesTheCooldownUpToItsCap(t *testing.T) {
	tt := newTester(t, Config{Cooldown: 10 * time.Second, MaxCooldown: 35 * time.Second, MaxTrips: -1})
	tt.fail(3)
	for trips, cooldown := range []time.Duration{10, 20, 35, 35, 35, 35, 35, 35} {
		tt.wantState(StateOpen)
		if h := tt.known(); int(h.Trips) != trips || h.Cooldown != cooldown*time.Second {
			t.Fatalf("after %d failed probes: %+v", trips, h)
		}
		tt.clock.advance(cooldown*time.Second - 1)
		tt.wantAdmit(false)
		tt.clock.advance(1)
		tt.wantAdmit(true)
		tt.fail(1)
	}
}

func TestCooldownNeverOverflows(t *testing.T) {
	p := policy{cooldown: 3, maxCooldown: math.MaxInt64}
	previous := time.Duration(0)
	for trips := range int32(200) {
		m := machine{trips: trips}
		d := m.cooldown(&p)
		if d < previous {
			t.Fatalf("cooldown falls from %d to %d at %d trips", previous, d, trips)
		}
		previous = d
	}
	if previous != math.MaxInt64 {
		t.Errorf("cooldown ends at %d, want the cap", previous)
	}
}

func TestHalfOpenDiesAtMaxTrips(t *testing.T) {
	tt := newTester(t, Config{MaxTrips: 2})
	tt.fail(3)
	tt.clock.advance(DefaultCooldown)
	tt.mustEnter().Fail(hostError, false)
	tt.wantState(StateOpen)
	tt.clock.advance(2 * DefaultCooldown)
	last := tt.mustEnter()
	last.Fail(hostError, false)
	tt.wantState(StateDead)

	last.Success()
	tt.MarkSuccess(host)
	tt.fail(1)
	tt.clock.advance(1000 * time.Hour)
	tt.wantAdmit(false)
	tt.wantState(StateDead)
	if h := tt.known(); h.Trips != 2 || h.Quarantined != 3*DefaultCooldown+1000*time.Hour {
		t.Errorf("dead as %+v", h)
	}
}

func TestNegativeMaxTripsNeverKills(t *testing.T) {
	tt := newTester(t, Config{MaxTrips: -1})
	tt.fail(3)
	for range 1000 {
		tt.clock.advance(DefaultMaxCooldown)
		tt.mustEnter().Fail(hostError, false)
	}
	tt.wantState(StateOpen)
}

func TestHalfOpenNeutralEndFreesTheSlot(t *testing.T) {
	for name, end := range map[string]func(tt *tester, probe Ticket){
		"released":            func(_ *tester, probe Ticket) { probe.Release() },
		"neutral error":       func(_ *tester, probe Ticket) { probe.Fail(&BuildError{Err: hostError}, false) },
		"forgiven timeout":    func(_ *tester, probe Ticket) { probe.Fail(&TimeoutError{Phase: PhaseHead}, true) },
		"keyed neutral error": func(tt *tester, _ Ticket) { tt.MarkFailed(host, &StarvedError{}, false) },
		"no error at all":     func(tt *tester, _ Ticket) { tt.MarkFailed(host, nil, false) },
	} {
		t.Run(name, func(t *testing.T) {
			tt := newTester(t, Config{MaxTrips: 1})
			tt.fail(3)
			tt.clock.advance(DefaultCooldown)
			probe := tt.mustEnter()
			tt.wantAdmit(false)
			end(tt, probe)
			tt.wantState(StateHalfOpen)
			probe.Fail(hostError, false) // a second outcome
			probe.Success()
			tt.wantState(StateHalfOpen)
			tt.wantAdmit(true)
			tt.wantAdmit(false)
		})
	}
}

func TestHalfOpenReplacesASilentProbe(t *testing.T) {
	tt := newTester(t, Config{MaxTrips: 1, ProbeTTL: 7 * time.Second})
	tt.fail(3)
	tt.clock.advance(DefaultCooldown)
	lost := tt.mustEnter()
	tt.clock.advance(7*time.Second - 1)
	tt.wantAdmit(false)
	tt.clock.advance(1)
	tt.wantQuarantined(false)
	second := tt.mustEnter()
	tt.wantState(StateHalfOpen)
	tt.wantAdmit(false)

	lost.Success()
	lost.Fail(hostError, false)
	lost.Release()
	tt.wantState(StateHalfOpen)
	tt.wantQuarantined(true)
	tt.clock.advance(7*time.Second - 1)
	tt.wantQuarantined(true)
	second.Success()
	tt.wantState(StateClosed)
}

func TestStateNames(t *testing.T) {
	for state, want := range map[State]string{
		StateClosed: "closed", StateOpen: "open", StateHalfOpen: "half-open", StateDead: "dead", 9: "state 9",
	} {
		if got := state.String(); got != want {
			t.Errorf("state %d is called %q, want %q", state, got, want)
		}
	}
}
