package requester_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

// proxied sends a request that takes a tunnel.
func proxied(t *testing.T, c *requester.Client, host string) error {
	t.Helper()
	req := get("/")
	req.Host, req.Scheme, req.Raw = host, "http", []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	_, err := c.Do(t.Context(), req, nil)
	return err
}

// A proxy that says nothing to anybody is at fault itself, however many hosts it was asked for; it is asked once for all.
func TestSilentProxyIsAtFaultItself(t *testing.T) {
	for _, tunnel := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := newBreaker(t, 1)
			var own atomic.Int32
			c, _ := piped(t, requester.Config{Proxy: "http://me:secret@proxy.test:1", Breaker: b, Timeout: requester.DefaultDialTimeout}, func(_ int, c net.Conn) {
				if req, ok := readRequest(bufio.NewReader(c)); ok && req.Method == "OPTIONS" {
					own.Add(1)
				}
				silence(1, c)
			})
			start := time.Now()
			var wg sync.WaitGroup
			for _, host := range []string{"a.test", "b.test", "c.test", "d.test"} {
				wg.Go(func() {
					var err error
					if tunnel {
						err = proxied(t, c, host)
					} else {
						req := get("/")
						req.Host = host
						_, err = c.Do(t.Context(), req, nil)
					}
					fault := wantErr[*hosterrors.ProxyError](t, err)
					if v := hosterrors.Judge(err); v.Blame != hosterrors.BlameNobody || !strings.Contains(fault.Error(), "answers nothing") {
						t.Errorf("got %v, judged %+v; want the silence of the proxy, and nobody blamed", err, v)
					}
				})
			}
			wg.Wait()
			if own.Load() != 1 || time.Since(start) != 2*requester.DefaultDialTimeout || b.AnyTripped() {
				t.Errorf("the proxy itself was asked %d times, all ended after %v, tripped %v; want once and %v",
					own.Load(), time.Since(start), b.AnyTripped(), 2*requester.DefaultDialTimeout)
			}
		})
	}
}

// While others get their answers through the proxy, a host that does not is silent itself: the proxy is not asked.
func TestHostSilentBehindABusyProxy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := piped(t, requester.Config{Proxy: "http://proxy.test:1"}, func(_ int, c net.Conn) {
			br := bufio.NewReader(c)
			req, ok := readRequest(br)
			switch {
			case ok && req.Method == "OPTIONS":
				t.Error("the proxy itself was asked")
			case ok && req.Host == "living.test:80":
				io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
				if _, ok := readRequest(br); ok {
					io.WriteString(c, ok200)
				}
			}
			silence(1, c)
		})
		var wg sync.WaitGroup
		wg.Go(func() {
			if slow := wantErr[*hosterrors.TimeoutError](t, proxied(t, c, "dead.test")); slow.Phase != hosterrors.PhaseDial {
				t.Errorf("got %v, want the dial's timeout", slow)
			}
		})
		<-time.After(time.Second)
		if err := proxied(t, c, "living.test"); err != nil {
			t.Error(err)
		}
		wg.Wait()
	})
}

// A proxy that fails is given up after a few failures in a row, sooner when it has never worked, at once when it refuses our
// credentials; a host's failure behind it shows that it works.
func TestProxyIsGivenUp(t *testing.T) {
	const fails, refuses, dead, works = "HTTP/1.1 500 No\r\n\r\n", "HTTP/1.1 407 No\r\n\r\n", "HTTP/1.1 502 No\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"
	for _, test := range []struct {
		name   string
		script []string // one answer a second
		after  int      // failures until it is given up; 0 = it is not
	}{
		{"never worked", []string{fails, fails, fails, fails}, 4},
		{"no credentials", []string{refuses, refuses, refuses}, 3},
		{"one of two", []string{fails, dead, fails, fails, dead, fails, fails, works, fails, fails}, 0},
		{"served before", append([]string{works}, fill(30, fails)...), 0},
		{"served too long ago", append([]string{dead}, fill(31, fails)...), 31},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := piped(t, requester.Config{Proxy: "http://me:secret@proxy.test:1", MaxIdle: -1}, func(n int, c net.Conn) {
					br := bufio.NewReader(c)
					readRequest(br)
					io.WriteString(c, test.script[n-1])
					if _, ok := readRequest(br); ok {
						io.WriteString(c, ok200)
					}
				})
				for i := range test.script {
					down, given := errors.AsType[*requester.ProxyDownError](proxied(t, c, "host.test"))
					if last := i == len(test.script)-1; given != (test.after > 0 && last) {
						t.Fatalf("request %d: given up %v", i+1, given)
					}
					if given && (down.Failures != test.after || down.Proxy != "http://proxy.test:1" || strings.Contains(down.Error(), "secret")) {
						t.Errorf("got %+v, want %d failures and no secret", down, test.after)
					}
					<-time.After(time.Second)
				}
			})
		})
	}
}

func fill(n int, text string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = text
	}
	return all
}
