package requester_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

// permit is one that can be taken away.
type permit struct{ gone atomic.Bool }

func (p *permit) valid(time.Time) bool { return !p.gone.Load() }

// wantWithdrawn wants an end that is nobody's fault.
func wantWithdrawn(t *testing.T, err error) {
	t.Helper()
	wantErr[*requester.WithdrawnError](t, err)
	if v := hosterrors.Judge(err); v.Blame != hosterrors.BlameNobody || !errors.Is(err, context.Canceled) {
		t.Errorf("%v is judged %+v; want it neutral, as a cancellation", err, v)
	}
}

func TestNothingIsDialedWithoutAPermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p permit
		b := newBreaker(t, 1)
		c, n := piped(t, requester.Config{Breaker: b, Permit: p.valid}, answering(ok200))
		p.gone.Store(true)
		_, err := c.Do(t.Context(), get("/"), nil)
		wantWithdrawn(t, err)
		if n.dials.Load() != 0 || b.AnyTripped() {
			t.Errorf("%d dials, tripped %v; want neither", n.dials.Load(), b.AnyTripped())
		}
		p.gone.Store(false)
		mustDo(t, c, get("/"))
	})
}

// The permit goes while the request waits: for its slot of the dials, or for an idle connection to be found.
func TestNothingIsWrittenWithoutAPermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p permit
		var heard atomic.Int64
		c, n := piped(t, requester.Config{Permit: p.valid}, func(_ int, conn net.Conn) {
			for br := bufio.NewReader(conn); ; heard.Add(1) {
				if _, ok := readRequest(br); !ok {
					return
				}
				_, _ = io.WriteString(conn, ok200)
			}
		})
		mustDo(t, c, get("/1"))
		start := time.Now()
		p.gone.Store(true)
		_, err := c.Do(t.Context(), get("/2"), nil)
		wantWithdrawn(t, err)
		synctest.Wait()
		if heard.Load() != 1 || n.dials.Load() != 1 || time.Since(start) != 0 {
			t.Errorf("%d requests over %d connections, and %v were waited; want the first one only, at once", heard.Load(), n.dials.Load(), time.Since(start))
		}
	})
}

// What was on its way when the permit went, and fails afterwards, is no host error, and is not sent again.
func TestFailureAfterThePermitIsNeutral(t *testing.T) {
	for name, serve := range map[string]func(*permit) func(int, net.Conn){
		"silence": func(p *permit) func(int, net.Conn) {
			return func(_ int, conn net.Conn) {
				readRequest(bufio.NewReader(conn))
				p.gone.Store(true)
				_, _ = io.Copy(io.Discard, conn)
			}
		},
		"closed": func(p *permit) func(int, net.Conn) {
			return func(_ int, conn net.Conn) {
				readRequest(bufio.NewReader(conn))
				p.gone.Store(true)
			}
		},
		"closed when it had idled": func(p *permit) func(int, net.Conn) {
			return func(_ int, conn net.Conn) {
				br := bufio.NewReader(conn)
				readRequest(br)
				_, _ = io.WriteString(conn, ok200)
				readRequest(br)
				p.gone.Store(true)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p permit
				b := newBreaker(t, 1)
				c, n := piped(t, requester.Config{Breaker: b, Permit: p.valid}, serve(&p))
				_, err := c.Do(t.Context(), get("/"), nil)
				if err == nil {
					_, err = c.Do(t.Context(), get("/again"), nil)
				}
				wantWithdrawn(t, err)
				if n.dials.Load() != 1 || b.AnyTripped() {
					t.Errorf("%d dials, tripped %v; want one dial and no host error", n.dials.Load(), b.AnyTripped())
				}
			})
		})
	}
}

// A redirect that is not followed for want of a permit leaves no answer that looks like the end of the chain.
func TestHopWithoutAPermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p permit
		c, n := piped(t, requester.Config{Permit: p.valid}, func(_ int, conn net.Conn) {
			readRequest(bufio.NewReader(conn))
			p.gone.Store(true)
			_, _ = io.WriteString(conn, "HTTP/1.1 302 Found\r\nLocation: http://other.test/\r\nContent-Length: 0\r\n\r\n")
		})
		req := get("/")
		req.Redirects = 3
		_, err := c.Do(t.Context(), req, nil)
		wantWithdrawn(t, err)
		if n.dials.Load() != 1 {
			t.Errorf("%d dials, want that of the first host", n.dials.Load())
		}
	})
}

func TestTLSWithoutAPermit(t *testing.T) {
	var p permit
	var served atomic.Int64
	addr, conns := tlsServer(t, func(w http.ResponseWriter, _ *http.Request) { served.Add(1) })
	c := newClient(t, requester.Config{Permit: p.valid})
	if _, err := do(t, c, toTLS(addr, "/")); err != nil {
		t.Fatal(err)
	}
	p.gone.Store(true)
	_, err := do(t, c, toTLS(addr, "/")) // over HTTP/2
	wantWithdrawn(t, err)
	shake := toTLS(addr, "")
	shake.Handshake = &requester.Handshake{}
	_, err = do(t, c, shake)
	wantWithdrawn(t, err)
	if served.Load() != 1 || conns.Load() != 1 {
		t.Errorf("%d requests over %d connections, want the first one only", served.Load(), conns.Load())
	}
	p.gone.Store(false)
	if _, err := do(t, c, toTLS(addr, "/")); err != nil || conns.Load() != 1 {
		t.Errorf("%v over %d connections; want the place on the first one given back", err, conns.Load())
	}
}

func TestTunnelWithoutAPermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan string, 1)
		calls := 0
		valid := func(time.Time) bool { calls++; return calls < 2 } // the dial to the proxy is the last that is allowed
		c, _ := piped(t, requester.Config{Permit: valid, Proxy: "http://proxy.test:8080"}, func(_ int, conn net.Conn) {
			line, _ := bufio.NewReader(conn).ReadString('\n')
			asked <- line
		})
		req := get("/")
		req.Raw = []byte("GET / HTTP/1.0\r\n\r\n") // exact bytes take a tunnel
		_, err := c.Do(t.Context(), req, nil)
		wantWithdrawn(t, err)
		if line := <-asked; line != "" {
			t.Errorf("the proxy was asked for %q", line)
		}
	})
}

func TestConversationWithoutAPermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p permit
		said := make(chan string, 1)
		c, _ := piped(t, requester.Config{Permit: p.valid}, func(_ int, conn net.Conn) {
			text, _ := io.ReadAll(conn)
			said <- string(text)
		})
		next := func([]byte) (requester.Line, bool) {
			p.gone.Store(true)
			return requester.Line{Say: []byte("hello")}, true
		}
		_, err := c.Do(t.Context(), &requester.Request{Scheme: "tcp", Host: "host.test", Port: 7, Talk: &requester.Talk{Next: next}}, nil)
		wantWithdrawn(t, err)
		if text := <-said; text != "" {
			t.Errorf("%q was said", text)
		}
	})
}
