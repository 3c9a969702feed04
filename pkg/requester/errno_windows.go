package requester

import "syscall"

// On Windows sockets fail with numbers of their own: WSAEMFILE, WSAENETUNREACH, WSAEADDRNOTAVAIL and WSAENOBUFS.
const (
	noDescriptor = syscall.Errno(10024)
	noNetwork    = syscall.Errno(10051)
	noPort       = syscall.Errno(10049)
	noBuffers    = syscall.Errno(10055)
)
