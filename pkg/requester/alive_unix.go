//go:build unix

package requester

import "syscall"

// open tells whether an idle connection is still open, by a look that neither waits nor consumes. Anything that is there to be read is the
// end of the stream or bytes that nobody asked for, and both make it useless. unknown is the answer where one cannot look.
func (c *conn) open(unknown bool) bool {
	sc, ok := c.wire.(syscall.Conn)
	if !ok {
		return unknown
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return false
	}
	if c.unarm() != nil {
		return false
	}
	quiet := false
	err = raw.Read(func(fd uintptr) bool {
		var one [1]byte
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK)
		quiet = err == syscall.EAGAIN || err == syscall.EWOULDBLOCK
		return true
	})
	return err == nil && quiet
}
