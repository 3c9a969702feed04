package cluster

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

var errUnconfirmed = fmt.Errorf("%w: it was not confirmed in time", ErrLeaseLost)

// lease is the [Lease] of one batch. It starts when the batch was asked for, since the server may have handed it out at any
// time from then on, and is valid for three quarters of the ack wait. A confirmation counts from when it was asked for, and
// only when it comes while the lease is valid: the server has then seen the request before it could have given the batch to another.
//
//	asked             asked again       confirmed in time: valid until here
//	  |----- valid: 3/4 of the ack wait ----|- - -|
//	  |                 |----- valid: 3/4 of the ack wait ----|
//	  |----- the server keeps it at least so long: the ack wait -----|
type lease struct {
	length time.Duration
	until  atomic.Pointer[time.Time]
	lost   atomic.Bool // for good
}

func newLease(ackWait time.Duration, asked time.Time) *lease {
	l := &lease{length: ackWait * 3 / 4}
	l.set(asked)
	return l
}

func (l *lease) set(asked time.Time) {
	until := asked.Add(l.length)
	l.until.Store(&until)
}

// Valid implements [Lease]. Both clocks have to say so: the monotonic one does not run while a machine sleeps, and the wall
// clock may be set back.
func (l *lease) Valid(now time.Time) bool {
	until := *l.until.Load()
	if l.lost.Load() {
		return false
	}
	if now.Before(until) && now.Round(0).Before(until.Round(0)) {
		return true
	}
	l.lost.Store(true)
	return false
}

// confirm notes at now that what was asked for was confirmed, and says whether that was in time.
func (l *lease) confirm(asked, now time.Time) bool {
	if !l.Valid(now) {
		return false
	}
	l.set(asked)
	return true
}

// keep asks for more time until ctx ends, and returns an error when the lease is lost. ask waits for the confirmation.
func (l *lease) keep(ctx context.Context, ask func(ctx context.Context) error) error {
	every := l.length / 4
	timer := time.NewTimer(every)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		asked := time.Now()
		if !l.Valid(asked) {
			return errUnconfirmed
		}
		asking, stop := context.WithDeadline(ctx, *l.until.Load())
		err := ask(asking)
		stop()
		now := time.Now()
		if err == nil && l.confirm(asked, now) {
			timer.Reset(max(0, every-now.Sub(asked)))
			continue
		}
		if !l.Valid(now) && ctx.Err() == nil {
			return errUnconfirmed
		}
		timer.Reset(min(every/4, time.Until(*l.until.Load())))
	}
}
