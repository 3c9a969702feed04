package requester_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/pkg/failurewindow"
	"github.com/redialscan/redial/pkg/flow"
	"github.com/redialscan/redial/pkg/requester"
)

func newWindow(t *testing.T) *failurewindow.Window {
	w, err := failurewindow.New(failurewindow.Config{Limit: 2, Length: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// goOn gives a second client what a first one remembers, over the way that it takes between processes.
func goOn(t *testing.T, first *requester.Client, second *requester.Client, most int) {
	t.Helper()
	text, err := json.Marshal(first.Memories(time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > most {
		t.Errorf("%d bytes for one host, want at most %d: %s", len(text), most, text)
	}
	var all map[string]requester.Memory
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if err := second.Recall(all, time.Now()); err != nil {
		t.Fatal(err)
	}
}

// How a host is to be paced goes with it from one client to another.
func TestMemoryOfAHost(t *testing.T) {
	for _, test := range []struct {
		name  string
		cfg   func() requester.Config
		serve func(n int, conn net.Conn)
		sends int
		wait  time.Duration // 0 = any
	}{
		{"named a time", func() requester.Config { return requester.Config{} }, answering(status(429, "Retry-After: 7\r\n")), 1, 7 * time.Second},
		{"slowed", func() requester.Config { return requester.Config{} }, forever(status(429, "")), 1, time.Second},
		{"own pace", func() requester.Config { return requester.Config{Host: flow.Rule{Rate: 0.5}} }, forever(ok200), 1, 2 * time.Second},
		{"held", func() requester.Config { return requester.Config{Window: newWindow(t)} },
			func(_ int, conn net.Conn) { readRequest(bufio.NewReader(conn)) }, 2, time.Minute},
		{"nearly held", func() requester.Config { return requester.Config{Window: newWindow(t)} },
			func(_ int, conn net.Conn) { readRequest(bufio.NewReader(conn)) }, 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first, _ := piped(t, test.cfg(), test.serve)
				for range test.sends {
					_, _ = first.Do(t.Context(), get("/"), nil)
				}
				second, _ := piped(t, test.cfg(), test.serve)
				goOn(t, first, second, 300)
				now := time.Now()
				at, want := second.NextAdmit(key, now), first.NextAdmit(key, now)
				if !at.Equal(want) || at.Sub(now) != test.wait {
					t.Errorf("next in %v, want %v, as before", at.Sub(now), want.Sub(now))
				}
				if test.name == "nearly held" {
					_, _ = second.Do(t.Context(), get("/"), nil)
					if !second.Held(key, time.Now()) {
						t.Error("the failure that was told of does not count")
					}
				}
			})
		})
	}
}

// A host that was slowed climbs on from the rate that it had.
func TestMemoryOfAThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		serve := func(_ int, conn net.Conn) {
			for br := bufio.NewReader(conn); ; {
				if _, ok := readRequest(br); !ok {
					return
				}
				text := ok200
				if n++; n == 100 {
					text = status(429, "")
				}
				_, _ = io.WriteString(conn, text)
			}
		}
		first, _ := piped(t, requester.Config{}, serve)
		send := func(c *requester.Client) {
			for {
				_, err := c.Do(t.Context(), get("/"), nil)
				if err == nil {
					return
				}
				<-time.After(time.Until(wantErr[*requester.NotAdmittedError](t, err).Until))
			}
		}
		for range 100 {
			send(first)
			<-time.After(10 * time.Millisecond)
		}
		second, _ := piped(t, requester.Config{}, serve)
		goOn(t, first, second, 400)
		rate := func(c *requester.Client) int {
			start, n := time.Now(), 0
			for ; time.Since(start) < time.Second; n++ {
				send(c)
			}
			return n
		}
		// Half of a hundred a second, and up to 85 of them in some steps.
		if got := rate(second); got < 50 || got > 85 {
			t.Errorf("%d requests in the first second, want between half of the rate and what the host has taken", got)
		}
	})
}

// What comes from another process may be anything.
func TestMemoryOutOfBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const far = time.Duration(1 << 62)
		c, _ := piped(t, requester.Config{Window: newWindow(t), Host: flow.Rule{Rate: 10}}, forever(ok200))
		err := c.Recall(map[string]requester.Memory{key: {
			Held: far, Failures: []time.Duration{far, -far},
			Throttle: &requester.Throttle{Rate: 1e300, Top: -1, Goal: -1, Stride: -1, Quiet: far, Left: far, Next: far, Cut: -far, Beg: far, Moved: -far},
			Pace:     &flow.Memory{Next: -far, Stored: -1, Recent: -1},
		}}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if wait := time.Until(c.NextAdmit(key, time.Now())); wait > requester.DefaultMaxRetryAfter {
			t.Errorf("the host has to wait for %v", wait)
		}
	})
}

// A memory that was long on its way says what the host's first client says by then.
func TestMemoryThatIsOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := func() requester.Config { return requester.Config{Window: newWindow(t), Host: flow.Rule{Rate: 0.05}} }
		lost := func(_ int, conn net.Conn) { readRequest(bufio.NewReader(conn)) }
		first, _ := piped(t, cfg(), lost)
		_, _ = first.Do(t.Context(), get("/"), nil)
		<-time.After(25 * time.Second)
		_, _ = first.Do(t.Context(), get("/"), nil)
		m := first.Memories(time.Now())[key]
		if m.Wait() != 35*time.Second || m.IsZero() {
			t.Fatalf("%+v holds the host for %v, want 35 s until the first failure is out of the window", m, m.Wait())
		}
		<-time.After(30 * time.Second)
		second, _ := piped(t, cfg(), lost)
		if err := second.Recall(map[string]requester.Memory{key: m.Aged(30 * time.Second)}, time.Now()); err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		if at := second.NextAdmit(key, now); at.Sub(now) != 5*time.Second {
			t.Errorf("next in %v, want 5 s", at.Sub(now))
		}
		<-time.After(5 * time.Second)
		if second.Held(key, time.Now()) {
			t.Error("held beyond its time")
		}
		_, _ = second.Do(t.Context(), get("/"), nil)
		if !second.Held(key, time.Now()) {
			t.Error("the second failure is forgotten")
		}
	})
}
