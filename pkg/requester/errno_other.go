//go:build !windows

package requester

import "syscall"

const (
	noDescriptor = syscall.EMFILE
	noNetwork    = syscall.ENETUNREACH
	noPort       = syscall.EADDRNOTAVAIL
	noBuffers    = syscall.ENOBUFS
)
