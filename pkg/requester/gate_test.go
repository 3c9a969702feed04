package requester

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/pkg/failurewindow"
	"github.com/redialscan/redial/pkg/flow"
	"github.com/redialscan/redial/pkg/hostkey"
)

// count is the number of gates.
func (t *gates) count() int {
	n := 0
	for i := range t.shards {
		t.shards[i].mu.Lock()
		n += len(t.shards[i].m)
		t.shards[i].mu.Unlock()
	}
	return n
}

func TestGatesOfDeadHostsDoNotPileUp(t *testing.T) {
	for name, rule := range map[string]flow.Rule{"no pace": {}, "pace": {Rate: 100}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				refuse := func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("refused") }
				c, err := New(Config{Host: rule, Dial: refuse})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				for n := range 100_000 {
					req := &Request{Scheme: "http", Host: fmt.Sprintf("10.%d.%d.%d", n>>16, n>>8&255, n&255), Port: 80}
					if _, err := c.Do(t.Context(), req, nil); err == nil {
						t.Fatal("got an answer")
					}
					if n%100 == 0 {
						<-time.After(20 * time.Millisecond)
					}
				}
				if got := c.gates.count(); got > 2*minSweep*len(c.gates.shards) || rule.Rate == 0 && got > 0 {
					t.Errorf("got %d gates after 100,000 hosts without state", got)
				}
			})
		})
	}
}

// Hosts that asked for less are remembered for as long as that means something, and no longer: a list of millions that all
// answer 429 does not fill the memory.
func TestGatesOfThrottledHostsDoNotPileUp(t *testing.T) {
	for name, fields := range map[string]string{"without a time": "", "with a time": "Retry-After: 10\r\n"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const hosts, remembered = 20_000, 2500 // one every four milliseconds, for ten seconds
				answer := "HTTP/1.1 429 Slow down\r\nConnection: close\r\n" + fields + "Content-Length: 0\r\n\r\n"
				c, err := New(Config{Dial: func(context.Context, string, string) (net.Conn, error) {
					near, far := net.Pipe()
					go func() {
						defer far.Close()
						if _, err := far.Read(make([]byte, 1024)); err == nil {
							_, _ = io.WriteString(far, answer)
						}
					}()
					return near, nil
				}})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				for n := range hosts {
					req := &Request{Scheme: "http", Host: fmt.Sprintf("10.0.%d.%d", n>>8, n&255), Port: 80}
					resp, err := c.Do(t.Context(), req, nil)
					if err != nil || !resp.Throttled {
						t.Fatalf("got %+v, %v; want a host that asks for less", resp, err)
					}
					if n%2 == 0 {
						c.Forget(fmt.Sprintf("10.0.%d.%d:80", n>>8, n&255))
					}
					<-time.After(4 * time.Millisecond)
				}
				if got := c.gates.count(); got < remembered || got > 2*remembered+minSweep*len(c.gates.shards) {
					t.Errorf("%d gates after %d hosts, want the last %d and less than as many more", got, hosts, remembered)
				}
			})
		})
	}
}

// What is asked before each item costs no allocation, whatever rules the host has.
func TestQuestionsAllocateNothing(t *testing.T) {
	w, err := failurewindow.New(failurewindow.Config{Limit: 1, Length: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(Config{Window: w, Host: flow.Rule{Rate: 10}, Scan: flow.Rule{Rate: 1e6}, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("down")
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Do(t.Context(), &Request{Scheme: "http", Host: "h.test", Port: 80}, nil); err == nil {
		t.Fatal("got an answer")
	}
	g := c.gates.find("h.test:80")
	g.slow = &throttle{rate: 5, top: 10, goal: 5, stride: 1}
	now := time.Now()
	if n := testing.AllocsPerRun(1000, func() {
		now = now.Add(time.Millisecond)
		c.NextAdmit("h.test:80", now)
		c.Held("h.test:80", now)
		c.NextAdmit("unknown.test:80", now)
		if taken, _, ok := c.askSlot(g, now); ok {
			taken.cancel(now)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// served is a client on pipes whose far ends answer every request, and the number of connections that are open.
func served(t *testing.T, cfg Config) (*Client, *atomic.Int32) {
	open := new(atomic.Int32)
	cfg.Dial = func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		open.Add(1)
		go func() {
			defer open.Add(-1)
			defer far.Close()
			room := make([]byte, 1024)
			for {
				if _, err := far.Read(room); err != nil {
					return
				}
				if _, err := io.WriteString(far, ok200Text); err != nil {
					return
				}
			}
		}()
		return near, nil
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, open
}

func TestIdleConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, open := served(t, Config{MaxIdle: 3, IdleTimeout: time.Minute})
		ask := func(host string) {
			t.Helper()
			if _, err := c.Do(t.Context(), &Request{Scheme: "http", Host: host, Port: 80}, nil); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		for n := range 5 {
			ask(fmt.Sprintf("h%d.test", n))
		}
		if got := open.Load(); got != 3 || c.gates.count() != 5 {
			t.Errorf("got %d idle connections, %d gates; want 3 and those of all hosts that have just answered", got, c.gates.count())
		}
		c.Forget("h0.test:80")
		synctest.Wait()
		if got := open.Load(); got != 2 || c.gates.count() != 4 {
			t.Errorf("got %d idle connections, %d gates after one was forgotten; want 2 and 4", got, c.gates.count())
		}
		<-time.After(time.Minute)
		ask("h1.test")
		if got := open.Load(); got != 2 {
			t.Errorf("got %d open connections, want the old one replaced", got)
		}
		// Connections that nobody comes back for make room.
		<-time.After(time.Minute)
		for n := range 4 {
			ask(fmt.Sprintf("new%d.test", n))
		}
		if got := open.Load(); got != 3 || c.gates.count() != 4 || c.gates.find("h2.test:80") != nil {
			t.Errorf("got %d idle connections, %d gates; want 3 and 4 of the new hosts", got, c.gates.count())
		}
		c.Close()
		synctest.Wait()
		if got := open.Load(); got != 0 {
			t.Errorf("got %d open connections after Close", got)
		}
		if _, err := c.Do(t.Context(), &Request{Scheme: "http", Host: "h1.test", Port: 80}, nil); !errors.Is(err, errClosed) {
			t.Errorf("got %v from a closed client", err)
		}
	})
}

// A context of one request must not kill the connection once the request is over.
func TestConnectionOutlivesItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := served(t, Config{})
		var dials atomic.Int32
		dial := c.cfg.Dial
		c.cfg.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			dials.Add(1)
			return dial(ctx, network, addr)
		}
		for range 5 {
			ctx, cancel := context.WithCancel(t.Context())
			if _, err := c.Do(ctx, &Request{Scheme: "http", Host: "h.test", Port: 80}, nil); err != nil {
				t.Fatal(err)
			}
			cancel()
			synctest.Wait()
		}
		if got := dials.Load(); got != 1 {
			t.Errorf("got %d dials for 5 requests, want 1", got)
		}
	})
}

func TestKeysAreThoseOfHostkey(t *testing.T) {
	for _, host := range []string{"host.test", "127.0.0.1", "::1", "fe80::1%eth0"} {
		if got, want := string(appendKey(nil, host, 8065)), hostkey.Join(host, 8065); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
