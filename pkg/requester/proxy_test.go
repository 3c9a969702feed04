package requester_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

// proxies starts one proxy of each kind; the request's scheme and bytes decide whether the HTTP proxy is asked for a tunnel.
func proxies(t *testing.T, cfg lab.ProxyConfig, run func(t *testing.T, p *lab.Proxy, shape func(*requester.Request))) {
	tunnel := func(req *requester.Request) {
		req.Raw = []byte("GET " + req.Target + " HTTP/1.1\r\nHost: raw\r\n\r\n")
	}
	for _, test := range []struct {
		name  string
		start func(lab.ProxyConfig) (*lab.Proxy, error)
		shape func(*requester.Request)
	}{
		{"http absolute", lab.StartHTTPProxy, func(*requester.Request) {}},
		{"http tunnel", lab.StartHTTPProxy, tunnel},
		{"socks5", lab.StartSOCKS5, func(*requester.Request) {}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := test.start(cfg)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = p.Close() })
			run(t, p, test.shape)
		})
	}
}

func TestThroughProxies(t *testing.T) {
	host := startLab(t, lab.Spec{Kind: lab.Healthy})[0]
	cfg := lab.ProxyConfig{User: "me", Password: "s:ecret", Route: map[string]string{"named.test:8080": host.Addr}}
	proxies(t, cfg, func(t *testing.T, p *lab.Proxy, shape func(*requester.Request)) {
		c := newClient(t, requester.Config{Proxy: strings.Replace(p.URL(), "://", "://me:s%3Aecret@", 1)})
		for range 2 {
			req := &requester.Request{Scheme: "http", Host: "named.test", Port: 8080, Target: "/", WantBody: true}
			shape(req)
			resp, err := do(t, c, req)
			if err != nil {
				t.Fatal(err)
			}
			if resp.Status != 200 || resp.IP.IsValid() {
				t.Errorf("got status %d from %v, want 200 and no address", resp.Status, resp.IP)
			}
		}
		wrong := newClient(t, requester.Config{Proxy: p.URL()})
		req := &requester.Request{Scheme: "http", Host: "named.test", Port: 8080}
		shape(req)
		_, err := do(t, wrong, req)
		wantErr[*hosterrors.ProxyError](t, err)
		if v := hosterrors.Judge(err); v.Blame != hosterrors.BlameNobody || !v.Pause {
			t.Errorf("got %+v for %v, want neutral after a pause", v, err)
		}
	})
}

// github.com/projectdiscovery/nuclei/issues/5372: only the dead one of two hosts behind a proxy is quarantined.
func TestDeadAndLivingHostBehindOneProxy(t *testing.T) {
	hosts := startLab(t, lab.Spec{Kind: lab.Healthy})
	for name, test := range map[string]struct {
		start func(lab.ProxyConfig) (*lab.Proxy, error)
		code  int
	}{
		"CONNECT 502": {lab.StartHTTPProxy, 502}, "CONNECT 503": {lab.StartHTTPProxy, 503}, "CONNECT 504": {lab.StartHTTPProxy, 504},
		"SOCKS reply 3": {lab.StartSOCKS5, 3}, "SOCKS reply 4": {lab.StartSOCKS5, 4}, "SOCKS reply 5": {lab.StartSOCKS5, 5}, "SOCKS reply 6": {lab.StartSOCKS5, 6},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := test.start(lab.ProxyConfig{Refuse: map[string]int{"dead.test:80": test.code}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = p.Close() })
			b := newBreaker(t, 1)
			c := newClient(t, requester.Config{Proxy: p.URL(), Breaker: b})
			raw := []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
			_, err = do(t, c, &requester.Request{Scheme: "http", Host: "dead.test", Port: 80, Raw: raw})
			wantErr[*hosterrors.ProxyError](t, err)
			living := to(hosts[0].Addr, "/")
			living.Raw = raw
			if _, err := do(t, c, living); err != nil {
				t.Errorf("the living host: %v", err)
			}
			if !b.Quarantined("dead.test:80") || b.QuarantinedCount() != 1 {
				t.Errorf("got %d quarantined, dead one %v; want it alone", b.QuarantinedCount(), b.Quarantined("dead.test:80"))
			}
		})
	}
}

// github.com/projectdiscovery/nuclei/issues/1001: a proxy that fails by itself is no host's fault.
func TestProxyFaultsAreNeutral(t *testing.T) {
	for _, code := range []byte{1, 2, 7, 8} {
		p, err := lab.StartSOCKS5(lab.ProxyConfig{RefuseAll: int(code)})
		if err != nil {
			t.Fatal(err)
		}
		c := newClient(t, requester.Config{Proxy: p.URL()})
		_, err = do(t, c, get("/"))
		if e := wantErr[*hosterrors.ProxyError](t, err); e.Reply != code || hosterrors.Judge(err).Blame != hosterrors.BlameNobody {
			t.Errorf("got %v, judged %+v; want reply %d and neutral", err, hosterrors.Judge(err), code)
		}
		_ = p.Close()
	}
	dead := startLab(t, lab.Spec{Kind: lab.Refusing}, lab.Spec{Kind: lab.BlackHole}, lab.Spec{Kind: lab.Mute}, lab.Spec{Kind: lab.Silent})
	for _, host := range dead {
		for _, scheme := range []string{"http", "socks5"} {
			c := newClient(t, requester.Config{Proxy: scheme + "://" + host.Addr, Timeout: 300 * time.Millisecond})
			_, err := do(t, c, get("/"))
			wantErr[*hosterrors.ProxyError](t, err)
			if v := hosterrors.Judge(err); v.Blame != hosterrors.BlameNobody {
				t.Errorf("%s proxy that is %s: %v is judged %+v", scheme, host.Kind, err, v)
			}
		}
	}
}

func TestProxySilentAboutAHostIsTheHostsSilence(t *testing.T) {
	for name, serve := range map[string]func(net.Conn){
		"http": func(c net.Conn) {
			if req, ok := readRequest(bufio.NewReader(c)); ok && req.Method == "OPTIONS" { // its own
				if req.RequestURI != "*" || req.Header.Get("Max-Forwards") != "0" {
					t.Errorf("the proxy was asked for %s with %v, want its own options", req.RequestURI, req.Header)
				}
				io.WriteString(c, ok200)
				return
			}
			silence(1, c)
		},
		"socks5": func(c net.Conn) {
			io.ReadFull(c, make([]byte, 3))
			c.Write([]byte{5, 0})
			silence(1, c)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := piped(t, requester.Config{Proxy: name + "://proxy.test:1"}, func(_ int, c net.Conn) { serve(c) })
				req := get("/")
				req.Scheme = "https"
				start := time.Now()
				_, err := c.Do(t.Context(), req, nil)
				slow := wantErr[*hosterrors.TimeoutError](t, err)
				if slow.Phase != hosterrors.PhaseDial || time.Since(start) != requester.DefaultDialTimeout {
					t.Errorf("got %v after %v, want the dial's", err, time.Since(start))
				}
			})
		})
	}
}

func TestSocksSendsTheNameAndTheAddress(t *testing.T) {
	for host, want := range map[string]string{
		"host.test": "\x05\x01\x00\x03\x09host.test\x00\x50",
		"10.1.2.3":  "\x05\x01\x00\x01\x0a\x01\x02\x03\x00\x50",
		"::1":       "\x05\x01\x00\x04" + strings.Repeat("\x00", 15) + "\x01\x00\x50",
	} {
		synctest.Test(t, func(t *testing.T) {
			got := make([]byte, len(want))
			c, _ := piped(t, requester.Config{Proxy: "socks5://proxy.test"}, func(_ int, c net.Conn) {
				io.ReadFull(c, make([]byte, 3))
				c.Write([]byte{5, 0})
				io.ReadFull(c, got)
				c.Write([]byte("\x05\x00\x00\x03\x02abPP"))
				answering(ok200)(1, c)
			})
			req := get("/")
			req.Host = host
			mustDo(t, c, req)
			if string(got) != want {
				t.Errorf("%s: the proxy got %q, want %q", host, got, want)
			}
		})
	}
}

func TestProxyURLs(t *testing.T) {
	for raw, want := range map[string]string{
		"ftp://x": "scheme", "://": "expected", "http://": "proxy", "http://x:99999": "proxy", "http://me:secret@[": "expected",
	} {
		_, err := requester.New(requester.Config{Proxy: raw})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want an error about %q without the password", raw, err, want)
		}
	}
}

func TestCancelledWhileDialingThroughAProxy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(t, 1)
		c, _ := piped(t, requester.Config{Proxy: "http://proxy.test:1", Breaker: b}, silence)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		req := get("/")
		req.Raw = []byte("GET / HTTP/1.1\r\n\r\n")
		_, err := c.Do(ctx, req, nil)
		if !errors.Is(err, context.DeadlineExceeded) || b.AnyTripped() {
			t.Errorf("got %v, tripped %v; want the caller's deadline and nobody blamed", err, b.AnyTripped())
		}
	})
}
