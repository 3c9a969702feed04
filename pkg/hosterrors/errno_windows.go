package hosterrors

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// causeOfErrno knows the numbers of Winsock, which differ from the E constants of package syscall there, and
// those that the system gives for the same from overlapped calls.
func causeOfErrno(e syscall.Errno) cause {
	switch e {
	case windows.WSAECONNREFUSED, windows.WSAEHOSTUNREACH, windows.WSAEHOSTDOWN, windows.WSAENETUNREACH,
		windows.ERROR_CONNECTION_REFUSED, windows.ERROR_HOST_UNREACHABLE, windows.ERROR_NETWORK_UNREACHABLE,
		windows.ERROR_PORT_UNREACHABLE:
		return causeAbsent
	case windows.WSAECONNRESET, windows.WSAECONNABORTED, windows.WSAENETRESET, windows.WSAESHUTDOWN,
		windows.WSAENOTCONN, windows.WSAETIMEDOUT, windows.WSAEDISCON,
		windows.ERROR_CONNECTION_ABORTED, windows.ERROR_NETNAME_DELETED, windows.ERROR_SEM_TIMEOUT:
		return causeLost
	case windows.WSAEMFILE, windows.WSAEADDRNOTAVAIL, windows.WSAEADDRINUSE, windows.WSAENOBUFS, windows.WSAENETDOWN,
		windows.ERROR_NOT_ENOUGH_MEMORY:
		return causeShortage
	case windows.WSAEACCES, windows.WSAEAFNOSUPPORT, windows.WSAEPROTONOSUPPORT:
		return causeBarred
	case windows.WSAECANCELLED, windows.ERROR_OPERATION_ABORTED:
		return causeCancelled
	}
	return causeUnknown
}
