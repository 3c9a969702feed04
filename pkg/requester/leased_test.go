package requester_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/pkg/flow"
	"github.com/redialscan/redial/pkg/requester"
)

// The pace of others is kept by everything that is sent: first requests, hops, and what goes out again on a fresh connection.
func TestLeasedSlotsAreTheOnlyWayOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pace flow.Leased
		start := time.Now()
		var mu sync.Mutex
		var came []time.Duration
		c, _ := piped(t, requester.Config{Pace: &pace}, func(_ int, conn net.Conn) {
			if r, ok := readRequest(bufio.NewReader(conn)); ok {
				mu.Lock()
				came = append(came, time.Since(start))
				mu.Unlock()
				if r.URL.Path == "/to" {
					_, _ = io.WriteString(conn, "HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 0\r\n\r\n")
					return
				}
				_, _ = io.WriteString(conn, ok200)
			}
		})
		_, err := c.Do(t.Context(), get("/"), nil)
		if held := wantErr[*requester.NotAdmittedError](t, err); !held.Until.After(start) {
			t.Errorf("without a slot, refused until %v", held.Until.Sub(start))
		}
		pace.Add(start.Add(100*time.Millisecond), 100*time.Millisecond, 1)
		mustDo(t, c, get("/one"))
		pace.Add(start.Add(200*time.Millisecond), 0, 1)
		time.AfterFunc(290*time.Millisecond, func() { pace.Add(start.Add(400*time.Millisecond), 50*time.Millisecond, 3) })
		req := get("/to")
		req.Redirects = 1
		// It is written to a connection that the host has closed, goes again, and the hop too.
		if resp := mustDo(t, c, req); resp.Status != 200 || resp.Hops != 1 {
			t.Errorf("got %d after %d hops", resp.Status, resp.Hops)
		}
		mu.Lock()
		defer mu.Unlock()
		for i, want := range []time.Duration{100, 400, 500} {
			if i >= len(came) || came[i] != want*time.Millisecond {
				t.Fatalf("requests came at %v; want them at the slots' moments, 100, 400 and 500 ms", came)
			}
		}
	})
}

// lateTurn comes back from a wait later than it should, as one who waits for a worker does.
type lateTurn struct{ late time.Duration }

func (l *lateTurn) Dialed(context.Context) error { return nil }
func (l *lateTurn) Wait(_ context.Context, at time.Time) error {
	<-time.After(time.Until(at) + l.late)
	l.late = 0
	return nil
}

func TestLeasedSlotOfALatecomer(t *testing.T) {
	for _, test := range []struct {
		late, next, want time.Duration // next slot, and when the request comes; 0 = it does not
	}{
		{20 * time.Millisecond, 0, 120 * time.Millisecond}, // in time to the nanosecond
		{20*time.Millisecond + 1, 0, 0},
		{50 * time.Millisecond, 140 * time.Millisecond, 150 * time.Millisecond},
		{50 * time.Millisecond, 170 * time.Millisecond, 170 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			var pace flow.Leased
			start := time.Now()
			pace.Add(start.Add(100*time.Millisecond), 0, 1)
			if test.next > 0 {
				pace.Add(start.Add(test.next), 0, 1)
			}
			c, n := piped(t, requester.Config{Pace: &pace}, forever(ok200))
			_, err := c.Do(t.Context(), get("/"), &lateTurn{test.late})
			if test.want == 0 {
				wantErr[*requester.NotAdmittedError](t, err)
				if n.dials.Load() != 0 {
					t.Error("it was sent by a slot that had gone by")
				}
			} else if came := time.Since(start); err != nil || came != test.want {
				t.Errorf("%v late: came at %v with %v, want %v", test.late, came, err, test.want)
			}
		})
	}
}
