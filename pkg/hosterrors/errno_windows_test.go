package hosterrors

import (
	"syscall"
	"testing"

	"golang.org/x/sys/windows"
)

func TestErrno(t *testing.T) {
	for errno, want := range map[syscall.Errno]Verdict{
		windows.WSAECONNREFUSED:          absent,
		windows.ERROR_CONNECTION_REFUSED: absent,
		windows.WSAEHOSTUNREACH:          absent,
		windows.WSAENETUNREACH:           absent,
		windows.WSAECONNRESET:            lost,
		windows.WSAECONNABORTED:          lost,
		windows.WSAETIMEDOUT:             lost,
		windows.WSAEMFILE:                shortage,
		windows.WSAEADDRNOTAVAIL:         shortage,
		windows.WSAENOBUFS:               shortage,
		windows.WSAENETDOWN:              shortage,
		windows.WSAEACCES:                final,
		windows.WSAEINVAL:                final,
	} {
		wantVerdict(t, errno.Error(), dressed(errno), want)
	}
}
