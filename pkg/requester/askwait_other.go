//go:build !unix

package requester

import (
	"net"
	"syscall"
)

// askWait is for systems that tell when a descriptor is ready; here no connection has a use for it.
type askWait struct{ sent int }

func (*askWait) do(syscall.RawConn, []byte, []byte) (int, error, bool) { return 0, nil, false } //nolint:revive // see askwait_unix.go

func rawOf(net.Conn) syscall.RawConn { return nil }
