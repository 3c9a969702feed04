package requester_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

// tlsServer serves h over TLS, with HTTP/2 on offer, and counts its connections.
func tlsServer(tb testing.TB, h http.HandlerFunc) (addr string, conns *atomic.Int32) {
	tb.Helper()
	conns = new(atomic.Int32)
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = true
	s.Config.ErrorLog = quiet
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			conns.Add(1)
		}
	}
	s.StartTLS()
	tb.Cleanup(s.Close)
	return s.Listener.Addr().String(), conns
}

func toTLS(addr, target string) *requester.Request {
	req := to(addr, target)
	req.Scheme = "https"
	return req
}

func TestHTTP2SharesOneConnection(t *testing.T) {
	addr, conns := tlsServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header()["X-Twice"] = []string{"a", "b"}
		fmt.Fprintf(w, "%s %s %s %s %s", r.Proto, r.Method, r.RequestURI, r.Header.Get("X-Mine"), body)
	})
	c := newClient(t, requester.Config{})
	send := func(n int) {
		req := toTLS(addr, fmt.Sprintf("/a%%2fb/../%d?q= x", n))
		req.Method, req.Body, req.WantBody = "PUT", []byte("payload"), true
		req.Header = []requester.Field{{Name: "x-mine", Value: "yes"}}
		resp, err := do(t, c, req)
		if err != nil {
			t.Error(err)
			return
		}
		want := fmt.Sprintf("HTTP/2.0 PUT /a%%2fb/../%d?q=%%20x yes payload", n)
		if string(resp.Body) != want || resp.Proto != "HTTP/2.0" || resp.Length != int64(len(want)) {
			t.Errorf("got %s %q, want %q", resp.Proto, resp.Body, want)
		}
		var twice []string
		for _, f := range resp.Header {
			if f.Name == "x-twice" {
				twice = append(twice, f.Value)
			}
		}
		if strings.Join(twice, ",") != "a,b" {
			t.Errorf("got x-twice %q, want both values", twice)
		}
		if resp.TLS == nil || resp.TLS.Version != "TLS 1.3" || resp.TLS.NotAfter.IsZero() {
			t.Errorf("got TLS %+v", resp.TLS)
		}
	}
	send(0)
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() { send(n) })
	}
	all.Wait()
	if got := conns.Load(); got != 1 {
		t.Errorf("got %d connections, want 1", got)
	}
}

func TestHTTP2IsNotUsedWhereBytesMatter(t *testing.T) {
	addr, _ := tlsServer(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) })
	for name, change := range map[string]func(*requester.Config, *requester.Request){
		"raw": func(_ *requester.Config, req *requester.Request) {
			req.Raw = []byte("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
		},
		"off": func(cfg *requester.Config, _ *requester.Request) { cfg.NoHTTP2 = true },
		"header": func(_ *requester.Config, req *requester.Request) {
			req.Header = []requester.Field{{"Connection", "close"}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, req := requester.Config{}, toTLS(addr, "/")
			req.WantBody = true
			change(&cfg, req)
			resp, err := do(t, newClient(t, cfg), req)
			if err != nil {
				t.Fatal(err)
			}
			if string(resp.Body) != "HTTP/1.1" || resp.Proto != "HTTP/1.1" {
				t.Errorf("got %s and %q, want HTTP/1.1", resp.Proto, resp.Body)
			}
		})
	}
}

func TestHTTP2ConnectionLostIsOneHostError(t *testing.T) {
	const together = 10
	arrived := make(chan struct{}, together)
	hold := make(chan struct{})
	defer close(hold)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/first" {
			arrived <- struct{}{}
			<-hold
		}
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = quiet
	server.StartTLS()
	t.Cleanup(server.Close)
	addr := server.Listener.Addr().String()
	breaker := newBreaker(t, 100)
	c := newClient(t, requester.Config{Breaker: breaker})
	if _, err := do(t, c, toTLS(addr, "/first")); err != nil {
		t.Fatal(err)
	}
	var blamed, neutral atomic.Int32
	var all sync.WaitGroup
	for range together {
		all.Go(func() {
			_, err := do(t, c, toTLS(addr, "/held"))
			switch v := hosterrors.Judge(err); {
			case v.Blame == hosterrors.BlameHost && v.Repeat:
				blamed.Add(1)
			case v.Blame == hosterrors.BlameNobody && v.Repeat:
				neutral.Add(1)
			default:
				t.Errorf("got %v, judged %+v", err, v)
			}
		})
	}
	for range together {
		<-arrived
	}
	server.CloseClientConnections()
	all.Wait()
	if blamed.Load() != 1 || neutral.Load() != together-1 {
		t.Errorf("got %d host errors and %d neutral, want 1 and %d", blamed.Load(), neutral.Load(), together-1)
	}
}
