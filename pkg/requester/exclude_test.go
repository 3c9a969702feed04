package requester_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/hostkey"
	"github.com/redialscan/redial/pkg/requester"
)

// refusing is a Config.Refuse for hosts, or hosts with a port, in their canonical form.
func refusing(what ...string) func(host string, port uint16) bool {
	return func(host string, port uint16) bool {
		return slices.Contains(what, host) || slices.Contains(what, hostkey.Join(host, port))
	}
}

// wantExcluded wants an error that is nobody's fault and not repeated.
func wantExcluded(t *testing.T, what string, err error) {
	t.Helper()
	if v := hosterrors.Judge(err); !errors.Is(err, hosterrors.ErrExcluded) || v != (hosterrors.Verdict{}) {
		t.Errorf("%s: got %v, judged %+v; want it excluded, neutral and final", what, err, v)
	}
}

// github.com/projectdiscovery/naabu/issues/1398: nothing is ever sent to what is excluded, by whatever way a request gets there.
func TestExcludedHostIsNotSentTo(t *testing.T) {
	hosts := startLab(t, lab.Spec{Kind: lab.Healthy}, lab.Spec{Kind: lab.Healthy})
	barred, other := hosts[0], hosts[1]
	b := newBreaker(t, 1)
	c := newClient(t, requester.Config{Breaker: b, Refuse: refusing(barred.Addr)})
	for range 2 {
		_, err := do(t, c, to(barred.Addr, "/"))
		wantExcluded(t, barred.Addr, err)
	}
	if _, err := do(t, c, to(other.Addr, "/")); err != nil {
		t.Error(err)
	}
	if n := barred.Stats().Connections; n != 0 || c.Sent() != 1 || b.AnyTripped() {
		t.Errorf("got %d connections, %d sent, tripped %v; want nothing but one request to the other", n, c.Sent(), b.AnyTripped())
	}
}

func TestNameOfAnExcludedAddressIsNotDialed(t *testing.T) {
	hosts := startLab(t, lab.Spec{Kind: lab.Healthy}, lab.Spec{Kind: lab.Healthy}, lab.Spec{Kind: lab.Refusing})
	barred, port := netip.MustParseAddrPort(hosts[0].Addr).Addr().String(), netip.MustParseAddrPort(hosts[0].Addr).Port()
	living := netip.MustParseAddrPort(hosts[1].Addr).Addr().String()
	dead := netip.MustParseAddrPort(hosts[2].Addr).Addr().String()
	n := startNameserver(t, map[string]any{
		"barred.example.": barred, "mapped.example.": "::ffff:" + barred, "both.example.": barred + " " + living,
		"timeout.example.": barred + " 0.0.0.0", "half.example.": dead + " " + barred,
	})
	b := newBreaker(t, 1)
	c := newClient(t, requester.Config{Breaker: b, Resolvers: []string{n.addr}, Refuse: refusing(barred, "127.0.0.1")})
	ask := func(name string) (*requester.Response, error) {
		return do(t, c, &requester.Request{Scheme: "http", Host: name, Port: port, Target: "/"})
	}
	for _, name := range []string{"barred.example", "mapped.example", "timeout.example"} {
		_, err := ask(name)
		wantExcluded(t, name, err)
	}
	if c.Sent() != 0 || b.AnyTripped() {
		t.Errorf("got %d sent, tripped %v; want nothing sent and nobody blamed", c.Sent(), b.AnyTripped())
	}
	if resp, err := ask("both.example"); err != nil || resp.IP.String() != living {
		t.Errorf("a name with an address that is left: got %+v, %v; want %s", resp, err, living)
	}
	if _, err := ask("half.example"); hosterrors.Judge(err).Blame != hosterrors.BlameHost {
		t.Errorf("a name whose other address refuses: got %v, want the host's error", err)
	}
	if n := hosts[0].Stats().Connections; n != 0 {
		t.Errorf("%d connections reached the excluded address, want none", n)
	}
}

func TestRedirectToAnExcludedHostEndsThere(t *testing.T) {
	hosts := startLab(t, lab.Spec{Kind: lab.Redirecting}, lab.Spec{Kind: lab.Healthy}, lab.Spec{Kind: lab.Redirecting})
	first, barred, second := hosts[0], hosts[1], hosts[2]
	port := netip.MustParseAddrPort(barred.Addr).Port()
	n := startNameserver(t, map[string]any{"barred.example.": netip.MustParseAddrPort(barred.Addr).Addr().String()})
	b := newBreaker(t, 1)
	c := newClient(t, requester.Config{
		Breaker: b, Resolvers: []string{n.addr}, Refuse: refusing(netip.MustParseAddrPort(barred.Addr).Addr().String()),
	})
	first.RedirectTo("http://"+second.Addr+"/there", 302)
	for _, at := range []string{barred.Addr, hostkey.Join("barred.example", port)} {
		second.RedirectTo("http://"+at+"/", 302)
		req := to(first.Addr, "/")
		req.Redirects = 5
		resp, err := do(t, c, req)
		if err != nil {
			t.Fatal(err)
		}
		wantExcluded(t, at, resp.RedirectErr)
		if resp.Status != 302 || resp.Hops != 1 || resp.RedirectSkipped != at || resp.FinalURL != "http://"+second.Addr+"/there" {
			t.Errorf("got %+v, want the second redirect with %s skipped", resp, at)
		}
	}
	if n := barred.Stats().Connections; n != 0 || b.AnyTripped() || c.Sent() != 4 {
		t.Errorf("got %d connections, %d sent, tripped %v; want none to the excluded host", n, c.Sent(), b.AnyTripped())
	}
}

// Behind a proxy names are excluded too, and so are addresses as far as they are written; the proxy itself is not.
func TestExcludedBehindAProxy(t *testing.T) {
	host := startLab(t, lab.Spec{Kind: lab.Healthy})[0]
	cfg := lab.ProxyConfig{Route: map[string]string{"barred.test:80": host.Addr, "free.test:80": host.Addr, "10.1.2.3:80": host.Addr}}
	proxies(t, cfg, func(t *testing.T, p *lab.Proxy, shape func(*requester.Request)) {
		c := newClient(t, requester.Config{Proxy: p.URL(), Refuse: refusing("barred.test", "10.1.2.3", "127.0.0.1")})
		for name, want := range map[string]bool{"barred.test": false, "10.1.2.3": false, "free.test": true} {
			req := &requester.Request{Scheme: "http", Host: name, Port: 80, Target: "/"}
			shape(req)
			_, err := do(t, c, req)
			if want && err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !want {
				wantExcluded(t, name, err)
			}
		}
		if asked := p.Asked(); len(asked) != 1 || asked["free.test:80"] != 1 {
			t.Errorf("the proxy was asked for %v, want free.test alone", asked)
		}
	})
}

// A dialer of the caller's own is not called for what is excluded.
func TestExcludedIsNotGivenToADialer(t *testing.T) {
	var mu sync.Mutex
	var dialed []string
	c := newClient(t, requester.Config{
		Refuse: refusing("barred.test"),
		Dial: func(_ context.Context, _, addr string) (net.Conn, error) {
			mu.Lock()
			defer mu.Unlock()
			dialed = append(dialed, addr)
			return nil, net.ErrClosed
		},
	})
	_, err := do(t, c, &requester.Request{Scheme: "https", Host: "barred.test", Port: 443})
	wantExcluded(t, "barred.test", err)
	if len(dialed) != 0 {
		t.Errorf("dialed %q, want nothing", dialed)
	}
}
