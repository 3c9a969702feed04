package requester

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"time"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/hostkey"
	"github.com/redialscan/redial/pkg/retry"
)

// Do makes one attempt to get the answer to req, and follows its redirects. Any error says by [hosterrors.Judge] what it means;
// a [NotAdmittedError] means that nothing was sent. turn says how to wait; nil waits in place.
//
// Each redirect hop is a send of its own, with the hop's key, slot and ticket. A hop to another host that fails or is not
// admitted ends the chain, and the response before it is the answer; a hop to the same host fails the request.
func (c *Client) Do(ctx context.Context, req *Request, turn Turn) (*Response, error) {
	resp, err := c.send(ctx, req, turn, false)
	if err != nil || req.Redirects <= 0 || !isRedirect(resp.Status) || resp.Throttled {
		return resp, err
	}
	return c.follow(ctx, req, turn, resp)
}

// send sends one request, without its redirects.
func (c *Client) send(ctx context.Context, req *Request, turn Turn, hop bool) (*Response, error) {
	if c.closed.Load() {
		return nil, &hosterrors.BuildError{Err: errClosed}
	}
	if err := req.check(); err != nil {
		return nil, &hosterrors.BuildError{Err: err}
	}
	if req.Query != nil {
		return c.ask(ctx, req, turn)
	}
	var room [128]byte
	now := time.Now()
	g, err := c.gates.enter(appendKey(room[:0], req.Host, req.Port), now, func() error { return c.welcome(req) })
	switch {
	case errors.Is(err, hosterrors.ErrExcluded):
		return nil, err
	case err != nil:
		return nil, &hosterrors.BuildError{Err: err}
	}
	defer c.leave(g)
	ticket, start, err := c.admit(ctx, g, turn, hop, now)
	if err != nil {
		return nil, err
	}
	s := sending{client: c, ctx: ctx, req: req, turn: turn, gate: g}
	s.booking = booking{client: c, sent: start, gate: g, req: req, ticket: ticket, ignoreTimeout: req.IgnoreTimeout}
	return s.attempt(start)
}

func (c *Client) leave(g *gate) { c.gates.leave(g, time.Now()) }

// attempt gives the ticket its outcome, whatever happens.
func (s *sending) attempt(start time.Time) (resp *Response, err error) {
	c, g := s.client, s.gate
	defer func() {
		if err = c.withdrawn(err); !isWithdrawn(err) {
			err = c.ours(g, s.req, start, c.throughProxy(s.ctx, s.req, start, resp, c.strained(start, err)))
		}
		s.booking.close(err)
		if resp != nil && err == nil {
			c.hear(g, resp, s.heardAt())
		}
		if c.cfg.Trace != nil {
			s.trace(resp, err)
		}
	}()
	resp, again, err := s.once(false)
	if !again {
		return resp, err
	}
	// The host had closed its idle connections; whatever else idles there is as dead.
	c.gates.empty(g, false)
	if _, err = c.takeSlot(s.ctx, g, s.turn, true, time.Now()); err != nil {
		return nil, err
	}
	resp, _, err = s.once(true)
	return resp, err
}

// heardAt is when the answer was there.
func (s *sending) heardAt() time.Time {
	if s.ended.IsZero() {
		return time.Now()
	}
	return s.ended
}

// sending is one attempt on its way.
type sending struct {
	client  *Client
	ctx     context.Context
	req     *Request
	turn    Turn
	gate    *gate
	booking booking
	took    time.Duration        // spent, without the waits
	ended   time.Time            // of the exchange, where that was over HTTP/1.1
	session *tls.ConnectionState // of a handshake that is wanted for itself
	// deadline ends handshake, head and body of the connection in use; zero = none of them has begun.
	deadline time.Time
	copied   []byte // what was sent, for Config.Trace
}

// once sends over one connection. again: that was a kept-alive connection which the host had closed, and the request may go out
// once more, over a fresh one.
func (s *sending) once(fresh bool) (resp *Response, again bool, err error) {
	s.deadline = time.Time{}
	s.client.sent.Add(1)
	if s.req.Handshake != nil || s.req.Talk != nil {
		resp, err := s.alone()
		if errors.Is(err, hosterrors.ErrExcluded) {
			s.client.sent.Add(-1)
		}
		return resp, false, err
	}
	if s.speaksH2() {
		if h2 := s.gate.takeH2(fresh); h2 != nil {
			if err := s.dialed(); err != nil {
				h2.cc.Release()
				h2.release()
				return nil, false, err
			}
			return s.overH2(h2, false)
		}
	}
	if !fresh && s.req.ServerName == "" {
		if c := s.idle(); c != nil {
			if err := s.dialed(); err != nil {
				c.shut()
				return nil, false, err
			}
			return s.over(c)
		}
	}
	c, h2, err := s.reach()
	switch {
	case err != nil:
		if errors.Is(err, hosterrors.ErrExcluded) {
			s.client.sent.Add(-1) // it went nowhere
		}
		return nil, false, err
	case h2 != nil:
		return s.overH2(h2, true)
	}
	return s.over(c)
}

// timeout is the time for what follows the connect.
func (s *sending) timeout() time.Duration {
	if s.req.Timeout > 0 {
		return s.req.Timeout
	}
	return s.client.cfg.Timeout
}

// idle takes an idle connection of the host that is still of use.
func (s *sending) idle() *conn {
	repeatable := retry.MayRepeat(s.req.method(), false)
	for {
		c := s.client.gates.pop(s.gate, s.req.Scheme == "https")
		if c == nil {
			return nil
		}
		age := s.booking.sent.Sub(c.idleSince)
		// A request that must not be repeated is not risked on a connection that may be closed; for the others the look costs
		// a system call, and is worth it once the connection has been idle for a while.
		if age < s.client.cfg.IdleTimeout && (repeatable && age < time.Second || c.open(repeatable)) {
			return c
		}
		c.shut()
	}
}

// dialed exchanges the slot for dials for a worker.
func (s *sending) dialed() error {
	if s.turn == nil {
		return nil
	}
	if err := s.turn.Dialed(s.ctx); err != nil {
		return fmt.Errorf("waiting for a worker: %w", err)
	}
	return nil
}

// over sends the request over an HTTP/1.1 connection, which it owns from now on.
func (s *sending) over(c *conn) (resp *Response, again bool, err error) {
	kept := false
	defer func() {
		if !kept {
			c.shut()
		}
	}()
	start := time.Now()
	d := desks.Get().(*desk)
	defer d.release()
	d.out = s.client.compose(d.out[:0], s.req, c.viaProxy)
	s.noteSent(d.out)
	want := s.want()
	if s.deadline.IsZero() {
		s.deadline = start.Add(want.timeout)
	}
	out := c.exchange(s.ctx, start, s.deadline, d, want, &s.booking)
	s.ended = time.Now()
	s.took += s.ended.Sub(start)
	if out.err != nil {
		return nil, s.mayResend(c, &out), s.viaProxyError(c, &out)
	}
	resp = s.response(&out.head, &out.payload, c.ip, c.tls)
	if kept = out.reuse && s.req.ServerName == "" && !s.client.closed.Load(); kept {
		s.client.gates.push(s.gate, c, s.ended)
	}
	return resp, false, nil
}

// mayResend: only a kept-alive connection that ended without a byte of a response, and only a request that may be repeated or of which
// no byte was taken (RFC 9110 section 9.2.2).
func (s *sending) mayResend(c *conn, out *outcome) bool {
	_, ended := errors.AsType[*hosterrors.ConnError](out.err)
	return ended && c.used && out.silent && (out.nothing || retry.MayRepeat(s.req.method(), false))
}

func (s *sending) want() wanted {
	cfg := &s.client.cfg
	return wanted{
		timeout:  s.timeout(),
		maxHead:  cfg.MaxHead,
		maxBody:  cfg.MaxBody,
		bodiless: s.req.method() == "HEAD",
		body:     s.req.WantBody,
	}
}

// response makes the answer of what was read.
func (s *sending) response(h *head, p *payload, ip netip.Addr, info *TLSInfo) *Response {
	r := &Response{
		Status: h.status, Proto: h.proto, Header: h.fields,
		Body: p.bytes, Length: p.length, Truncated: p.truncated,
		IP: ip, TLS: info, Took: s.took,
	}
	if len(p.bytes) > 0 {
		if coding := get(h.fields, "Content-Encoding"); coding != "" {
			r.decode(coding, s.client.cfg.MaxBody)
		}
	}
	if s.client.mayName(h.status) {
		if wait, ok := retry.RetryAfter(get(h.fields, "Retry-After"), time.Now(), s.client.cfg.MaxRetryAfter); ok {
			r.RetryAfter = wait
		}
	}
	return r
}

func appendKey(b []byte, host string, port uint16) []byte {
	return strconv.AppendUint(append(hostkey.AppendHost(b, host), ':'), uint64(port), 10)
}
