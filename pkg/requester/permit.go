package requester

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"
)

// WithdrawnError is the end of a send for which Config.Permit said no, or that failed after it had. It counts as cancelled by
// us: it says nothing of the host.
type WithdrawnError struct{ Err error } // Err is how else the send ended; nil = nothing was sent

func (e *WithdrawnError) Error() string {
	if e.Err == nil {
		return "not sent: the permit to send to the host was withdrawn"
	}
	return fmt.Sprintf("the permit to send to the host was withdrawn: %v", e.Err)
}

// Unwrap gives context.Canceled.
func (e *WithdrawnError) Unwrap() error { return context.Canceled }

// errWithdrawn is what a connection says that nothing may be written to any more.
var errWithdrawn = &WithdrawnError{}

func isWithdrawn(err error) bool {
	_, ok := errors.AsType[*WithdrawnError](err)
	return ok
}

// permitted asks for the permit to send.
func (c *Client) permitted() bool { return c.cfg.Permit == nil || c.cfg.Permit(time.Now()) }

// withdrawn makes the failure of an attempt one that says nothing of the host, where the permit has gone: a process that
// was stopped for a while finds its time limits over and its connections closed.
func (c *Client) withdrawn(err error) error {
	if err == nil || isWithdrawn(err) || c.permitted() {
		return err
	}
	return &WithdrawnError{Err: err}
}

// guard has the permit asked for before every write to a connection.
func (c *Client) guard(raw net.Conn) net.Conn {
	if c.cfg.Permit == nil || raw == nil {
		return raw
	}
	return &guarded{Conn: raw, client: c}
}

// guarded is a connection to which nothing is written without a permit.
type guarded struct {
	net.Conn
	client *Client
}

func (g *guarded) Write(p []byte) (int, error) {
	if !g.client.permitted() {
		return 0, errWithdrawn
	}
	return g.Conn.Write(p)
}

// SyscallConn gives the connection's own, see conn.open.
func (g *guarded) SyscallConn() (syscall.RawConn, error) {
	if sc, ok := g.Conn.(syscall.Conn); ok {
		return sc.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}
