package requester

import "syscall"

// On Windows sockets fail with numbers of their own: WSAEMFILE and WSAENETUNREACH.
const (
	noDescriptor = syscall.Errno(10024)
	noNetwork    = syscall.Errno(10051)
)
