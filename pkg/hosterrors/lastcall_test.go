package hosterrors

import (
	"errors"
	"testing"
	"time"
)

func TestLastCall(t *testing.T) {
	now := time.Unix(1000, 0)
	for _, maxTrips := range []int{1, 3, -1} {
		c, err := NewWithConfig(Config{
			MaxHostError: 1, MaxTrips: maxTrips, Cooldown: time.Second, MaxCooldown: time.Second,
			Now: func() time.Time { return now },
		})
		if err != nil {
			t.Fatal(err)
		}
		const key = "192.0.2.1:80"
		if c.LastCall(key) {
			t.Error("last call for a host never heard of")
		}
		c.Trip(key, errors.New("gone"))
		for trip := range 5 {
			if want := maxTrips > 0 && trip+1 == maxTrips; c.LastCall(key) != want {
				t.Errorf("max trips %d, after %d failed probes: last call %v, want %v", maxTrips, trip, !want, want)
			}
			now = now.Add(time.Second)
			c.Admit(key)
			c.MarkFailed(key, &ConnError{Phase: PhaseDial, Err: errors.New("gone")}, false)
			if c.State(key) == StateDead {
				break
			}
		}
		if c.LastCall(key) {
			t.Errorf("max trips %d: last call at the end", maxTrips)
		}
		if h := c.Host(key); h.Key != key || h.LastError == nil || h.State != c.State(key) {
			t.Errorf("host %+v, want its state and last error", h)
		}
	}
	c, _ := NewWithConfig(Config{MaxHostError: 1})
	if h := c.Host("nobody"); h != (Host{Key: "nobody"}) {
		t.Errorf("host %+v, want an empty one", h)
	}
}
