package scan

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
)

func startProxy(t *testing.T, start func(lab.ProxyConfig) (*lab.Proxy, error), cfg lab.ProxyConfig) *lab.Proxy {
	t.Helper()
	p, err := start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, p.Close()) })
	return p
}

// github.com/projectdiscovery/nuclei/issues/1001: a proxy that fails by itself is no host's fault. The scan says so and ends,
// with all items accounted for.
func TestProxyThatFailsEndsTheScan(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1, lab.Refusing: 1, lab.Silent: 1, lab.BlackHole: 1, lab.Resetting: 1}})
	refused := startProxy(t, lab.StartHTTPProxy, lab.ProxyConfig{User: "me", Password: "right"})
	lines := []string{"bare.test", "bare.test:8443"}
	for i := range 20 {
		lines = append(lines, fmt.Sprintf("http://h%d.test/", i), fmt.Sprintf("https://h%d.test/", i))
	}
	var scans sync.WaitGroup
	for name, proxy := range map[string]string{
		"refuses connections":  "http://" + l.Of(lab.Refusing)[0].Addr,
		"refuses SOCKS":        "socks5://" + l.Of(lab.Refusing)[0].Addr,
		"silent to SYN":        "http://" + l.Of(lab.BlackHole)[0].Addr,
		"silent":               "http://" + l.Of(lab.Silent)[0].Addr,
		"silent SOCKS":         "socks5://" + l.Of(lab.Silent)[0].Addr,
		"resets":               "http://" + l.Of(lab.Resetting)[0].Addr,
		"speaks no SOCKS":      "socks5://" + l.Of(lab.Healthy)[0].Addr,
		"wrong password":       strings.Replace(refused.URL(), "://", "://me:wrong@", 1),
		"no general SOCKS":     startProxy(t, lab.StartSOCKS5, lab.ProxyConfig{RefuseAll: 1}).URL(),
		"not allowed by SOCKS": startProxy(t, lab.StartSOCKS5, lab.ProxyConfig{RefuseAll: 2}).URL(),
		"no command in SOCKS":  startProxy(t, lab.StartSOCKS5, lab.ProxyConfig{RefuseAll: 7}).URL(),
		"no address in SOCKS":  startProxy(t, lab.StartSOCKS5, lab.ProxyConfig{RefuseAll: 8}).URL(),
		"wrong SOCKS password": strings.Replace(startProxy(t, lab.StartSOCKS5, lab.ProxyConfig{User: "me", Password: "right"}).URL(), "://", "://me:wrong@", 1),
	} {
		scans.Go(func() { // they wait most of the time, all at once
			opt := base()
			opt.Breaker.MaxHostError, opt.FirstContact = 1, 1
			opt.Requester.Proxy = proxy
			if strings.HasPrefix(name, "silent") {
				opt.Requester.Timeout, opt.Requester.DialTimeout = time.Second, time.Second
			}
			b := &book{}
			ending, err := scanInto(t.Context(), t, b, opt, paths(3), lines...)
			down, ok := errors.AsType[*requester.ProxyDownError](err)
			if !ok || strings.Contains(down.Error(), "wrong") || !strings.HasSuffix(proxy, strings.SplitN(down.Proxy, "://", 2)[1]) {
				t.Errorf("%s: got %v, want that the proxy %s is down, without a password", name, err, proxy)
			}
			if len(of[*report.Transition](b)) != 0 || ending.Failed != 0 || ending.Done != 0 || ending.SkippedBy["proxy-failed"] != 42*3 {
				t.Errorf("%s: ending %+v, failed %q, tripped %s; want all skipped and nobody blamed", name, ending.Summary, errorsOf(b), keys(b))
			}
			if ending.Interrupted == "" || strings.Contains(ending.Interrupted, "wrong") {
				t.Errorf("%s: interrupted by %q, want the proxy, without a password", name, ending.Interrupted)
			}
		})
	}
	scans.Wait()
}

// github.com/projectdiscovery/nuclei/issues/5372: what a proxy says of a host behind it is that host's fault, and no other's.
func TestHostsThatTheProxyCannotReach(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.TLS: 1}})
	living := l.Of(lab.TLS)[0].Addr
	for _, c := range []struct {
		start func(lab.ProxyConfig) (*lab.Proxy, error)
		codes []int
	}{{lab.StartHTTPProxy, []int{502, 503, 504}}, {lab.StartSOCKS5, []int{3, 4, 5, 6}}} {
		for _, code := range c.codes {
			p := startProxy(t, c.start, lab.ProxyConfig{
				Refuse: map[string]int{"dead.test:443": code}, Route: map[string]string{"living.test:443": living},
			})
			opt := base()
			opt.Requester.Proxy, opt.NoRevisit, opt.Breaker.MaxHostError = p.URL(), true, 3
			b, ending := scanned(t, opt, paths(20), "https://dead.test/", "https://living.test/")
			if ending.Done != 20 || ending.SkippedBy["quarantined"] != 20 || strings.Join(keys(b), " ") != "dead.test:443" {
				t.Errorf("%d: ending %+v, tripped %s; want the dead host alone", code, ending.Summary, keys(b))
			}
			if n := p.Asked()["dead.test:443"]; n != 3 {
				t.Errorf("%d: the dead host was asked for %d times, want 3", code, n)
			}
		}
	}
}

// A proxy that is back within a moment costs nobody anything.
func TestProxyThatComesBack(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 3}})
	p := startProxy(t, lab.StartHTTPProxy, lab.ProxyConfig{})
	opt := base()
	opt.Breaker.MaxHostError, opt.FirstContact, opt.Requester.Proxy = 1, 1, "http://proxy.test:3128"
	way := &switchboard{to: map[string]string{}}
	way.after = func(n int) {
		if n == 3 { // each host once
			way.route("proxy.test:3128", p.Addr())
		}
	}
	opt.Requester.Dial = way.dial
	var mu sync.Mutex
	var said []string
	opt.Log.Info = func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, fmt.Sprintf(format, args...))
	}
	b, ending := scanned(t, opt, paths(5), urls(l)...)
	if ending.Done != 15 || len(of[*report.Transition](b)) != 0 {
		t.Errorf("ending %+v, failed %q; want all done and nobody blamed", ending.Summary, errorsOf(b))
	}
	if len(said) != 1 || !strings.Contains(said[0], "the proxy fails, which is no fault of any host") {
		t.Errorf("said %q, want one sentence about the proxy", said)
	}
}

// A scan that ends by itself does not wait for a list that never ends.
func TestProxyThatFailsEndsAnEndlessList(t *testing.T) {
	opt := base()
	opt.Requester.Proxy = "http://proxy.test:1"
	opt.Requester.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, net.UnknownNetworkError("none") }
	list, more := net.Pipe()
	go func() { _, _ = more.Write([]byte("http://a.test/\nhttp://b.test/\nhttp://c.test/\n")) }()
	opt.StopReading = func() { _ = list.Close() }
	b := &book{}
	ending, err := scanStream(t.Context(), t, b, opt, paths(1), list)
	if _, ok := errors.AsType[*requester.ProxyDownError](err); !ok || ending.SkippedBy["proxy-failed"] != 3 {
		t.Errorf("got %v, ending %+v; want that the proxy is down", err, ending.Summary)
	}
}
