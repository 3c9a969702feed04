//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package report

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// hold marks a file as in use for as long as it is open, and says whether nobody else did.
func hold(file *os.File) bool {
	return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

// busy does the same, and says whether somebody else did. A file system without such marks does not know.
func busy(file *os.File) bool {
	return errors.Is(unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK)
}
