package hosterrors

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"
)

// The situations here broke other tools; each names a public report of it.

// The permanent-error rule of github.com/projectdiscovery/nuclei.
func TestOneRefusalOfThirtyDoesNotQuarantine(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 30})
	tt.fail(1)
	tt.wantState(StateClosed)
	tt.wantAdmit(true)
	tt.fail(28)
	tt.wantState(StateClosed)
	tt.fail(1)
	tt.wantState(StateOpen)
}

// github.com/projectdiscovery/nuclei/issues/4266
func TestDroppedItemDoesNotLiftTheQuarantine(t *testing.T) {
	tt := newTester(t, Config{})
	dropped := fmt.Errorf("item 7: %w", ErrUnresponsiveHost)
	tt.fail(3)
	tt.MarkFailed(host, dropped, false)
	tt.wantAdmit(false)
	tt.clock.advance(DefaultCooldown)
	tt.mustEnter()
	tt.MarkFailed(host, dropped, false)
	tt.wantState(StateHalfOpen)
}

// github.com/projectdiscovery/nuclei/issues/5234 and /3046
func TestHostThatComesBackGetsItsRemainingChecks(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 30, Cooldown: 10 * time.Second})
	back := tt.clock.Now().Add(15 * time.Second)
	done, asked := 0, 0
	for range 5000 {
		tt.clock.advance(100 * time.Millisecond)
		ticket, ok := tt.Enter(host)
		if !ok {
			continue
		}
		asked++
		if tt.clock.Now().Before(back) {
			ticket.Fail(hostError, false)
			continue
		}
		ticket.Success()
		done++
	}
	if done != 4671 || asked-done != 31 {
		t.Errorf("%d checks done and %d failed, want 4671 and 31", done, asked-done)
	}
	tt.wantState(StateClosed)
}

// github.com/projectdiscovery/nuclei/issues/5564
func TestFewFailuresAmongManySuccessesNeverQuarantine(t *testing.T) {
	const inFlight, all, every = 200, 13_000, 433
	tt := newTester(t, Config{MaxHostError: 30})
	window := make([]Ticket, 0, inFlight)
	failures := 0
	end := func(i int, ticket Ticket) {
		if i%every == 0 && failures < 30 {
			failures++
			ticket.Fail(hostError, false)
		} else {
			ticket.Success()
		}
		tt.wantQuarantined(false)
	}
	for i := range all {
		if len(window) == inFlight {
			end(i, window[0])
			window = window[1:]
		}
		window = append(window, tt.mustEnter())
	}
	if failures < 29 || tt.AnyTripped() {
		t.Errorf("tripped: %t after %d failures of %d", tt.AnyTripped(), failures, all)
	}
}

// github.com/projectdiscovery/nuclei/issues/7454 and /3119
func TestTarpitCounts(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 5})
	for range 4 {
		tt.mustEnter().Fail(&TimeoutError{Phase: PhaseHead, After: 15 * time.Second}, false)
	}
	tt.wantState(StateClosed)
	tt.mustEnter().Fail(os.ErrDeadlineExceeded, false)
	tt.wantState(StateOpen)
}

// github.com/projectdiscovery/nuclei/issues/3119
func TestFilteredPortCountsThoughTimeoutsAreIgnored(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 2})
	for range 2 {
		tt.mustEnter().Fail(&TimeoutError{Phase: PhaseDial, After: 5 * time.Second}, true)
	}
	tt.wantState(StateOpen)
}

// github.com/projectdiscovery/nuclei/pull/3143
func TestCallersOwnEndIsNeutral(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 2})
	tt.fail(1)
	for _, err := range []error{context.Canceled, context.DeadlineExceeded} {
		tt.MarkFailed(host, fmt.Errorf("request: %w", err), false)
	}
	tt.wantState(StateClosed)
	if got := tt.LastError(host); got != hostError {
		t.Errorf("last error is %v, want the host error before", got)
	}
	tt.fail(1)
	tt.wantState(StateOpen)
}

// github.com/projectdiscovery/nuclei/issues/122
func TestPortsOfOneHostAreJudgedApart(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 1})
	tt.MarkFailed("host:80", hostError, false)
	if !tt.Quarantined("host:80") || tt.Quarantined("host:8080") || !tt.Admit("host:8080") {
		t.Error("want host:80 quarantined and host:8080 not")
	}
}

// github.com/resilience4j/resilience4j/issues/544 and /935
func TestProbeThatPanicsIsLostOrCancelledFreesItsSlot(t *testing.T) {
	for name, lose := range map[string]func(tt *tester, probe Ticket){
		"panics": func(_ *tester, probe Ticket) {
			defer func() { _ = recover() }()
			defer probe.Release()
			panic("in mid-request")
		},
		"lost":      func(tt *tester, _ Ticket) { tt.clock.advance(DefaultProbeTTL) },
		"cancelled": func(_ *tester, probe Ticket) { probe.Fail(context.Canceled, false) },
	} {
		t.Run(name, func(t *testing.T) {
			tt := newTester(t, Config{})
			tt.fail(3)
			tt.clock.advance(DefaultCooldown)
			probe := tt.mustEnter()
			tt.wantAdmit(false)
			lose(tt, probe)
			tt.wantState(StateHalfOpen)
			next := tt.mustEnter()
			probe.Success()
			tt.wantState(StateHalfOpen)
			next.Success()
			tt.wantState(StateClosed)
		})
	}
}

// failsafe-go and Polly close the breaker here.
func TestSuccessSentBeforeTheTripIsNoProbe(t *testing.T) {
	tt := newTester(t, Config{})
	early := tt.mustEnter()
	tt.fail(3)
	tt.clock.advance(DefaultCooldown)
	probe := tt.mustEnter()
	early.Success()
	tt.wantState(StateHalfOpen)
	tt.wantAdmit(false)
	probe.Fail(hostError, false)
	tt.wantState(StateOpen)
	early.Fail(hostError, false)
	if got := tt.known().Trips; got != 1 {
		t.Errorf("%d trips, want 1", got)
	}
}

// Of a keyed outcome nobody can tell whose it is, so while half-open it counts as the probe's.
func TestKeyedOutcomeTakesThePlaceOfTheTickets(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 2})
	tt.mustEnter().Fail(hostError, false)
	tt.fail(1)
	tt.wantState(StateOpen)
	tt.clock.advance(DefaultCooldown)
	probe := tt.mustEnter()
	tt.MarkSuccess(host)
	tt.wantState(StateClosed)
	probe.Fail(hostError, false)
	probe.Fail(hostError, false)
	if got := tt.known(); got.Errors != 0 || got.State != StateClosed {
		t.Errorf("the probe's late failures made %+v", got)
	}
}

func TestZeroTicketIsHarmless(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 1})
	tt.fail(1)
	ticket, ok := tt.Enter(host)
	if ok || ticket != (Ticket{}) {
		t.Fatalf("entered %t with %+v, want no ticket", ok, ticket)
	}
	ticket.Success()
	ticket.Fail(hostError, false)
	ticket.Release()
	tt.wantState(StateOpen)
}
