package flow

import (
	"errors"
	"math"
	"testing"
	"time"
)

func TestNewRefuses(t *testing.T) {
	warm := func(change func(*Rule)) Rule {
		r := Rule{Rate: 1, Mode: WarmUp, WarmUp: time.Second, ColdFactor: DefaultColdFactor}
		change(&r)
		return r
	}
	tests := []struct {
		name, field string
		rule        Rule
	}{
		{"zero rule", "rate", Rule{}},
		{"negative rate", "rate", Rule{Rate: -1}},
		{"rate NaN", "rate", Rule{Rate: math.NaN(), Mode: Reject}}, // github.com/google/guava/issues/2730
		{"rate Inf", "rate", Rule{Rate: math.Inf(1)}},
		{"rate -Inf", "rate", Rule{Rate: math.Inf(-1)}},
		{"warm-up 0", "warm-up", warm(func(r *Rule) { r.WarmUp = 0 })}, // github.com/google/guava/issues/2730
		{"warm-up negative", "warm-up", warm(func(r *Rule) { r.WarmUp = -time.Second })},
		{"queued warm-up 0", "warm-up", warm(func(r *Rule) { r.Mode, r.WarmUp = WarmUpQueue, 0 })},
		{"cold factor 0", "cold factor", warm(func(r *Rule) { r.ColdFactor = 0 })},
		{"cold factor 1", "cold factor", warm(func(r *Rule) { r.ColdFactor = 1 })},
		{"cold factor NaN", "cold factor", warm(func(r *Rule) { r.ColdFactor = math.NaN() })},
		{"cold factor Inf", "cold factor", warm(func(r *Rule) { r.ColdFactor = math.Inf(1) })},
		{"wait negative", "max queue wait", Rule{Rate: 1, MaxQueueWait: -1}},
		{"no such mode", "mode", Rule{Rate: 1, Mode: Reject + 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, err := New(tt.rule)
			var re *RuleError
			if l != nil || !errors.As(err, &re) || re.Field != tt.field {
				t.Fatalf("got %v, %v; want a RuleError for %s", l, err, tt.field)
			}
		})
	}
}

func TestNewTakes(t *testing.T) {
	for _, r := range []Rule{
		{Rate: 0.01},
		{Rate: 1, Mode: Reject},
		{Rate: 100_000, Mode: WarmUp, WarmUp: 1, ColdFactor: math.Nextafter(1, 2)},
		{Rate: 0.5, Mode: WarmUpQueue, WarmUp: time.Hour, ColdFactor: 1e9, MaxQueueWait: 1},
		{Rate: math.SmallestNonzeroFloat64},
		{Rate: math.MaxFloat64, Mode: Reject},
	} {
		l := mustNew(t, r)
		now := time.Now()
		for range 20 {
			if g := l.Take(now); g.Wait < 0 {
				t.Errorf("%+v: wait of %v", r, g.Wait)
			}
		}
		if l.NextAdmit(now).Before(now) {
			t.Errorf("%+v: next in the past", r)
		}
	}
}

func TestRuleErrorText(t *testing.T) {
	_, err := New(Rule{Rate: -2})
	const want = "flow rule: rate is -2, want a finite number of requests per second above 0"
	if err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestModeNames(t *testing.T) {
	for m, name := range map[Mode]string{Queue: "queue", WarmUp: "warm-up", WarmUpQueue: "warm-up-queue", Reject: "reject"} {
		if m.String() != name {
			t.Errorf("%d: got %q, want %q", m, m, name)
		}
		if got, err := ParseMode(name); err != nil || got != m {
			t.Errorf("%q: got %v, %v", name, got, err)
		}
	}
	if s := Mode(9).String(); s != "Mode(9)" {
		t.Errorf("got %q", s)
	}
	var re *RuleError
	if _, err := ParseMode("Queue"); !errors.As(err, &re) || re.Field != "mode" {
		t.Errorf("an unknown mode: got %v", err)
	}
}
