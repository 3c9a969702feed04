//go:build unix

package cmd

import "syscall"

// wakeOpen ends the opening of a named pipe that waits for a writer: it is one for a moment. It says whether there was
// somebody to wake.
func wakeOpen(path string) bool {
	fd, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	_ = syscall.Close(fd)
	return true
}
