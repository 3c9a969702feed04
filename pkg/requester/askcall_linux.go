//go:build !race

package requester

import (
	"syscall"
	"unsafe"
)

// A system call on a descriptor that never blocks is over at once. The scheduler need not be told of it, which costs about
// as much as the rest of what Go does for a request: so it is made raw. The race detector needs to be told, too, that what is read
// comes after what was written: it gets the other kind.

func writeFD(fd uintptr, p []byte) (int, error) { return rawCall(syscall.SYS_WRITE, fd, p) }

func readFD(fd uintptr, p []byte) (int, error) { return rawCall(syscall.SYS_READ, fd, p) }

func rawCall(trap, fd uintptr, p []byte) (int, error) {
	for {
		n, _, errno := syscall.RawSyscall(trap, fd, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
		switch errno {
		case 0:
			return int(n), nil
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}
