package retry

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Loop makes a call until a rule stops it, and waits by itself between the
// attempts. It is for callers with one thing to do; who runs many uses Policy
// and keeps no goroutine waiting. A Loop is read only: Do may run many times at
// once if the functions may.
type Loop struct {
	Policy Policy
	// Judge tells what an error of the call means. Nil makes every error
	// permanent, so that nothing is repeated.
	Judge func(error) Failure
	// Sleep waits for d or until the context ends, whose error it then returns.
	// Nil waits with a timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Result tells how the attempts ended.
type Result struct {
	Attempts int           // calls that were made
	Stop     Stop          // the rule that ended them; StopNone for a success
	Wait     time.Duration // the planned wait that did not come to its end, else 0
	Err      error         // nil for a success only; wraps the last error of the call, if one was made
}

// errNoAttempt is the cause when a rule stopped the work before its first call.
var errNoAttempt = errors.New("no attempt was made")

// Do calls until it succeeds or a rule stops it. attempt counts from 1. The
// context is looked at before every call, while waiting and after a failure;
// when it has ended the result is StopCancelled and wraps context.Cause.
func (l Loop) Do(ctx context.Context, call func(ctx context.Context, attempt int) error) Result {
	now, sleep := l.Now, l.Sleep
	if now == nil {
		now = time.Now
	}
	if sleep == nil {
		sleep = sleepTimer
	}
	st := State{Started: now()}
	last := errNoAttempt
	for {
		// Asked again after a wait, which may have taken longer than planned.
		d := l.start(ctx, st, now())
		if !d.Again {
			if st.Attempt > 0 {
				l.Policy.Budget.Refund()
			}
			return stopped(d, context.Cause(ctx), last)
		}
		st.Attempt++
		l.Policy.Budget.Sent()
		last = call(ctx, st.Attempt)
		if last == nil {
			return Result{Attempts: st.Attempt}
		}
		d = l.Policy.Next(st, l.judge(ctx, last), now())
		if !d.Again {
			return stopped(d, context.Cause(ctx), last)
		}
		if err := sleep(ctx, d.Wait); err != nil {
			l.Policy.Budget.Refund()
			d.Stop = StopCancelled
			return stopped(d, err, last)
		}
	}
}

func (l Loop) start(ctx context.Context, st State, now time.Time) Decision {
	if ctx.Err() != nil {
		return Decision{Attempt: st.Attempt, Stop: StopCancelled}
	}
	return l.Policy.Start(st, now)
}

func (l Loop) judge(ctx context.Context, err error) Failure {
	switch {
	case ctx.Err() != nil:
		return Failure{Kind: Cancelled}
	case l.Judge == nil:
		return Failure{}
	}
	return l.Judge(err)
}

// stopped makes the result of a decision against another attempt. cause says
// why the work was called off, and is used for nothing else.
func stopped(d Decision, cause, last error) Result {
	why := d.Err
	if d.Stop == StopCancelled {
		why = cause
	}
	r := Result{Attempts: d.Attempt, Stop: d.Stop, Wait: d.Wait}
	if why == nil {
		r.Err = fmt.Errorf("stopped after attempt %d (%v): %w", d.Attempt, d.Stop, last)
	} else {
		r.Err = fmt.Errorf("stopped after attempt %d (%w): %w", d.Attempt, why, last)
	}
	return r
}

// sleepTimer waits for d on a timer, or until the context ends.
func sleepTimer(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
