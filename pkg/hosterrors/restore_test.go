package hosterrors

import (
	"errors"
	"testing"
	"time"
)

func TestRestoredHostStandsWhereItStood(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c, err := NewWithConfig(Config{MaxHostError: 3, MaxTrips: 2, Cooldown: 10 * time.Second, MaxCooldown: time.Minute, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	var heard []Transition
	c.SetObserver(func(t Transition) { heard = append(heard, t) })
	for _, m := range []Memory{
		{Key: "open", State: StateOpen, Errors: 3, Left: 4 * time.Second, Seq: 7, LastError: "refused"},
		{Key: "tripped", State: StateOpen, Errors: 4, Trips: 1, Left: 15 * time.Second, Seq: 3},
		{Key: "longer", State: StateOpen, Left: time.Hour, Seq: 1},
		{Key: "half", State: StateHalfOpen, Errors: 3, Left: time.Hour, Seq: 2},
		{Key: "dead", State: StateDead, Trips: 2, Seq: 6},
		{Key: "closed", State: StateClosed, Seq: 9},
	} {
		c.Restore(m)
	}
	if !c.AnyTripped() || c.QuarantinedCount() != 5 || len(heard) != 0 {
		t.Errorf("tripped %v, %d quarantined, %d changes told; want true, 5 and none", c.AnyTripped(), c.QuarantinedCount(), len(heard))
	}
	for key, wait := range map[string]time.Duration{"open": 4 * time.Second, "tripped": 15 * time.Second, "longer": 10 * time.Second, "half": 0, "closed": 0} {
		at := c.NextAdmit(key, now)
		if at.Before(now) {
			at = now
		}
		if got := at.Sub(now); got != wait || c.Quarantined(key) != (wait > 0) {
			t.Errorf("%s: may be called in %s, quarantined %v; want %s", key, got, c.Quarantined(key), wait)
		}
	}
	if c.State("dead") != StateDead || !c.NextAdmit("dead", now).Equal(Never()) || c.Admit("dead") {
		t.Error("the dead host is called")
	}
	if err := c.LastError("open"); err == nil || err.Error() != "refused" {
		t.Errorf("the last error is %v", err)
	}

	now = now.Add(4 * time.Second)
	probe, ok := c.Enter("open")
	if !ok {
		t.Fatal("the open host is not called when the rest of its cooldown is over")
	}
	probe.Success()
	if len(heard) != 2 || heard[0].Seq <= 7 || heard[1].Seq <= heard[0].Seq || c.State("open") != StateClosed {
		t.Errorf("%+v was told, want a call and a recovery with numbers above 7", heard)
	}
	now = now.Add(11 * time.Second)
	if !c.LastCall("tripped") {
		t.Error("the trips of the earlier breaker are forgotten")
	}
	last, ok := c.Enter("tripped")
	if !ok {
		t.Fatal("not called after its cooldown")
	}
	last.Fail(&TimeoutError{Phase: PhaseDial}, false)
	if c.State("tripped") != StateDead {
		t.Errorf("after the last failed probe the host is %s", c.State("tripped"))
	}
}

// What one breaker tells is enough for another one to stand in its place.
func TestMemoriesOfABreaker(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	cfg := Config{MaxHostError: 2, MaxTrips: 2, Cooldown: 10 * time.Second, Now: func() time.Time { return now }}
	before, err := NewWithConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	refused := &ConnError{Phase: PhaseDial, Fresh: true, Err: errors.New("refused")}
	for _, key := range []string{"open", "open", "dead", "back", "once"} {
		before.MarkFailed(key, refused, false)
	}
	before.Trip("dead", refused)
	before.Trip("back", refused)
	now = now.Add(10 * time.Second)
	before.Trip("late", refused)
	before.Admit("back")
	before.MarkSuccess("back")
	for range 2 {
		before.Admit("dead")
		before.MarkFailed("dead", refused, false)
		now = now.Add(20 * time.Second)
	}
	now = now.Add(-35 * time.Second)

	after, _ := NewWithConfig(cfg)
	told := 0
	for m := range before.Memories() {
		after.Restore(m)
		told++
	}
	if told != 4 {
		t.Errorf("%d hosts are told of, want the 4 that ever tripped", told)
	}
	for _, key := range []string{"open", "dead", "back", "late", "once"} {
		a, b := before.Host(key), after.Host(key)
		if a.State != b.State || a.Trips != b.Trips || key != "once" && a.Errors != b.Errors || (a.LastError == nil) != (b.LastError == nil) && key != "once" {
			t.Errorf("%s: %+v, want %+v", key, b, a)
		}
		at, want := after.NextAdmit(key, now), before.NextAdmit(key, now)
		if at.After(now) != want.After(now) || at.After(now) && !at.Equal(want) {
			t.Errorf("%s: may be called at %v, want %v", key, at, want)
		}
	}
}
