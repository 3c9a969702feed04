package hosterrors

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// ErrNoRoute says that this machine has no route to the address, which is no fault of the host. It is for
// an ENETUNREACH that was confirmed in another way, such as a UDP connect, which sends nothing.
var ErrNoRoute = errors.New("no route to the host's network from here")

// ErrExcluded says that the user has excluded the host, or the address that its name stands for: nothing was sent.
var ErrExcluded = errors.New("excluded by the user")

// Phase is the part of a request in which something happened. The zero value is PhaseDial.
type Phase uint8

const (
	// PhaseDial is the connecting, up to an established connection.
	PhaseDial Phase = iota
	// PhaseTLS is the TLS handshake.
	PhaseTLS
	// PhaseHead is sending the request and waiting for the head of the response.
	PhaseHead
	// PhaseBody is everything after the response head.
	PhaseBody
)

// String says what was going on, to follow the word "while".
func (p Phase) String() string {
	switch p {
	case PhaseDial:
		return "dialing"
	case PhaseTLS:
		return "shaking hands for TLS"
	case PhaseHead:
		return "waiting for the response head"
	case PhaseBody:
		return "reading the response body"
	}
	return fmt.Sprintf("phase %d", uint8(p))
}

// TimeoutError is the end of a time limit of our own, as opposed to one of the caller's, which cannot be told
// apart by the errors of the standard library.
type TimeoutError struct {
	Phase Phase
	After time.Duration // the limit
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("timeout after %v while %v", e.After, e.Phase)
}

// Timeout makes it a net.Error's kind of timeout.
func (e *TimeoutError) Timeout() bool { return true }

// Unwrap gives os.ErrDeadlineExceeded.
func (e *TimeoutError) Unwrap() error { return os.ErrDeadlineExceeded }

// ConnError is a connection that could not be made, or that ended before its time.
type ConnError struct {
	Phase Phase
	// Fresh: this was the connection's first request. In PhaseHead a connection that is not fresh and gave no
	// byte of a response is one that the server had closed while it was idle.
	Fresh bool
	Err   error
}

func (e *ConnError) Error() string {
	if e.Phase == PhaseHead && !e.Fresh {
		return fmt.Sprintf("idle connection was closed: %v", e.Err)
	}
	return fmt.Sprintf("connection failed while %v: %v", e.Phase, e.Err)
}

func (e *ConnError) Unwrap() error { return e.Err }

// ProtocolError is an answer that is not what was asked for: bytes that are no HTTP, or a failure of TLS
// after the host had answered.
type ProtocolError struct{ Err error }

func (e *ProtocolError) Error() string { return fmt.Sprintf("unexpected answer: %v", e.Err) }

func (e *ProtocolError) Unwrap() error { return e.Err }

// ProxyError is a failure at a proxy, or at the host behind it, as the proxy tells.
type ProxyError struct {
	Status int  // of the answer to CONNECT by an HTTP proxy; 0 = none
	Reply  byte // of a SOCKS5 proxy (RFC 1928, section 6); 0 = none
	Err    error
}

func (e *ProxyError) Error() string {
	switch {
	case e.Status != 0:
		return fmt.Sprintf("proxy answered CONNECT with status %d%s", e.Status, detail(e.Err))
	case e.Reply != 0:
		return fmt.Sprintf("SOCKS proxy gave reply %d%s", e.Reply, detail(e.Err))
	}
	return "proxy failed" + detail(e.Err)
}

func (e *ProxyError) Unwrap() error { return e.Err }

// StarvedError is a timeout that passed while our own process did not get to run, so it tells nothing about
// the host.
type StarvedError struct {
	Lag time.Duration // how late the scheduler was
	Err error
}

func (e *StarvedError) Error() string {
	return fmt.Sprintf("this process was starved for %v%s", e.Lag, detail(e.Err))
}

func (e *StarvedError) Unwrap() error { return e.Err }

// OutageError is a request that failed while the scan took the fault for its own: link, DNS or proxy.
type OutageError struct{ Err error }

func (e *OutageError) Error() string { return "during an outage on our side" + detail(e.Err) }

func (e *OutageError) Unwrap() error { return e.Err }

// BuildError is a request that could not be built: an error of whoever wrote it.
type BuildError struct{ Err error }

func (e *BuildError) Error() string { return fmt.Sprintf("cannot build the request: %v", e.Err) }

func (e *BuildError) Unwrap() error { return e.Err }

func detail(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}
