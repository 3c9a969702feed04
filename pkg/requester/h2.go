package requester

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/http2"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/retry"
)

// h2conn is an HTTP/2 connection, shared by the requests to a host.
type h2conn struct {
	cc  *http.ClientConn
	ip  netip.Addr
	tls *TLSInfo

	mu      sync.Mutex
	active  int
	retired bool // nobody else will use it
	lost    bool // one request has been blamed for its end
}

// alpnH2 is how HTTP/2 is called in the handshake.
const alpnH2 = "h2"

// ours is the key under which a context carries a finished connection to newH2's transport.
type ours struct{}

// newH2 makes the part of net/http that speaks HTTP/2. It dials nothing: it is handed connections on which HTTP/2 was agreed.
func newH2(cfg *Config) *http.Transport {
	t := &http.Transport{
		DisableCompression:     true,
		MaxResponseHeaderBytes: int64(cfg.MaxHead),
		IdleConnTimeout:        cfg.IdleTimeout,
		Protocols:              new(http.Protocols),
		DialTLSContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return ctx.Value(ours{}).(net.Conn), nil
		},
	}
	t.Protocols.SetHTTP2(true)
	return t
}

// hopByHop are fields that HTTP/2 does not have; who sets one means HTTP/1.1.
var hopByHop = [...]string{"Connection", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Upgrade"}

// speaksH2 tells whether the request may go over HTTP/2.
func (s *sending) speaksH2() bool {
	if s.req.Scheme != "https" || s.req.Raw != nil || s.req.ServerName != "" || s.client.cfg.NoHTTP2 {
		return false
	}
	for _, name := range hopByHop {
		if has(s.req.Header, name) {
			return false
		}
	}
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	return !s.gate.h1
}

// takeH2 joins the host's HTTP/2 connection. With fresh, or when it takes no more requests, the next one makes another.
func (g *gate) takeH2(fresh bool) *h2conn {
	g.mu.Lock()
	h := g.h2
	if h == nil {
		g.mu.Unlock()
		return nil
	}
	if !fresh && h.join() {
		g.mu.Unlock()
		return h
	}
	g.h2 = nil
	g.mu.Unlock()
	h.retire()
	return nil
}

// join counts one more request, if the connection takes one.
func (h *h2conn) join() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	ok := !h.retired && h.cc.Reserve() == nil
	if ok {
		h.active++
	}
	return ok
}

// release ends a request's use; the last one of a retired connection closes it.
func (h *h2conn) release() {
	h.mu.Lock()
	h.active--
	last := h.retired && h.active == 0
	h.mu.Unlock()
	if last {
		_ = h.cc.Close()
	}
}

// retire has the connection closed once its last request is over.
func (h *h2conn) retire() {
	h.mu.Lock()
	last := !h.retired && h.active == 0
	h.retired = true
	h.mu.Unlock()
	if last {
		_ = h.cc.Close()
	}
}

// loseFirst is true for the first of the requests that were lost with the connection: together they are one host error.
func (h *h2conn) loseFirst() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	first := !h.lost
	h.lost = true
	return first
}

// upgrade makes a connection on which HTTP/2 was agreed the host's shared one. The sending uses it first.
func (s *sending) upgrade(c *conn, heard *tap) (*h2conn, error) {
	t := trouble{phase: hosterrors.PhaseHead, fresh: true, after: s.timeout()}
	if err := c.handOver(); err != nil {
		return nil, t.explain(s.ctx, err)
	}
	cc, err := s.client.h2.NewClientConn(context.WithValue(s.ctx, ours{}, c.Conn), "https", s.gate.key)
	if err != nil {
		return nil, t.explain(s.ctx, err)
	}
	if err := cc.Reserve(); err != nil {
		// The host has spoilt the connection before its first request; how, net/http does not say.
		if err = heard.cut(); err == nil {
			err = &hosterrors.ProtocolError{Err: errors.New("expected HTTP/2, which the host agreed to speak")}
		}
		_ = cc.Close()
		return nil, t.explain(s.ctx, err)
	}
	h := &h2conn{cc: cc, ip: c.ip, tls: c.tls, active: 1}
	g := s.gate
	g.mu.Lock()
	if g.h2 == nil && !g.gone && !s.client.closed.Load() {
		g.h2 = h
	} else {
		h.retired = true // others were faster: this one serves its own request only
	}
	g.mu.Unlock()
	return h, nil
}

// overH2 sends the request over a shared connection, on which its place is reserved. fresh: it was made for this request.
func (s *sending) overH2(h *h2conn, fresh bool) (resp *Response, again bool, err error) {
	defer h.release()
	start := time.Now()
	if s.deadline.IsZero() {
		s.deadline = start.Add(s.timeout())
	}
	if !s.client.permitted() {
		h.cc.Release()
		return nil, false, errWithdrawn
	}
	limited, cancel := context.WithDeadline(s.ctx, s.deadline)
	defer cancel()
	res, err := h.cc.RoundTrip(s.noteH2(s.h2Request(limited)))
	if err != nil {
		s.took += time.Since(start)
		again, err = s.h2Failure(h, err, fresh)
		return nil, again, err
	}
	s.booking.success()
	p, err := s.h2Body(res)
	s.took += time.Since(start)
	if err != nil {
		return nil, false, s.h2BodyError(err)
	}
	hd := head{status: res.StatusCode, proto: res.Proto, fields: h2Fields(res.Header)}
	return s.response(&hd, &p, h.ip, h.tls), false, nil
}

func (s *sending) h2Request(ctx context.Context) *http.Request {
	r, c := s.req, s.client
	authority := string(appendAuthority(nil, r))
	// An opaque URL leaves the target as it was written.
	target := &url.URL{Scheme: r.Scheme, Host: authority, Opaque: "//" + authority + string(appendTarget(nil, r.Target))}
	out := &http.Request{
		Method: r.method(), URL: target, Host: authority,
		Proto: "HTTP/2.0", ProtoMajor: 2,
		Header: http.Header{"Accept": {"*/*"}},
	}
	out.Header.Set("User-Agent", c.userAgent())
	if r.User != "" {
		out.Header.Set("Authorization", basicAuth(r.User))
	}
	for i, fields := range [...][]Field{c.cfg.Header, r.Header} {
		set := map[string]bool{}
		for _, f := range fields {
			name := http.CanonicalHeaderKey(f.Name)
			switch {
			case i == 0 && (slices.Contains(hopByHop[:], name) || r.foreign && isPrivate(name)):
			case name == "Host":
				out.Host = f.Value
			case set[name]:
				out.Header[name] = append(out.Header[name], f.Value)
			default:
				out.Header[name], set[name] = []string{f.Value}, true
			}
		}
	}
	if len(r.Body) > 0 {
		out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(r.Body)), int64(len(r.Body))
	}
	return out.WithContext(ctx)
}

// h2Body reads the body within the limits.
func (s *sending) h2Body(res *http.Response) (payload, error) {
	defer res.Body.Close()
	want := s.want()
	if want.bodiless || !want.body && res.ContentLength > drainLimit {
		return payload{length: max(res.ContentLength, 0)}, nil
	}
	limit := int64(want.maxBody)
	var kept bytes.Buffer
	var to io.Writer = io.Discard
	if want.body {
		to = &kept
		kept.Grow(int(max(0, min(res.ContentLength, firstGrab))))
	}
	n, err := io.Copy(to, io.LimitReader(res.Body, limit+1))
	if err != nil {
		return payload{}, err
	}
	p := payload{length: min(n, limit), truncated: n > limit}
	if want.body {
		p.bytes = kept.Bytes()[:p.length]
	}
	if p.truncated && res.ContentLength > 0 {
		p.length = res.ContentLength
	}
	return p, nil
}

func (s *sending) h2BodyError(err error) error {
	if own := callerEnded(s.ctx); own != nil {
		return fmt.Errorf("%s: %w", hosterrors.PhaseBody, own)
	}
	if isTimeout(err) {
		return &hosterrors.TimeoutError{Phase: hosterrors.PhaseBody, After: s.client.cfg.Timeout}
	}
	return &hosterrors.ConnError{Phase: hosterrors.PhaseBody, Err: compact(err)}
}

// h2Failure types the error of a request that got no response.
func (s *sending) h2Failure(h *h2conn, err error, fresh bool) (again bool, typed error) {
	if own := callerEnded(s.ctx); own != nil {
		return false, fmt.Errorf("%s: %w", hosterrors.PhaseHead, own)
	}
	if isTimeout(err) {
		return false, &hosterrors.TimeoutError{Phase: hosterrors.PhaseHead, After: s.client.cfg.Timeout}
	}
	stream, isStream := errors.AsType[http2.StreamError](err)
	if isStream && stream.Code == http2.ErrCodeHTTP11Required {
		s.gate.mu.Lock()
		s.gate.h1 = true
		s.gate.mu.Unlock()
	}
	// In these two cases the host says that it has not looked at the request.
	refused := isStream && (stream.Code == http2.ErrCodeRefusedStream || stream.Code == http2.ErrCodeHTTP11Required)
	switch {
	case !isStream && isCutOff(err):
		return false, &hosterrors.ConnError{Phase: hosterrors.PhaseHead, Fresh: h.loseFirst(), Err: compact(err)}
	case fresh || isStream && !refused:
		return false, &hosterrors.ProtocolError{Err: err}
	}
	// What is left is a connection that the host is closing, in the orderly way, or that has gone wrong.
	again = refused || retry.MayRepeat(s.req.method(), false)
	return again, &hosterrors.ConnError{Phase: hosterrors.PhaseHead, Err: err}
}
