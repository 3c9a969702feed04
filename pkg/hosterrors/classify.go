package hosterrors

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/textproto"
	"net/url"
	"os"
	"strings"
	"syscall"
)

// causeOf finds the cause of an outcome. The order matters: what a wrapper of ours says outranks what it
// wraps, our own faults outrank the host's, and text comes last.
func causeOf(err error) cause {
	if err == nil {
		return causeAnswered
	}
	for _, by := range [...]func(error) cause{
		byOwnError, byCaller, byName, byConnection, byErrno, byAnswer, byAddress, byEnd, byTimeout, byText,
	} {
		if c := by(err); c != causeUnknown {
			return c
		}
	}
	return causeUnknown
}

// byOwnError knows the errors that the requester makes, apart from ConnError.
func byOwnError(err error) cause {
	switch {
	case errors.Is(err, ErrUnresponsiveHost):
		return causeSkipped
	case is[*BuildError](err):
		return causeUnbuilt
	case is[*StarvedError](err):
		return causeStarved
	case is[*OutageError](err):
		return causeOutage
	case errors.Is(err, ErrNoRoute), errors.Is(err, ErrExcluded):
		return causeBarred
	}
	if e, ok := errors.AsType[*ProxyError](err); ok {
		return causeOfProxy(e)
	}
	if is[*ProtocolError](err) {
		return causeAnswered
	}
	if e, ok := errors.AsType[*TimeoutError](err); ok {
		switch e.Phase {
		case PhaseHead:
			return causeHeadTimeout
		case PhaseBody:
			return causeCut
		}
		return causeLost
	}
	return causeUnknown
}

// causeOfProxy: a gateway status, and the SOCKS replies 3 to 6 (network unreachable, host unreachable,
// refused, TTL expired), speak of the host behind the proxy; all others of the proxy itself.
func causeOfProxy(e *ProxyError) cause {
	if e.Status >= 502 && e.Status <= 504 || e.Reply >= 3 && e.Reply <= 6 {
		return causeLost
	}
	return causeShortage
}

// byCaller: the net package dresses the end of a dial's time limit as a context's deadline, so a dial that
// timed out is none of the caller's.
func byCaller(err error) cause {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) && !dialTimedOut(err) {
		return causeCancelled
	}
	return causeUnknown
}

func dialTimedOut(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial" && op.Timeout()
}

// byName: only the answer that there is no such name speaks about the host; everything else is the resolver's.
func byName(err error) cause {
	e, ok := errors.AsType[*net.DNSError](err)
	switch {
	case !ok:
		return causeUnknown
	case e.IsNotFound:
		return causeAbsent
	}
	return causeShortage
}

// byConnection: within a connection error an errno may still say that the fault is ours, or that nobody is
// there.
func byConnection(err error) cause {
	e, ok := errors.AsType[*ConnError](err)
	if !ok {
		return causeUnknown
	}
	inner := byErrno(e.Err)
	switch {
	case inner == causeShortage || inner == causeBarred:
		return inner
	case e.Phase == PhaseBody:
		return causeCut
	case e.Phase == PhaseHead && !e.Fresh:
		return causeIdleClosed
	case inner == causeAbsent:
		return causeAbsent
	}
	return causeLost
}

// byErrno asks the system's table, which is in a file of its own for each kind of system.
func byErrno(err error) cause {
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return causeOfErrno(e)
	}
	return causeUnknown
}

// byAnswer knows the errors of the standard library that can only come after bytes of the host.
func byAnswer(err error) cause {
	switch {
	case is[tls.RecordHeaderError](err), is[*tls.CertificateVerificationError](err), is[tls.AlertError](err),
		is[x509.CertificateInvalidError](err), is[x509.HostnameError](err), is[x509.UnknownAuthorityError](err),
		is[textproto.ProtocolError](err), errors.Is(err, io.ErrNoProgress):
		return causeAnswered
	}
	// crypto/tls reports an alert, received or sent, as an operation of this name.
	if op, ok := errors.AsType[*net.OpError](err); ok && (op.Op == "remote error" || op.Op == "local error") {
		return causeAnswered
	}
	return causeUnknown
}

// byAddress: what cannot even be read as an address was never sent.
func byAddress(err error) cause {
	if e, ok := errors.AsType[*url.Error](err); ok && e.Op == "parse" {
		return causeUnbuilt
	}
	switch {
	case is[url.EscapeError](err), is[url.InvalidHostError](err), is[*net.AddrError](err), is[*net.ParseError](err),
		is[net.InvalidAddrError](err), is[net.UnknownNetworkError](err):
		return causeUnbuilt
	}
	return causeUnknown
}

// byEnd: an unexpected EOF stands in the midst of something that the host had begun to say.
func byEnd(err error) cause {
	switch {
	case errors.Is(err, net.ErrClosed):
		return causeCancelled
	case errors.Is(err, io.ErrUnexpectedEOF):
		return causeCut
	case errors.Is(err, io.EOF):
		return causeLost
	}
	return causeUnknown
}

// byTimeout: a limit that is known by type, but not whose it is or in which phase, is taken for that of the
// response.
func byTimeout(err error) cause {
	if dialTimedOut(err) {
		return causeLost
	}
	if e, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err); ok && e.Timeout() || errors.Is(err, os.ErrDeadlineExceeded) {
		return causeHeadTimeout
	}
	return causeUnknown
}

// byText is for foreign errors without a type. The first line that matches decides.
func byText(err error) cause {
	text := strings.ToLower(err.Error())
	for _, line := range [...]struct {
		part  string
		cause cause
	}{
		{"too many open files", causeShortage},
		{"cannot assign requested address", causeShortage},
		{"no buffer space available", causeShortage},
		{"server misbehaving", causeShortage},
		{"context canceled", causeCancelled},
		{"operation was canceled", causeCancelled},
		{"context deadline exceeded", causeCancelled},
		{"connection refused", causeAbsent},
		{"no route to host", causeAbsent},
		{"host is down", causeAbsent},
		{"network is unreachable", causeAbsent},
		{"no such host", causeAbsent},
		{"connection reset", causeLost},
		{"broken pipe", causeLost},
		{"closed connection before returning", causeLost},
		{"dialing to the given tcp address timed out", causeLost},
		{"timed out", causeHeadTimeout},
		{"timeout", causeHeadTimeout},
	} {
		if strings.Contains(text, line.part) {
			return line.cause
		}
	}
	return causeUnknown
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
