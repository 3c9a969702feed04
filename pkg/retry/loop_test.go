package retry

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var errBoom = errors.New("boom")

func always(error) Failure { return again }

// failing returns a call that fails the first n times and notes when each began.
func failing(n int, starts *[]time.Duration) func(context.Context, int) error {
	began := time.Now()
	return func(_ context.Context, attempt int) error {
		*starts = append(*starts, time.Since(began))
		if attempt <= n {
			return errBoom
		}
		return nil
	}
}

func TestLoopDeadline(t *testing.T) {
	for _, tt := range []struct {
		name     string
		deadline time.Duration
		starts   []time.Duration
		stop     Stop
		wait     time.Duration
	}{
		{"10: the third call succeeds at 6", 10 * time.Second, []time.Duration{0, 2 * time.Second, 6 * time.Second}, StopNone, 0},
		{"6: stops after 2 calls", 6 * time.Second, []time.Duration{0, 2 * time.Second}, StopDeadline, 4 * time.Second},
		{"a nanosecond more", 6*time.Second + 1, []time.Duration{0, 2 * time.Second, 6 * time.Second}, StopNone, 0},
		{"none", 0, []time.Duration{0, 2 * time.Second, 6 * time.Second}, StopNone, 0},
		{"2: stops after the first", 2 * time.Second, []time.Duration{0}, StopDeadline, 2 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			var starts []time.Duration
			l := Loop{Policy: Policy{Attempts: 5, Plan: plainPlan, Deadline: tt.deadline}, Judge: always}
			r := l.Do(t.Context(), failing(2, &starts))
			if !slices.Equal(starts, tt.starts) || r.Attempts != len(tt.starts) || r.Stop != tt.stop || r.Wait != tt.wait {
				t.Errorf("%s: %+v with calls at %v, want %v, stop %v", tt.name, r, starts, tt.starts, tt.stop)
			}
			if (r.Err == nil) != (tt.stop == StopNone) || (r.Err != nil && !errors.Is(r.Err, errBoom)) {
				t.Errorf("%s: error is %v", tt.name, r.Err)
			}
		})
	}
}

func TestLoopStops(t *testing.T) {
	none, err := NewBudget(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		loop   Loop
		calls  int
		stop   Stop
		waited time.Duration
	}{
		{"budget 0", Loop{Policy: Policy{Plan: plainPlan}, Judge: always}, 0, StopExhausted, 0},
		{"budget 1", Loop{Policy: Policy{Attempts: 1}, Judge: always}, 1, StopExhausted, 0},
		{"budget 3", Loop{Policy: Policy{Attempts: 3, Plan: plainPlan}, Judge: always}, 3, StopExhausted, 6 * time.Second},
		{"no judge", Loop{Policy: Policy{Attempts: 3, Plan: plainPlan}}, 1, StopPermanent, 0},
		{"bad policy at wait 1", Loop{Policy: Policy{Attempts: 3}, Judge: always}, 1, StopBadPolicy, 0},
		{"bad policy at wait 2", Loop{Policy: Policy{Attempts: 3, Plan: Plan{Base: 2 * time.Second, Max: time.Minute, Jitter: FixedJitter(0)}}, Judge: always}, 2, StopBadPolicy, 2 * time.Second},
		{"scan budget", Loop{Policy: Policy{Attempts: 3, Plan: plainPlan, Budget: none}, Judge: always}, 1, StopScanBudget, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			var starts []time.Duration
			r := tt.loop.Do(t.Context(), failing(99, &starts))
			if len(starts) != tt.calls || r.Attempts != tt.calls || r.Stop != tt.stop || time.Since(began) != tt.waited {
				t.Errorf("%s: %+v with calls at %v, want %d calls, stop %v, %v waited", tt.name, r, starts, tt.calls, tt.stop, tt.waited)
			}
			if r.Err == nil || errors.Is(r.Err, errBoom) != (tt.calls > 0) || errors.Is(r.Err, ErrBadPolicy) != (tt.stop == StopBadPolicy) {
				t.Errorf("%s: error is %v", tt.name, r.Err)
			}
		})
	}
}

// A policy without waits is no trouble for who never needs one.
func TestLoopSuccessNeedsNoPlan(t *testing.T) {
	var starts []time.Duration
	r := Loop{Policy: Policy{Attempts: 3}}.Do(t.Context(), failing(0, &starts))
	if r != (Result{Attempts: 1}) {
		t.Errorf("%+v, want a plain success", r)
	}
}

func TestLoopCancelled(t *testing.T) {
	off := errors.New("switched off")
	t.Run("before the first call", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(off)
		var starts []time.Duration
		r := Loop{Policy: Policy{Attempts: 3}}.Do(ctx, failing(0, &starts))
		if len(starts) != 0 || r.Attempts != 0 || r.Stop != StopCancelled || !errors.Is(r.Err, off) {
			t.Errorf("%+v after %d calls, want none", r, len(starts))
		}
	})
	t.Run("during a call", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		r := Loop{Policy: Policy{Attempts: 3, Plan: plainPlan}, Judge: always}.Do(ctx, func(context.Context, int) error {
			cancel(off)
			return errBoom
		})
		if r.Attempts != 1 || r.Stop != StopCancelled || !errors.Is(r.Err, off) || !errors.Is(r.Err, errBoom) {
			t.Errorf("%+v, want one call and both errors", r)
		}
	})
	t.Run("while waiting", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			budget, err := NewBudget(0, 1)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(off) })
			began := time.Now()
			var starts []time.Duration
			r := Loop{Policy: Policy{Attempts: 3, Plan: plainPlan, Budget: budget}, Judge: always}.Do(ctx, failing(9, &starts))
			if r.Attempts != 1 || r.Stop != StopCancelled || r.Wait != 2*time.Second || !errors.Is(r.Err, off) || !errors.Is(r.Err, errBoom) {
				t.Errorf("%+v, want it cancelled after one call", r)
			}
			if got := time.Since(began); got != time.Second {
				t.Errorf("left after %v, want at once", got)
			}
			if taken, _ := budget.Retries(); taken != 0 {
				t.Errorf("%d retries are taken, want the unsent one given back", taken)
			}
		})
	})
	t.Run("by the judge", func(t *testing.T) {
		l := Loop{Policy: Policy{Attempts: 3}, Judge: func(error) Failure { return Failure{Kind: Cancelled} }}
		var starts []time.Duration
		if r := l.Do(t.Context(), failing(9, &starts)); r.Attempts != 1 || r.Stop != StopCancelled || !strings.Contains(r.Err.Error(), "cancelled") {
			t.Errorf("%+v, want it cancelled after one call", r)
		}
	})
}

// A wait that took longer than planned must not carry an attempt over the deadline.
func TestLoopAsksAgainAfterTheWait(t *testing.T) {
	budget, err := NewBudget(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	now := start
	l := Loop{
		Policy: Policy{Attempts: 3, Plan: plainPlan, Deadline: 10 * time.Second, Budget: budget},
		Judge:  always,
		Now:    func() time.Time { return now },
		Sleep: func(_ context.Context, d time.Duration) error {
			now = now.Add(d + 8*time.Second)
			return nil
		},
	}
	var starts []time.Duration
	r := l.Do(t.Context(), failing(9, &starts))
	if r.Attempts != 1 || r.Stop != StopDeadline {
		t.Errorf("%+v, want the deadline after one call", r)
	}
	if taken, _ := budget.Retries(); taken != 0 {
		t.Errorf("%d retries are taken, want the unsent one given back", taken)
	}
}

func TestLoopCountsWhatItSends(t *testing.T) {
	budget, err := NewBudget(50, 0)
	if err != nil {
		t.Fatal(err)
	}
	l := Loop{
		Policy: Policy{Attempts: 99, Plan: plainPlan, Budget: budget},
		Judge:  always,
		Sleep:  func(context.Context, time.Duration) error { return nil },
	}
	var starts []time.Duration
	fine := Loop{Policy: l.Policy}
	for range 2 {
		if r := fine.Do(t.Context(), failing(0, &starts)); r.Err != nil {
			t.Fatal(r.Err)
		}
	}
	// 3 sent allow 1 retry, 4 sent allow 2, and 5 sent allow no third one.
	r := l.Do(t.Context(), failing(99, &starts))
	if r.Stop != StopScanBudget || r.Attempts != 3 {
		t.Errorf("%+v, want the scan budget after 3 attempts", r)
	}
}
