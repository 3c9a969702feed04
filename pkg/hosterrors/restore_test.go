package hosterrors

import (
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
