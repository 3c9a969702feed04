package requester

import (
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redialscan/redial/pkg/flow"
)

// Client sends for one scan. Make one with [New]; the zero value does not work. All methods are safe for concurrent use.
type Client struct {
	cfg   Config
	scan  *flow.Limiter // nil = no rule
	gates *gates
	names *resolver
	// systemServers reads which DNS servers the system asks.
	systemServers func() (*servers, error)
	outage        *outage
	lag           lagMeter
	proxy         *proxy // nil = none
	dialer        net.Dialer
	tlsH2         *tls.Config     // offers HTTP/2
	tlsH1         *tls.Config     // does not
	h2            *http.Transport // makes HTTP/2 of connections of ours
	agent         string
	top           float64 // the rate from which on a host is not held back: that of its rule
	closed        atomic.Bool
	sent          atomic.Int64
	// dialErrors has one error value for each cause, see shared.
	dialErrors sync.Map // syscall.Errno -> *hosterrors.ConnError
}

var errClosed = errors.New("the client is closed")

// New makes a client. A field of cfg that makes no sense is named in the error.
func New(cfg Config) (*Client, error) {
	if err := cfg.complete(); err != nil {
		return nil, fmt.Errorf("requester: %w", err)
	}
	c := &Client{cfg: cfg, gates: newGates(&cfg), outage: newOutage(), dialer: net.Dialer{KeepAlive: -1, FallbackDelay: -1}}
	if c.top = cfg.Host.Rate; c.top == 0 {
		c.top = noRuleTop
	}
	var err error
	if cfg.Scan.Rate != 0 && cfg.Pace == nil {
		if c.scan, err = flow.New(cfg.Scan); err != nil {
			return nil, fmt.Errorf("requester: scan rate: %w", err)
		}
	}
	if cfg.Host.Rate != 0 {
		if _, err = flow.New(cfg.Host); err != nil {
			return nil, fmt.Errorf("requester: host rate: %w", err)
		}
	}
	if cfg.Proxy != "" {
		if c.proxy, err = parseProxy(cfg.Proxy); err != nil {
			return nil, fmt.Errorf("requester: %w", err)
		}
	}
	if c.names, err = newResolver(&cfg); err != nil {
		return nil, fmt.Errorf("requester: %w", err)
	}
	c.systemServers = sync.OnceValues(func() (*servers, error) { return readSystemServers("/etc/resolv.conf") })
	c.tlsH1 = baseTLS(&cfg)
	c.tlsH2 = c.tlsH1.Clone()
	c.tlsH2.NextProtos = []string{alpnH2, "http/1.1"}
	c.h2 = newH2(&cfg)
	c.agent = cfg.UserAgent
	if c.agent == "" {
		c.agent = "redial/" + version(cfg.Version) + " (+https://github.com/redialscan/redial)"
	}
	return c, nil
}

// NextAdmit tells from when a request to the host could be sent, by all of the host's own rules: breaker, failure window,
// throttle and pace. Now or earlier means at once. It changes nothing.
func (c *Client) NextAdmit(key string, now time.Time) time.Time {
	next := now
	if c.cfg.Breaker != nil {
		next = later(next, c.cfg.Breaker.NextAdmit(key, now))
	}
	if g := c.gates.find(key); g != nil {
		next = later(next, g.nextAdmit(now))
	}
	return next
}

// Held says whether the host is at the limit of its failure window. It changes nothing.
func (c *Client) Held(key string, now time.Time) bool {
	g := c.gates.find(key)
	return g != nil && g.isHeld(now)
}

// Pace tells from when a request could be sent by the pace of the whole scan. Now or earlier means at once.
func (c *Client) Pace(now time.Time) time.Time {
	switch {
	case c.cfg.Pace != nil:
		at, _ := c.cfg.Pace.Ready(now, 0)
		return at
	case c.scan == nil:
		return now
	}
	return c.scan.NextAdmit(now)
}

// Sent is the number of requests that were sent or dialled for so far, redirects and repeats included.
func (c *Client) Sent() int64 { return c.sent.Load() }

// Forget closes the idle connections of a host that is done, and drops what is kept for it. The breaker's and the window's
// knowledge of the host is theirs and stays.
func (c *Client) Forget(key string) { c.gates.forget(key, time.Now()) }

// Close closes all idle connections. Requests in flight end as usual, but for those that wait for the address of a name; later
// ones fail.
func (c *Client) Close() {
	if !c.closed.Swap(true) {
		c.names.close()
	}
	c.gates.clear(true)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func version(given string) string {
	if given != "" {
		return given
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version[0] == 'v' {
		return info.Main.Version[1:]
	}
	return "dev"
}

func basicAuth(user string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user))
}
