//go:build !windows

package hosterrors

import (
	"syscall"
	"testing"
)

func TestErrno(t *testing.T) {
	for errno, want := range map[syscall.Errno]Verdict{
		syscall.ECONNREFUSED:  absent,
		syscall.EHOSTUNREACH:  absent,
		syscall.ENETUNREACH:   absent,
		syscall.ECONNRESET:    lost,
		syscall.ECONNABORTED:  lost,
		syscall.EPIPE:         lost,
		syscall.ETIMEDOUT:     lost,
		syscall.EMFILE:        shortage,
		syscall.ENFILE:        shortage,
		syscall.EADDRNOTAVAIL: shortage,
		syscall.ENOBUFS:       shortage,
		syscall.ENETDOWN:      shortage,
		syscall.EACCES:        final,
		syscall.EINVAL:        final,
	} {
		wantVerdict(t, errno.Error(), dressed(errno), want)
	}
}
