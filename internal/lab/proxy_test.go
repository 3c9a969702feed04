package lab

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/net/proxy"
)

func startProxy(t *testing.T, start func(ProxyConfig) (*Proxy, error), cfg ProxyConfig) *Proxy {
	t.Helper()
	p, err := start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 2 {
			if err := p.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}
	})
	return p
}

// through returns a client that uses the proxy, with a user in its URL when given.
func through(t *testing.T, p *Proxy, user *url.Userinfo) *http.Client {
	t.Helper()
	client := newClient(t)
	at, err := url.Parse(p.URL())
	if err != nil {
		t.Fatal(err)
	}
	at.User = user
	transport := client.Transport.(*http.Transport)
	transport.Proxy = http.ProxyURL(at)
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	return client
}

func TestHTTPProxyForwardsAndTunnels(t *testing.T) {
	l := startLab(t, Config{Counts: map[Kind]int{Healthy: 1, Refusing: 1, TLS: 1}, RecordRaw: 1})
	healthy, dead, secure := l.Of(Healthy)[0], l.Of(Refusing)[0], l.Of(TLS)[0]
	p := startProxy(t, StartHTTPProxy, ProxyConfig{Route: map[string]string{"www.lab.example:80": healthy.Addr}})
	client := through(t, p, nil)
	for _, h := range []Host{healthy, secure} {
		for range 2 {
			if status, _, _ := get(t, client, h, "/admin"); status != 200 {
				t.Errorf("%s: status %d, want 200", h.Kind, status)
			}
		}
	}
	if status, _, _ := get(t, client, dead, "/"); status != 502 {
		t.Errorf("refusing host: status %d, want 502", status)
	}
	resp, err := client.Get("http://www.lab.example/robots.txt")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if raw := string(healthy.Raw()[0]); resp.StatusCode != 200 || !strings.Contains(raw, "Host: www.lab.example\r\n") {
		t.Errorf("routed name: status %d, request %q", resp.StatusCode, raw)
	}
	if resp, err = client.Get("http://192.0.2.1/"); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 502 {
		t.Errorf("an address outside the lab: status %d, want 502", resp.StatusCode)
	}
	want := map[string]int64{healthy.Addr: 2, secure.Addr: 1, dead.Addr: 1, "www.lab.example:80": 1, "192.0.2.1:80": 1}
	for host, n := range want {
		if got := p.Asked()[host]; got != n {
			t.Errorf("%s asked for %d times, want %d", host, got, n)
		}
	}
}

func TestHTTPProxyRefuses(t *testing.T) {
	l := startLab(t, Config{Counts: map[Kind]int{TLS: 2, Healthy: 1}})
	bad, good := l.Of(TLS)[0], l.Of(TLS)[1]
	p := startProxy(t, StartHTTPProxy, ProxyConfig{
		User: "u", Password: "p", Refuse: map[string]int{bad.Addr: 502, l.Of(Healthy)[0].Addr: 503},
	})
	client := through(t, p, url.UserPassword("u", "p"))
	if _, err := client.Get(bad.URL()); err == nil || !strings.Contains(err.Error(), "Bad Gateway") {
		t.Errorf("CONNECT to the refused host: %v, want a 502", err)
	}
	if status, _, _ := get(t, client, good, "/"); status != 200 {
		t.Errorf("CONNECT to the other host: status %d, want 200", status)
	}
	if status, _, _ := get(t, client, l.Of(Healthy)[0], "/"); status != 503 {
		t.Errorf("forward to the refused host: status %d, want 503", status)
	}
	stranger := through(t, p, url.UserPassword("u", "wrong"))
	if _, err := stranger.Get(good.URL()); err == nil || !strings.Contains(err.Error(), "Proxy Authentication Required") {
		t.Errorf("wrong password: %v, want a 407", err)
	}
	if n := p.Asked()[good.Addr]; n != 1 {
		t.Errorf("%d counted, want 1: the stranger is not", n)
	}
	all := startProxy(t, StartHTTPProxy, ProxyConfig{RefuseAll: 504})
	if status, _, _ := get(t, through(t, all, nil), l.Of(Healthy)[0], "/"); status != 504 {
		t.Errorf("status %d, want 504", status)
	}
}

func TestTunnelPassesAReset(t *testing.T) {
	h := one(t, Spec{Kind: Resetting})
	p := startProxy(t, StartHTTPProxy, ProxyConfig{})
	_, err := ask(p.Addr(), "CONNECT "+h.Addr+" HTTP/1.1\r\nHost: "+h.Addr+"\r\n\r\nGET / HTTP/1.1\r\n\r\n")
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the tunnel ended with %v, want a reset", err)
	}
	if h.Requests() != 1 {
		t.Errorf("%d requests, want the one that followed the CONNECT at once", h.Requests())
	}
}

func TestCloseEndsTunnels(t *testing.T) {
	h := one(t, Spec{Kind: Silent})
	for _, start := range []func(ProxyConfig) (*Proxy, error){StartHTTPProxy, StartSOCKS5} {
		p := startProxy(t, start, ProxyConfig{})
		before := h.Requests()
		var c net.Conn
		if p.scheme == "socks5" {
			c = dialSOCKS(t, p, nil, h.Addr)
		} else if c = dial(t, p.Addr()); true {
			if _, err := io.WriteString(c, "CONNECT "+h.Addr+" HTTP/1.1\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := io.WriteString(c, "GET / HTTP/1.1\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		awaitRequests(t, h, before+1)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		_, _ = io.Copy(io.Discard, c) // returns, as the tunnel has ended
		wantRefused(t, p.Addr())
	}
}

func dialSOCKS(t *testing.T, p *Proxy, auth *proxy.Auth, host string) net.Conn {
	t.Helper()
	c, err := socks(p, auth, host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func socks(p *Proxy, auth *proxy.Auth, host string) (net.Conn, error) {
	d, err := proxy.SOCKS5("tcp", p.Addr(), auth, nil)
	if err != nil {
		return nil, err
	}
	return d.(proxy.ContextDialer).DialContext(context.Background(), "tcp", host)
}

func TestSOCKS5(t *testing.T) {
	l := startLab(t, Config{Counts: map[Kind]int{Healthy: 2, Refusing: 1}})
	healthy, bad, dead := l.Of(Healthy)[0], l.Of(Healthy)[1], l.Of(Refusing)[0]
	cfg := ProxyConfig{
		Route:  map[string]string{"www.lab.example:80": healthy.Addr},
		Refuse: map[string]int{bad.Addr: 4},
	}
	open := startProxy(t, StartSOCKS5, cfg)
	cfg.User, cfg.Password = "u", "p"
	locked := startProxy(t, StartSOCKS5, cfg)
	for _, host := range []string{healthy.Addr, "www.lab.example:80"} {
		for p, auth := range map[*Proxy]*proxy.Auth{open: nil, locked: {User: "u", Password: "p"}} {
			c := dialSOCKS(t, p, auth, host)
			if _, err := io.WriteString(c, "GET /admin HTTP/1.1\r\nConnection: close\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 200 OK") {
				t.Errorf("%s through %s: %q, %v", host, p.URL(), got, err)
			}
			if n := p.Asked()[host]; n != 1 {
				t.Errorf("%s asked for %d times, want 1", host, n)
			}
		}
	}
	for host, want := range map[string]string{
		bad.Addr:         "host unreachable",
		dead.Addr:        "connection refused",
		"192.0.2.1:80":   "connection not allowed by ruleset",
		"no.example:443": "connection not allowed by ruleset",
	} {
		if _, err := socks(open, nil, host); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", host, err, want)
		}
	}
	for _, auth := range []*proxy.Auth{nil, {User: "u", Password: "wrong"}} {
		if _, err := socks(locked, auth, healthy.Addr); err == nil {
			t.Errorf("the proxy let %v in", auth)
		}
	}
}

func TestSOCKS5HangsUpOnStrangers(t *testing.T) {
	p := startProxy(t, StartSOCKS5, ProxyConfig{})
	for text, want := range map[string]string{
		"GET / HTTP/1.1\r\n\r\n":                               "",
		"\x05\x01\x00\x05\x02\x00\x01\x7f\x00\x00\x01\x00\x50": "\x05\x00\x05\x07", // BIND is no command of ours
		"\x05\x01\x00\x05\x01\x00\x09":                         "\x05\x00",
	} {
		got, err := ask(p.Addr(), text)
		if err != nil && !errors.Is(err, syscall.ECONNRESET) || !strings.HasPrefix(string(got), want) || want == "" && len(got) > 0 {
			t.Errorf("%q was answered with %q, %v; want %q", text, got, err, want)
		}
	}
}
