package requester_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/pkg/flow"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

func TestClosedKeptAliveConnectionIsReplacedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(t, 1)
		c, n := piped(t, requester.Config{Breaker: b}, answering(ok200))
		mustDo(t, c, get("/1"))
		synctest.Wait() // the server has closed
		if resp := mustDo(t, c, get("/2")); resp.Status != 200 {
			t.Errorf("got status %d", resp.Status)
		}
		if got := n.dials.Load(); got != 2 || b.AnyTripped() {
			t.Errorf("got %d dials, tripped %v; want 2 and no host error", got, b.AnyTripped())
		}
	})
}

func TestReplacementThatFailsIsAHostError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, n := piped(t, requester.Config{}, func(n int, c net.Conn) {
			if n == 1 {
				answering(ok200)(n, c)
			} else {
				readRequest(bufio.NewReader(c))
			}
		})
		mustDo(t, c, get("/1"))
		synctest.Wait()
		_, err := c.Do(t.Context(), get("/2"), nil)
		if lost := wantErr[*hosterrors.ConnError](t, err); !lost.Fresh || lost.Phase != hosterrors.PhaseHead {
			t.Errorf("got %+v, want the head of a fresh connection", lost)
		}
		if v := hosterrors.Judge(err); v.Blame != hosterrors.BlameHost || n.dials.Load() != 2 {
			t.Errorf("got %+v after %d dials, want a host error after 2", v, n.dials.Load())
		}
	})
}

func TestReplacementTakesASlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := piped(t, requester.Config{Scan: flow.Rule{Rate: 1}}, answering(ok200))
		start := time.Now()
		mustDo(t, c, get("/1"))
		mustDo(t, c, get("/2"))
		if got := time.Since(start); got != 2*time.Second {
			t.Errorf("two requests and a repeat took %v at one a second, want 2s", got)
		}
	})
}

// github.com/go-resty/resty/issues/777: what may have been processed is not sent again.
func TestPostIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		c, _ := piped(t, requester.Config{}, func(_ int, c net.Conn) {
			br := bufio.NewReader(c)
			for {
				req, ok := readRequest(br)
				if !ok {
					return
				}
				seen = append(seen, req.Method+" "+req.RequestURI)
				if req.Method == "POST" {
					return
				}
				io.WriteString(c, ok200)
			}
		})
		mustDo(t, c, get("/1"))
		req := get("/2")
		req.Method, req.Body = "POST", []byte("x")
		_, err := c.Do(t.Context(), req, nil)
		wantErr[*hosterrors.ConnError](t, err)
		synctest.Wait()
		if want := []string{"GET /1", "POST /2"}; !slices.Equal(seen, want) {
			t.Errorf("the host saw %q, want %q", seen, want)
		}
	})
}

// recorder notes the calls of a send.
type recorder struct {
	calls []string
	waits []time.Duration
}

func (r *recorder) Wait(_ context.Context, until time.Time) error {
	r.calls = append(r.calls, "wait")
	r.waits = append(r.waits, time.Until(until))
	return nil
}

func (r *recorder) Dialed(context.Context) error {
	r.calls = append(r.calls, "dialed")
	return nil
}

func TestTurnWaitsAndTakesAWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := piped(t, requester.Config{Host: flow.Rule{Rate: 2}}, forever(ok200))
		var turn recorder
		for range 2 {
			if _, err := c.Do(t.Context(), get("/"), &turn); err != nil {
				t.Fatal(err)
			}
		}
		if want := []string{"dialed", "wait", "dialed"}; !slices.Equal(turn.calls, want) || turn.waits[0] != time.Second/2 {
			t.Errorf("got %v, waits %v; want %v and half a second", turn.calls, turn.waits, want)
		}
	})
}

func TestRefusedSendGivesItsSlotBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(t, 1)
		c, n := piped(t, requester.Config{Breaker: b, Scan: flow.Rule{Rate: 1}, Host: flow.Rule{Rate: 0.5}}, forever(ok200))
		b.Trip(key, io.EOF)
		before := time.Now()
		_, err := c.Do(t.Context(), get("/"), nil)
		held := wantErr[*requester.NotAdmittedError](t, err)
		if want := before.Add(hosterrors.DefaultCooldown); held.Key != key || !held.Until.Equal(want) {
			t.Errorf("got %s until %v, want %s until %v", held.Key, held.Until, key, want)
		}
		if got := c.Pace(time.Now()); got.After(time.Now()) {
			t.Errorf("the scan's next slot is %v away, want at once", time.Until(got))
		}
		other := get("/")
		other.Host = "other.test"
		mustDo(t, c, other)
		if got := time.Since(before); got != 0 || n.dials.Load() != 1 {
			t.Errorf("another host waited %v, %d dials", got, n.dials.Load())
		}
		if got := c.Pace(time.Now()).Sub(before); got != time.Second {
			t.Errorf("after one request the scan's next slot is at %v, want 1s", got)
		}
		if got := c.NextAdmit("other.test:80", time.Now()).Sub(before); got != 2*time.Second {
			t.Errorf("the other host's next slot is at %v, want 2s", got)
		}
	})
}

func TestRejectedSendIsToldWhen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := piped(t, requester.Config{Host: flow.Rule{Rate: 1, Mode: flow.Reject}}, forever(ok200))
		start := time.Now()
		mustDo(t, c, get("/"))
		_, err := c.Do(t.Context(), get("/"), nil)
		held := wantErr[*requester.NotAdmittedError](t, err)
		if got := held.Until.Sub(start); got != time.Second {
			t.Errorf("got %v, want 1s", got)
		}
	})
}

func TestWaitForASlotEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := piped(t, requester.Config{Scan: flow.Rule{Rate: 0.1}}, forever(ok200))
		mustDo(t, c, get("/"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Do(ctx, get("/"), nil)
		if v := hosterrors.Judge(err); err == nil || v.Blame != hosterrors.BlameNobody {
			t.Errorf("got %v, judged %+v", err, v)
		}
		if got := time.Until(c.Pace(time.Now())); got != 9*time.Second {
			t.Errorf("next slot in %v, want 9s: the cancelled one was not given back", got)
		}
	})
}
