//go:build unix

package requester

import (
	"io"
	"net"
	"os"
	"syscall"
)

// askWait writes a request and reads the first bytes of its answer. A read that comes before the answer costs a system call for
// nothing, and between a request and its answer that is nearly each. So the request is written where the runtime has
// made ready to wait for the descriptor: whatever comes from then on wakes us, and only then is anything read.
type askWait struct {
	step func(fd uintptr) bool // made once, since it would be allocated for each request
	out  []byte
	in   []byte
	sent int
	got  int
	more bool // the request was not taken as a whole
	err  error
}

// do says with ok that the answer, or the end of the connection, was read; else what is left of the request is to be written, and
// the answer read, in the usual way.
func (t *askWait) do(raw syscall.RawConn, out, in []byte) (n int, err error, ok bool) { //nolint:revive // the error belongs to n
	if t.step == nil {
		t.step = t.take
	}
	t.out, t.in, t.sent, t.got, t.more, t.err = out, in, 0, 0, false, nil
	err = raw.Read(t.step)
	t.out, t.in = nil, nil
	switch {
	case err != nil:
		return 0, err, true
	case t.more:
		return 0, nil, false
	}
	return t.got, t.err, true
}

// take is called once before the wait and once after each.
func (t *askWait) take(fd uintptr) (over bool) {
	if t.sent < len(t.out) {
		n, err := writeFD(fd, t.out)
		t.sent = n
		t.more = t.sent < len(t.out)
		return t.more || err != nil
	}
	n, err := readFD(fd, t.in)
	switch {
	case err == syscall.EAGAIN:
		return false
	case err != nil:
		t.err = os.NewSyscallError("read", err)
	case n == 0:
		t.err = io.EOF
	default:
		t.got = n
	}
	return true
}

// rawOf gives access to the descriptor of a connection in the clear; nil where there is none.
func rawOf(wire net.Conn) syscall.RawConn {
	sc, ok := wire.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}
