package cluster

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

const wait = 30 * time.Second

func TestALeaseIsValidForThreeQuartersOfTheAckWait(t *testing.T) {
	asked := time.Now()
	l := newLease(wait, asked)
	end := asked.Add(wait * 3 / 4)
	if !l.Valid(asked) || !l.Valid(end.Add(-1)) {
		t.Error("it ends before its time")
	}
	if l.Valid(end) {
		t.Error("it is valid at its end")
	}
	if l.Valid(asked) || l.confirm(asked, asked) {
		t.Error("it was lost, and came back")
	}
}

func TestASleepOfTheMachineEndsALease(t *testing.T) {
	asked := time.Now()
	l := newLease(wait, asked)
	// The wall clock has gone on, the monotonic one has not: as if it had been read at asked, without it.
	if l.Valid(asked.Round(0).Add(wait)) {
		t.Error("it is valid by the monotonic clock alone")
	}
}

func TestALateConfirmationDoesNotCount(t *testing.T) {
	asked := time.Now()
	l := newLease(wait, asked)
	if l.confirm(asked.Add(20*time.Second), asked.Add(23*time.Second)) {
		t.Error("confirmed after its end")
	}
	l = newLease(wait, asked)
	if !l.confirm(asked.Add(20*time.Second), asked.Add(22*time.Second)) {
		t.Error("not confirmed in time")
	}
	if end := asked.Add(20*time.Second + wait*3/4); !l.Valid(end.Add(-1)) || l.Valid(end) {
		t.Error("it does not count from when it was asked for")
	}
}

// A server gives a batch to another worker when it was not heard of for the ack wait. However long requests and answers
// are on their way, and whenever the process stands still, no lease is valid at that time.
func TestNoLeaseOutlivesItsBatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Now()
		span := func(name string, most time.Duration) time.Duration {
			return time.Duration(rapid.Int64Range(0, int64(most)).Draw(t, name))
		}
		l := newLease(wait, now)
		heard := now.Add(span("way of the batch", wait)) // when the server handed it out
		for range rapid.IntRange(1, 20).Draw(t, "requests") {
			now = now.Add(span("pause", wait/2))
			if !l.Valid(now) {
				break
			}
			asked := now
			at := asked.Add(span("there", wait/2))
			if at.Before(heard.Add(wait)) {
				heard = at // the server counts anew
			} // else another has the batch; the server confirms all the same
			now = at.Add(span("back", wait/2))
			l.confirm(asked, now)
		}
		if given := heard.Add(wait); l.Valid(given) {
			t.Fatalf("valid when another worker has the batch")
		}
	})
}

func TestKeepAsksInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLease(wait, time.Now())
		ctx, stop := context.WithCancel(t.Context())
		asked := 0
		ended := make(chan error)
		go func() {
			ended <- l.keep(ctx, func(context.Context) error {
				asked++
				return nil
			})
		}()
		timer := time.NewTimer(10 * wait)
		<-timer.C
		if !l.Valid(time.Now()) || asked < 10 {
			t.Errorf("valid %v after ten times the ack wait, asked %d times", l.Valid(time.Now()), asked)
		}
		stop()
		if err := <-ended; err != nil {
			t.Errorf("got %v, want nothing when it is no longer needed", err)
		}
	})
}

func TestKeepEndsWithTheLease(t *testing.T) {
	for name, ask := range map[string]func(context.Context) error{
		"refused":      func(context.Context) error { return errors.New("no") },
		"never":        func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"late, though": func(ctx context.Context) error { <-ctx.Done(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				l := newLease(wait, began)
				if err := l.keep(t.Context(), ask); !errors.Is(err, ErrLeaseLost) {
					t.Errorf("got %v, want ErrLeaseLost", err)
				}
				if took := time.Since(began); took != wait*3/4 || l.Valid(began) {
					t.Errorf("ended after %s, want %s, and for good", took, wait*3/4)
				}
			})
		})
	}
}
