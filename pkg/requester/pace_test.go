package requester_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/pkg/failurewindow"
	"github.com/redialscan/redial/pkg/flow"
	"github.com/redialscan/redial/pkg/requester"
)

// told collects decisions.
type told struct {
	mu  sync.Mutex
	all []requester.Decision
}

func (d *told) hear(one requester.Decision) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, one)
}

func status(code int, fields string) string {
	return fmt.Sprintf("HTTP/1.1 %d Text\r\n%sContent-Length: 2\r\n\r\nhi", code, fields)
}

// Whatever the host names is honoured by all that goes to it, capped, or ignored; never is the wait negative or endless.
// github.com/projectdiscovery/nuclei/issues/3370, github.com/ffuf/ffuf/issues/352,
// github.com/hashicorp/go-retryablehttp/pull/297 and /issues/247.
func TestRetryAfterHoldsTheHost(t *testing.T) {
	date := func(d time.Duration) func() string {
		return func() string { return time.Now().Add(d).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT") }
	}
	text := func(s string) func() string { return func() string { return s } }
	for _, test := range []struct {
		name  string
		value func() string
		wait  time.Duration // 0 = ignored, so that the rate is halved
	}{
		{"seconds", text("7"), 7 * time.Second}, {"a date", date(7 * time.Second), 7 * time.Second},
		{"absurd", text("99999999999"), time.Minute}, {"a far date", date(time.Hour), time.Minute},
		{"negative", text("-5"), 0}, {"a word", text("soon"), 0}, {"a past date", date(-time.Hour), 0}, {"beyond 64 bits", text("99999999999999999999"), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var d told
				b := newBreaker(t, 1)
				c, _ := piped(t, requester.Config{Breaker: b, Observe: d.hear}, func(n int, conn net.Conn) {
					br := bufio.NewReader(conn)
					if _, ok := readRequest(br); ok && n == 1 {
						io.WriteString(conn, status(429, "Connection: close\r\nRetry-After: "+test.value()+"\r\n"))
						return
					}
					io.WriteString(conn, ok200)
				})
				now := time.Now()
				resp := mustDo(t, c, get("/"))
				if !resp.Throttled || b.AnyTripped() {
					t.Fatalf("throttled %v, tripped %v; want a host that is alive and asks for less", resp.Throttled, b.AnyTripped())
				}
				want := now.Add(test.wait)
				if test.wait == 0 {
					want = now.Add(time.Second) // one a second is the least
				}
				if !resp.Again.Equal(want) || !c.NextAdmit(key, now).Equal(want) {
					t.Errorf("again in %v, next in %v; want %v", resp.Again.Sub(now), c.NextAdmit(key, now).Sub(now), want.Sub(now))
				}
				if test.wait == 0 {
					if len(d.all) != 1 || d.all[0].Kind != requester.Slowed || d.all[0].Rate != 1 || d.all[0].Status != 429 {
						t.Errorf("told %+v, want the host slowed to 1/s", d.all)
					}
					return
				}
				if len(d.all) != 1 || d.all[0].Kind != requester.Waits || !d.all[0].Until.Equal(want) || d.all[0].Key != key {
					t.Errorf("told %+v, want one wait", d.all)
				}
				<-time.After(test.wait - 1)
				_, err := c.Do(t.Context(), get("/"), nil)
				if held := wantErr[*requester.NotAdmittedError](t, err); !held.Until.Equal(want) {
					t.Errorf("a nanosecond early: held until %v, want %v", held.Until, want)
				}
				<-time.After(1)
				if resp := mustDo(t, c, get("/")); resp.Throttled || resp.Status != 200 {
					t.Errorf("got %d when the wait was over", resp.Status)
				}
			})
		})
	}
}

// 503 asks for less where it says when to come back, and from a host that has answered otherwise; other codes when they
// are named. A 503 is no proof that the host answers otherwise.
func TestWhoAsksForLess(t *testing.T) {
	named := "Retry-After: 5\r\n"
	for _, test := range []struct {
		name    string
		codes   []int
		answers []string
		want    []bool
	}{
		{"503 at first", nil, []string{status(503, ""), status(503, "")}, []bool{false, false}},
		{"503 with a time", nil, []string{status(503, named)}, []bool{true}},
		{"503 of a host that answers", nil, []string{ok200, status(503, "Retry-After: -1\r\n")}, []bool{false, true}},
		{"500 with a time", nil, []string{status(500, named)}, []bool{false}},
		{"403", nil, []string{status(403, named)}, []bool{false}},
		{"403 when named", []int{403}, []string{status(403, "")}, []bool{true}},
		{"429 at first", nil, []string{status(429, "")}, []bool{true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := piped(t, requester.Config{ThrottleStatus: test.codes}, answering(test.answers...))
				var got []bool
				for range test.answers {
					got = append(got, mustDo(t, c, get("/")).Throttled)
				}
				if !slices.Equal(got, test.want) {
					t.Errorf("got %v, want %v", got, test.want)
				}
			})
		})
	}
}

// A request that waits for a slot while its host names a time does not go before that time.
func TestSlotTakenBeforeTheHostNamedATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := piped(t, requester.Config{Host: flow.Rule{Rate: 1}}, func(_ int, conn net.Conn) {
			if _, ok := readRequest(bufio.NewReader(conn)); ok {
				<-time.After(500 * time.Millisecond)
				io.WriteString(conn, status(429, "Retry-After: 7\r\n"))
			}
		})
		start := time.Now()
		ends := make(chan error, 1)
		go func() {
			_, err := c.Do(t.Context(), get("/"), nil)
			ends <- err
		}()
		synctest.Wait()
		_, err := c.Do(t.Context(), get("/"), nil) // waits a second for its slot, while the first is answered
		if first := <-ends; first != nil || time.Since(start) != time.Second {
			t.Fatalf("got %v after %v, want an answer, and a wait of a second", first, time.Since(start))
		}
		if held := wantErr[*requester.NotAdmittedError](t, err); !held.Until.Equal(start.Add(7500 * time.Millisecond)) {
			t.Errorf("held until %v after the start, want 7.5s", held.Until.Sub(start))
		}
		if next := c.NextAdmit(key, time.Now()).Sub(start); next != 7500*time.Millisecond {
			t.Errorf("next after %v, want 7.5s", next)
		}
	})
}

// Many answers of one kind are one decision, and hosts that nothing is sent to any more are forgotten.
func TestDecisionsAreToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d told
		c, _ := piped(t, requester.Config{Observe: d.hear, MaxIdle: -1}, func(_ int, conn net.Conn) {
			if _, ok := readRequest(bufio.NewReader(conn)); ok {
				<-time.After(100 * time.Millisecond)
				io.WriteString(conn, status(429, "Retry-After: 7\r\n"))
			}
		})
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { mustDo(t, c, get("/")) })
		}
		all.Wait()
		if len(d.all) != 1 {
			t.Errorf("told %d decisions of one kind, want one: %+v", len(d.all), d.all)
		}
	})
}

func TestFailureLimitIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d told
		w, err := failurewindow.New(failurewindow.Config{Limit: 3, Length: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		down := errors.New("down")
		c := newClient(t, requester.Config{Window: w, Observe: d.hear, Dial: func(context.Context, string, string) (net.Conn, error) {
			<-time.After(time.Second)
			return nil, down
		}})
		start := time.Now()
		var all sync.WaitGroup
		for range 5 { // all of them below the limit when they were admitted
			all.Go(func() {
				if _, err := c.Do(t.Context(), get("/"), nil); !errors.Is(err, down) {
					t.Errorf("got %v, want the failure", err)
				}
			})
		}
		all.Wait()
		if len(d.all) != 1 || d.all[0].Kind != requester.Held || !d.all[0].Until.Equal(start.Add(61*time.Second)) || !errors.Is(d.all[0].Err, down) {
			t.Errorf("told %+v, want the host held until a minute after its failures", d.all)
		}
		if !c.Held(key, time.Now()) || c.Held("other.test:80", time.Now()) {
			t.Error("the host is not held, or another one is")
		}
		// The gate is kept by the hold alone, and asked anew when another client shares the window.
		other := newClient(t, requester.Config{Window: w})
		_, err = other.Do(t.Context(), get("/"), nil)
		if held := wantErr[*requester.NotAdmittedError](t, err); !held.Until.Equal(start.Add(61 * time.Second)) {
			t.Errorf("held until %v, want what the window says", held.Until.Sub(start))
		}
		<-time.After(61*time.Second - time.Since(start))
		if c.Held(key, time.Now()) {
			t.Error("held beyond its time")
		}
		c.Forget(key)
	})
}

// What an outage of ours did to the failure windows is taken back with what it did to the breaker.
func TestOutageLeavesNoHostHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, err := failurewindow.New(failurewindow.Config{Limit: 1, Length: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		l := &link{off: map[string]bool{}}
		l.serve = forever(ok200)
		c := newClient(t, requester.Config{Window: w, Dial: l.dial, OutageTimeout: time.Minute, MaxIdle: -1})
		ctx, stop := context.WithCancel(t.Context())
		var watching sync.WaitGroup
		watching.Go(func() {
			if err := c.Watch(ctx, requester.OutageHooks{Paused: func(requester.Outage) {}, Over: func(requester.Outage, requester.OutageEnd) {}}); err != nil {
				t.Error(err)
			}
		})
		var keys []string
		for i := range 12 {
			keys = append(keys, fmt.Sprintf("h%d.test:80", i))
		}
		ask := func(i int) error {
			_, err := c.Do(t.Context(), &requester.Request{Scheme: "http", Host: fmt.Sprintf("h%d.test", i), Port: 80}, nil)
			return err
		}
		for i := range keys {
			if err := ask(i); err != nil {
				t.Fatal(err)
			}
		}
		l.cut(true, keys[0])
		if ask(0) == nil || !c.Held(keys[0], time.Now()) {
			t.Fatal("the first host is not held for a failure of its own")
		}
		<-time.After(10 * time.Second)
		if err := ask(1); err != nil { // the first was alone in that
			t.Fatal(err)
		}
		l.cut(true, keys...)
		for i := 1; i < len(keys); i++ {
			if ask(i) == nil {
				t.Error("got an answer without a link")
			}
		}
		l.cut(false, keys...)
		<-time.After(3 * time.Second)
		for i, key := range keys {
			if held := c.Held(key, time.Now()); held != (i == 0) {
				t.Errorf("%s held %v after the outage, want only the first, which failed before it", key, held)
			}
		}
		stop()
		watching.Wait()
	})
}
