package hosterrors

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestZeroFieldsTakeTheDefaults(t *testing.T) {
	got := Config{MaxHostError: 1}.withDefaults()
	if got.MaxHostsCount != 10000 || got.Cooldown != 30*time.Second || got.MaxCooldown != 5*time.Minute ||
		got.MaxTrips != 5 || got.ProbeTTL != 30*time.Second || got.Now == nil {
		t.Errorf("defaults are %+v", got)
	}
}

func TestDefaultCooldownsGiveWayToTheOther(t *testing.T) {
	if got := (Config{Cooldown: time.Hour}).withDefaults().MaxCooldown; got != time.Hour {
		t.Errorf("with a cooldown of 1h the maximum is %v, want 1h", got)
	}
	if got := (Config{MaxCooldown: time.Second}).withDefaults().Cooldown; got != time.Second {
		t.Errorf("with a maximum of 1s the cooldown is %v, want 1s", got)
	}
}

func TestBadFieldIsNamed(t *testing.T) {
	for field, cfg := range map[string]Config{
		"MaxHostError is 0":   {},
		"MaxHostError is -1":  {MaxHostError: -1},
		"MaxHostsCount is -1": {MaxHostError: 1, MaxHostsCount: -1},
		"Cooldown is -1ns":    {MaxHostError: 1, Cooldown: -1},
		"MaxCooldown is -1ns": {MaxHostError: 1, MaxCooldown: -1},
		"MaxCooldown is 1s":   {MaxHostError: 1, Cooldown: 2 * time.Second, MaxCooldown: time.Second},
		"ProbeTTL is -1ns":    {MaxHostError: 1, ProbeTTL: -1},
		"TrackError[1]":       {MaxHostError: 1, TrackError: []string{"a", ""}},
	} {
		c, err := NewWithConfig(cfg)
		if err == nil || !strings.Contains(err.Error(), field) || c != nil {
			t.Errorf("got %v, want an error that says %q", err, field)
		}
	}
}

func TestHugeLimitNeverTrips(t *testing.T) {
	m := machine{errors: maxErrorCount - 1}
	for range 3 {
		m.fail(&policy{}, math.MaxInt, 0)
	}
	if m.state != StateClosed || m.errors != maxErrorCount {
		t.Errorf("after the last countable error: %+v", m)
	}
	var r record
	r.storeLocked(m)
	if got := r.machineLocked(); got != m {
		t.Errorf("stored %+v, got back %+v", m, got)
	}
}

func TestFieldsOfTheCacheAreTheOnesThatCount(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 30})
	tt.MaxHostError, tt.TrackError = 1, []string{"weird"}
	tt.MarkFailed(host, errWeird, false)
	tt.wantState(StateOpen)
}
