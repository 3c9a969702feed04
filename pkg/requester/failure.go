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
