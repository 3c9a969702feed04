package requester

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redialscan/redial/pkg/hosterrors"
)

const (
	// A proxy is given up after so many failures of its own in a row, when they go on for as long as its patience: the short
	// one for a proxy that nothing has got through, the long one for a proxy that has served and may be restarting.
	proxyFailures  = 3
	newPatience    = 3 * time.Second
	provenPatience = 30 * time.Second
)

var (
	errProxyAuth   = errors.New("the proxy refuses the name or the password")
	errProxySilent = errors.New("it accepts connections and answers nothing")
)

// ProxyDownError says that the proxy itself fails, so that nothing can be sent. No host is to blame.
type ProxyDownError struct {
	Proxy    string // scheme, host and port; never the credentials
	Failures int    // in a row
	For      time.Duration
	Err      error // the last one, a *hosterrors.ProxyError
}

func (e *ProxyDownError) Error() string {
	return fmt.Sprintf("the proxy %s fails: nothing got through in %d requests and %v, the last one with: %v",
		e.Proxy, e.Failures, e.For.Round(100*time.Millisecond), e.Err)
}

func (e *ProxyDownError) Unwrap() error { return e.Err }

// proxyHealth tells a proxy that fails from hosts that fail behind it. It is safe for concurrent use.
type proxyHealth struct {
	heard atomic.Int64 // when the proxy last said anything, in Unix nanoseconds
	well  atomic.Bool  // the last that is known is a success

	mu     sync.Mutex
	worked bool // anything has got through, ever
	row    int  // failures since
	since  time.Time

	asking chan struct{} // capacity 1: held by whoever asks the proxy whether it says anything; guards the two below
	asked  time.Time     // when that ended last
	silent bool          // what it came to
}

func newProxyHealth() *proxyHealth { return &proxyHealth{asking: make(chan struct{}, 1)} }

// succeeded notes that something got through, be it to the news that a host does not answer.
func (h *proxyHealth) succeeded(now time.Time) {
	h.heard.Store(now.UnixNano())
	if h.well.Load() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.worked, h.row = true, 0
	h.well.Store(true)
}

// failed notes a failure of the proxy itself, of an attempt that began at start, and says how many there were in a row, for how
// long, and whether that is enough. Credentials that are refused get no better by waiting.
func (h *proxyHealth) failed(start, now time.Time, refused bool) (row int, lasting time.Duration, down bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.well.Store(false)
	if h.row == 0 {
		h.since = later(start, time.Unix(0, h.heard.Load()))
	}
	h.row++
	patience := newPatience
	if h.worked {
		patience = provenPatience
	}
	lasting = now.Sub(h.since)
	return h.row, lasting, h.row >= proxyFailures && (refused || lasting >= patience)
}

// throughProxy looks at how an attempt that began at start has ended, where it went through a proxy, and gives the error its
// right name.
func (c *Client) throughProxy(ctx context.Context, req *Request, start time.Time, resp *Response, err error) error {
	if c.proxy == nil {
		return err
	}
	switch silent, own := c.proxySilent(ctx, req, start, err); {
	case own != nil:
		return fmt.Errorf("asking %s: %w", c.proxy.key(), own)
	case silent:
		err = &hosterrors.ProxyError{Err: fmt.Errorf("%s: %w", c.proxy.key(), errProxySilent)}
	}
	fault, ok := errors.AsType[*hosterrors.ProxyError](err)
	switch {
	case !ok && resp == nil, outOfRoom(err):
		return err
	case !ok || hosterrors.Judge(err).Blame == hosterrors.BlameHost:
		c.proxy.health.succeeded(time.Now())
		return err
	}
	refused := fault.Status == http.StatusProxyAuthRequired || errors.Is(err, errProxyAuth)
	row, lasting, down := c.proxy.health.failed(start, time.Now(), refused)
	if down {
		return &ProxyDownError{Proxy: c.proxy.name(), Failures: row, For: lasting, Err: err}
	}
	return err
}

// proxySilent tells whether a timeout is that of an HTTP proxy which says nothing to anybody: it was waited for in vain, it has
// said nothing to others meanwhile, and asked for itself it says nothing either. A SOCKS proxy has greeted us by then. own is
// the end of the caller's context.
func (c *Client) proxySilent(ctx context.Context, req *Request, start time.Time, err error) (silent bool, own error) {
	slow, ok := err.(*hosterrors.TimeoutError) //nolint:errorlint // one within a StarvedError says nothing of the proxy
	if !ok || c.proxy.socks || slow.Phase != hosterrors.PhaseDial && !(slow.Phase == hosterrors.PhaseHead && c.absolute(req)) {
		return false, nil
	}
	h := c.proxy.health
	if h.heard.Load() >= start.UnixNano() {
		return false, nil
	}
	met := time.Now()
	select {
	case h.asking <- struct{}{}:
		defer func() { <-h.asking }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if h.asked.Before(met) {
		h.silent = c.askProxy(ctx)
		if own := callerEnded(ctx); own != nil {
			return false, own // it was not given its time
		}
		h.asked = time.Now()
		if !h.silent {
			h.heard.Store(h.asked.UnixNano())
		}
	}
	return h.silent, nil
}

// askProxy asks the proxy for its own options, which it must not pass on (RFC 9110 section 7.6.2), and says whether it stays
// silent. Whatever it says will do.
func (c *Client) askProxy(ctx context.Context) (silent bool) {
	way, raw, err := c.toProxy(ctx, time.Now().Add(c.cfg.DialTimeout))
	if err != nil {
		return true
	}
	defer way.shut()
	d := desks.Get().(*desk)
	defer d.release()
	d.out = append(d.out[:0], "OPTIONS * HTTP/1.1\r\n"...)
	d.out = appendField(d.out, "Host", c.proxy.key())
	d.out = appendField(d.out, "User-Agent", c.userAgent())
	d.out = appendField(d.out, "Max-Forwards", "0")
	if c.proxy.auth != "" {
		d.out = appendField(d.out, "Proxy-Authorization", c.proxy.auth)
	}
	d.out = append(d.out, "Connection: close\r\n\r\n"...)
	if _, err = raw.Write(d.out); err == nil {
		_, err = raw.Read(d.out[:1])
	}
	return err != nil && isTimeout(err)
}
