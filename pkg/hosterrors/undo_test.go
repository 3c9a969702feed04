package hosterrors

import (
	"fmt"
	"syscall"
	"testing"
	"time"
)

// newUndoTester has a breaker that Undo works on, because some host has answered, and whose other settings are small.
func newUndoTester(t *testing.T) *tester {
	tt := newTester(t, Config{MaxHostError: 3, MaxTrips: 2, UndoWindow: 10 * time.Second})
	tt.MarkSuccess("other:443")
	return tt
}

// callBack waits for the cooldown and lets the probe through.
func (tt *tester) callBack() Ticket {
	tt.Helper()
	tt.clock.advance(tt.known().Cooldown)
	return tt.mustEnter()
}

func TestUndoClosesWhatTrippedInTheOutage(t *testing.T) {
	for name, test := range map[string]struct {
		before, during func(*tester)
		errors, trips  int32
	}{
		"closed, opened by errors": {func(tt *tester) { tt.fail(2) }, func(tt *tester) { tt.fail(1) }, 2, 0},
		"closed, opened by Trip":   {func(*tester) {}, func(tt *tester) { tt.Trip(host, hostError) }, 0, 0},
		"probe failed":             {func(tt *tester) { tt.fail(3); tt.callBack() }, func(tt *tester) { tt.fail(1) }, 3, 0},
		"dead": {func(tt *tester) { tt.fail(3); tt.callBack(); tt.fail(1); tt.callBack() }, func(tt *tester) {
			tt.fail(1)
			tt.wantState(StateDead)
		}, 4, 1},
		"opened, and called again": {func(*tester) {}, func(tt *tester) { tt.fail(3); tt.callBack() }, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			tt := newTester(t, Config{MaxHostError: 3, MaxTrips: 2, UndoWindow: time.Hour})
			tt.MarkSuccess("other:443")
			test.before(tt)
			tt.clock.advance(1)
			began := tt.clock.Now()
			test.during(tt)
			var heard []Transition
			tt.SetObserver(func(tr Transition) { heard = append(heard, tr) })
			if n := tt.Undo(began); n != 1 {
				t.Errorf("%d hosts closed, want 1", n)
			}
			tt.wantState(StateClosed)
			if h := tt.Host(host); h.Errors != test.errors || h.Trips != test.trips {
				t.Errorf("undone to %+v, want %d errors and %d trips", h, test.errors, test.trips)
			}
			if len(heard) != 1 || !heard[0].Undone || heard[0].To != StateClosed || heard[0].Err != nil {
				t.Errorf("the observer heard %+v, want one move to closed that is undone", heard)
			}
		})
	}
}

func TestUndoReachesFromTheMomentOn(t *testing.T) {
	for _, early := range []time.Duration{0, 1} {
		tt := newUndoTester(t)
		tt.fail(3)
		since := tt.clock.Now().Add(early)
		tt.clock.advance(time.Second)
		want := 1 - int(early)
		if n := tt.Undo(since); n != want {
			t.Errorf("%v after the trip: %d hosts closed, want %d", early, n, want)
		}
	}
}

func TestUndoReachesAsFarAsItsWindow(t *testing.T) {
	for _, more := range []time.Duration{0, 1} {
		tt := newUndoTester(t)
		began := tt.clock.Now()
		tt.fail(3)
		tt.clock.advance(10*time.Second + more)
		tt.MarkFailed("later:443", hostError, false)
		want := 1 - int(more)
		if n := tt.Undo(began); n != want {
			t.Errorf("%v beyond the window: %d hosts closed, want %d", more, n, want)
		}
	}
}

func TestUndoTakesCountsBack(t *testing.T) {
	tt := newUndoTester(t)
	tt.fail(1)
	tt.clock.advance(1)
	began := tt.clock.Now()
	tt.MarkFailed(host, syscall.ECONNRESET, false)
	if n := tt.Undo(began); n != 0 {
		t.Errorf("%d hosts closed, want none", n)
	}
	if h := tt.Host(host); h.Errors != 1 || h.LastError != hostError {
		t.Errorf("host is %+v, want its first error alone", h)
	}
}

func TestUndoLeavesAHostThatHasAnswered(t *testing.T) {
	tt := newUndoTester(t)
	began := tt.clock.Now()
	tt.fail(2)
	tt.MarkSuccess(host)
	tt.fail(1)
	tt.Undo(began)
	if h := tt.Host(host); h.Errors != 0 {
		t.Errorf("host is %+v, want what it was when it had answered", h)
	}
}

func TestOldTicketsCountForNothingAfterUndo(t *testing.T) {
	tt := newUndoTester(t)
	began := tt.clock.Now()
	tt.fail(3)
	probe := tt.callBack()
	tt.Undo(began)
	tt.wantState(StateClosed)
	for range 3 {
		probe.Fail(hostError, false)
	}
	if h := tt.Host(host); h.Errors != 0 || h.LastError != nil {
		t.Errorf("host is %+v, want one without errors", h)
	}
}

// As long as nothing has ever answered there is no outage to tell, and a million dead hosts cost nothing.
func TestNothingIsKeptForUndoBeforeTheFirstSuccess(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 1, UndoWindow: time.Hour})
	for i := range 1000 {
		tt.MarkFailed(fmt.Sprint("h", i), hostError, false)
	}
	if n := len(tt.lapses.list); n != 0 {
		t.Errorf("%d lapses are kept, want none", n)
	}
}

func TestUndoIsBounded(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 1 << 20, UndoWindow: time.Hour})
	tt.MarkSuccess("other:443")
	tt.fail(maxLapses + 1000)
	if n := len(tt.lapses.list) - tt.lapses.gone; n != maxLapses {
		t.Errorf("%d lapses are kept, want %d", n, maxLapses)
	}
	tt.Undo(tt.clock.Now())
	if h := tt.Host(host); h.Errors != 1000 {
		t.Errorf("%d errors are left, want the 1000 that were forgotten", h.Errors)
	}
}
