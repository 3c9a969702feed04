//go:build unix && (!linux || race)

package requester

import "syscall"

func writeFD(fd uintptr, p []byte) (int, error) { return again(syscall.Write, fd, p) }

func readFD(fd uintptr, p []byte) (int, error) { return again(syscall.Read, fd, p) }

// again makes a system call that a signal may interrupt.
func again(call func(int, []byte) (int, error), fd uintptr, p []byte) (int, error) {
	for {
		n, err := call(int(fd), p)
		if err != syscall.EINTR {
			return max(n, 0), err
		}
	}
}
