//go:build !unix

package requester

import (
	"net"
	"syscall"
)

// talk is for systems that tell when a descriptor is ready; here no connection has a use for it.
type talk struct{ sent int }

func (*talk) do(syscall.RawConn, []byte, []byte) (int, error, bool) { return 0, nil, false } //nolint:revive // see talk_unix.go

func rawOf(net.Conn) syscall.RawConn { return nil }
