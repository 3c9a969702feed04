package requester

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"github.com/redialscan/redial/pkg/hosterrors"
)

// dialError names the address that could not be reached. It is kept for every dead host of a scan, so it holds no strings.
type dialError struct {
	addr netip.AddrPort
	err  error
}

func (e *dialError) Error() string { return e.addr.String() + ": " + e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

// compact reduces an error of the net package to its cause: a *net.OpError holds addresses and strings alive that the key
// of the host tells as well.
func compact(err error) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno
	}
	for _, plain := range [...]error{io.ErrUnexpectedEOF, io.EOF, net.ErrClosed, io.ErrClosedPipe} {
		if errors.Is(err, plain) {
			return plain
		}
	}
	return err
}

func isTimeout(err error) bool {
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

// callerEnded tells that the caller's own context has ended. Its deadline is looked at as well as its error, because a timer
// of ours and the context's may fire in either order.
func callerEnded(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if end, ok := ctx.Deadline(); ok && !time.Now().Before(end) {
		return context.DeadlineExceeded
	}
	return nil
}

// strained tells when this process, and not the host, was not up to it: a time limit that passed while it did not get to
// run is a StarvedError. Whoever can lower the load hears of that, and of descriptors and ports that have run out.
func (c *Client) strained(start time.Time, err error) error {
	if slow, ok := errors.AsType[*hosterrors.TimeoutError](err); ok {
		lag := c.lag.worst(start, time.Now())
		if slow.After <= 0 || lag < slow.After/starvedShare {
			return err
		}
		err = &hosterrors.StarvedError{Lag: lag, Err: err}
	} else if !outOfRoom(err) {
		return err
	}
	if c.cfg.Strained != nil {
		c.cfg.Strained(err)
	}
	return err
}

// outOfRoom says that this process, or its system, has no descriptor or no port left.
func outOfRoom(err error) bool {
	for _, errno := range [...]error{noDescriptor, syscall.ENFILE, noPort, noBuffers} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// alive notes that a host has answered.
func (c *Client) alive(g *gate, req *Request, sent time.Time) {
	if c.cfg.OutageTimeout > 0 {
		c.outage.succeeded(g.key, origin{req.Scheme, req.Host, req.Port}, &g.answered, sent)
	}
}

// ours wraps the error of a send into one that says that the fault is ours, where that can be told: by an outage, or
// because a host that has answered cannot all of a sudden be without a route.
func (c *Client) ours(g *gate, req *Request, sent time.Time, err error) error {
	if err == nil || c.cfg.OutageTimeout <= 0 {
		return err
	}
	_, name := errors.AsType[*net.DNSError](err)
	routeless := errors.Is(err, hosterrors.ErrNoRoute) || errors.Is(err, noNetwork)
	switch v := c.verdict(err); {
	case v.Blame == hosterrors.BlameAlive:
		c.alive(g, req, sent)
	case v.Blame != hosterrors.BlameHost && !name && !routeless:
	case c.outage.failed(g.key, time.Now(), err), routeless && c.outage.suspected.Load():
		return &hosterrors.OutageError{Err: err}
	case routeless && c.outage.witness(g.key):
		return &hosterrors.OutageError{Err: err}
	}
	return err
}

func (c *Client) verdict(err error) hosterrors.Verdict {
	if c.cfg.Breaker != nil {
		return c.cfg.Breaker.Judge(err)
	}
	return hosterrors.Judge(err)
}

// trouble is what one send needs to turn a failed read or write into an error that can be judged.
type trouble struct {
	phase    hosterrors.Phase
	fresh    bool // first use of the connection
	answered bool // bytes of this phase came from the peer
	after    time.Duration
}

// explain types the error of a connection. The caller's context comes first: what we cut off ourselves is nobody's fault.
func (t trouble) explain(ctx context.Context, err error) error {
	if own := callerEnded(ctx); own != nil {
		return fmt.Errorf("%s: %w", t.phase, own)
	}
	if isTimeout(err) {
		return &hosterrors.TimeoutError{Phase: t.phase, After: t.after}
	}
	if isWithdrawn(err) {
		return errWithdrawn
	}
	if already, ok := errors.AsType[*hosterrors.ProtocolError](err); ok {
		return already
	}
	if t.answered && t.phase != hosterrors.PhaseBody {
		return &hosterrors.ProtocolError{Err: fmt.Errorf("cut off while %s: %w", t.phase, compact(err))}
	}
	if isTLSFault(err) {
		return &hosterrors.ProtocolError{Err: err}
	}
	return &hosterrors.ConnError{Phase: t.phase, Fresh: t.fresh, Err: compact(err)}
}

// isTLSFault tells a TLS alert, or a record that made no sense, from a connection that ended: with TLS 1.3 a host may complain about
// the handshake when we take it to be over.
func isTLSFault(err error) bool {
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	op, ok := errors.AsType[*net.OpError](err)
	return ok && (op.Op == "remote error" || op.Op == "local error")
}

// isCutOff tells that the connection ended.
func isCutOff(err error) bool {
	if _, ok := errors.AsType[syscall.Errno](err); ok {
		return true
	}
	return isEOF(err) || errors.Is(err, net.ErrClosed) || errors.Is(err, io.ErrClosedPipe)
}
