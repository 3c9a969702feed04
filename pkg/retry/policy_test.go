package retry

import (
	"errors"
	"testing"
	"time"
)

var (
	start     = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	again     = Failure{Kind: Temporary, Repeatable: true}
	plainPlan = Plan{Base: 2 * time.Second, Max: time.Minute, Jitter: NoJitter}
)

func TestNextAsksTheRulesInOrder(t *testing.T) {
	spent, err := NewBudget(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	late := time.Nanosecond
	for _, tt := range []struct {
		name   string
		policy Policy
		f      Failure
		want   Stop
	}{
		{"cancelled beats all", Policy{Deadline: late, Budget: spent}, Failure{Kind: Cancelled}, StopCancelled},
		{"permanent beats exhausted", Policy{Deadline: late, Budget: spent}, Failure{Repeatable: true}, StopPermanent},
		{"nobody judged it", Policy{Attempts: 3, Plan: plainPlan}, Failure{}, StopPermanent},
		{"temporary, but not to be repeated", Policy{Attempts: 3, Plan: plainPlan}, Failure{Kind: Temporary}, StopPermanent},
		{"exhausted beats a bad policy", Policy{Attempts: 1, Deadline: late, Budget: spent}, again, StopExhausted},
		{"bad policy beats the deadline", Policy{Attempts: 2, Deadline: late, Budget: spent}, again, StopBadPolicy},
		{"deadline beats the scan budget", Policy{Attempts: 2, Plan: plainPlan, Deadline: late, Budget: spent}, again, StopDeadline},
		{"scan budget", Policy{Attempts: 2, Plan: plainPlan, Budget: spent}, again, StopScanBudget},
		{"again", Policy{Attempts: 2, Plan: plainPlan}, again, StopNone},
	} {
		d := tt.policy.Next(State{Attempt: 1, Started: start}, tt.f, start)
		if d.Stop != tt.want || d.Again != (tt.want == StopNone) || d.Attempt != 1 {
			t.Errorf("%s: %+v, want stop %v after attempt 1", tt.name, d, tt.want)
		}
		if errors.Is(d.Err, ErrBadPolicy) != (tt.want == StopBadPolicy) {
			t.Errorf("%s: error is %v", tt.name, d.Err)
		}
		if d.At.IsZero() == d.Again {
			t.Errorf("%s: the time is %v", tt.name, d.At)
		}
	}
}

func TestNextPlansTheWait(t *testing.T) {
	p := Policy{Attempts: 3, Plan: plainPlan}
	d := p.Next(State{Attempt: 2, Started: start}, again, start.Add(7*time.Second))
	if d.Wait != 4*time.Second || !d.At.Equal(start.Add(11*time.Second)) {
		t.Errorf("%+v, want a wait of 4s from 7s on", d)
	}
	d = p.Next(State{Attempt: 3, Started: start}, again, start)
	if d.Stop != StopExhausted || d.Wait != 0 {
		t.Errorf("%+v, want no wait after the last attempt", d)
	}
}

func TestNextHonoursThePause(t *testing.T) {
	p := Policy{Attempts: 3, Plan: Plan{Base: 100 * time.Millisecond, Max: 200 * time.Millisecond, Jitter: NoJitter}, Deadline: time.Second}
	f := again
	for _, tt := range []struct{ pause, want time.Duration }{
		{-time.Second, 100 * time.Millisecond},
		{99 * time.Millisecond, 100 * time.Millisecond},
		{500 * time.Millisecond, 500 * time.Millisecond}, // above Plan.Max
	} {
		f.Pause = tt.pause
		if d := p.Next(State{Attempt: 1, Started: start}, f, start); !d.Again || d.Wait != tt.want {
			t.Errorf("pause %v: %+v, want a wait of %v", tt.pause, d, tt.want)
		}
	}
	f.Pause = time.Second
	if d := p.Next(State{Attempt: 1, Started: start}, f, start); d.Stop != StopDeadline || d.Wait != time.Second {
		t.Errorf("%+v, want the deadline to hold for a pause too, with the wait told", d)
	}
}

func TestDeadlineIsExclusive(t *testing.T) {
	p := Policy{Attempts: 9, Plan: plainPlan, Deadline: 10 * time.Second}
	st := State{Attempt: 1, Started: start}
	for _, tt := range []struct {
		at   time.Duration
		want Stop
	}{
		{8*time.Second - 1, StopNone},
		{8 * time.Second, StopDeadline}, // would start at 10 s exactly
		{time.Hour, StopDeadline},
		{-time.Hour, StopNone}, // a clock that went back
	} {
		if d := p.Next(st, again, start.Add(tt.at)); d.Stop != tt.want || d.Wait != 2*time.Second {
			t.Errorf("failed at %v: %+v, want %v", tt.at, d, tt.want)
		}
	}
	for _, tt := range []struct {
		at   time.Duration
		want Stop
	}{
		{10*time.Second - 1, StopNone},
		{10 * time.Second, StopDeadline}, // stood in the queue until then
	} {
		if d := p.Start(st, start.Add(tt.at)); d.Stop != tt.want {
			t.Errorf("start at %v: %+v, want %v", tt.at, d, tt.want)
		}
	}
}

func TestDeadlineWithoutAStart(t *testing.T) {
	p := Policy{Attempts: 9, Plan: plainPlan, Deadline: 2 * time.Second}
	if d := p.Start(State{}, start); !d.Again || !d.At.Equal(start) {
		t.Errorf("%+v, want the first attempt at once", d)
	}
	if d := p.Next(State{Attempt: 1}, again, start); d.Stop != StopDeadline {
		t.Errorf("%+v, want the wait alone to reach the deadline", d)
	}
	p.Deadline++
	if d := p.Next(State{Attempt: 1}, again, start); !d.Again {
		t.Errorf("%+v, want another attempt", d)
	}
}

func TestAttemptsCountTheFirstCall(t *testing.T) {
	for _, attempts := range []int{-1, 0} {
		if d := (Policy{Attempts: attempts}).Start(State{}, start); d.Stop != StopExhausted {
			t.Errorf("budget %d: %+v, want no call at all", attempts, d)
		}
	}
	p := Policy{Attempts: 3, Plan: plainPlan}
	for attempt, want := range []Stop{StopNone, StopNone, StopNone, StopExhausted} {
		if d := p.Start(State{Attempt: attempt}, start); d.Stop != want {
			t.Errorf("after %d attempts: %+v, want %v", attempt, d, want)
		}
	}
}
