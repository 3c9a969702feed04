package lab

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
)

// hole is a socket that listens with a backlog of zero and is never accepted
// from. The kernel keeps one finished connection for it; with that one there
// the queue is full and every further SYN is dropped without a word, as a
// packet filter does it. It takes two descriptors and no goroutine.
type hole struct {
	listener int
	filler   int
}

// fillTime bounds the wait for the kernel to queue the filling connection. On
// loopback that takes microseconds.
const fillTime = 2 * time.Second

// openHole makes a black hole at addr and returns the address that it got.
func openHole(addr string) (*hole, string, error) {
	at, err := netip.ParseAddrPort(addr)
	if err != nil {
		return nil, "", err
	}
	h := &hole{listener: -1, filler: -1}
	at, err = h.open(at)
	if err != nil {
		h.close()
		return nil, "", fmt.Errorf("black hole at %s: %w", addr, err)
	}
	return h, at.String(), nil
}

func (h *hole) open(at netip.AddrPort) (got netip.AddrPort, err error) {
	const kind = unix.SOCK_STREAM | unix.SOCK_CLOEXEC
	if h.listener, err = unix.Socket(unix.AF_INET, kind, 0); err != nil {
		return got, fmt.Errorf("socket: %w", err)
	}
	if err = unix.Bind(h.listener, &unix.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()}); err != nil {
		return got, fmt.Errorf("bind: %w", err)
	}
	if err = unix.Listen(h.listener, 0); err != nil {
		return got, fmt.Errorf("listen: %w", err)
	}
	name, err := unix.Getsockname(h.listener)
	if err != nil {
		return got, fmt.Errorf("getsockname: %w", err)
	}
	if h.filler, err = unix.Socket(unix.AF_INET, kind|unix.SOCK_NONBLOCK, 0); err != nil {
		return got, fmt.Errorf("socket: %w", err)
	}
	if err = unix.Connect(h.filler, name); err != nil && !errors.Is(err, unix.EINPROGRESS) {
		return got, fmt.Errorf("connect: %w", err)
	}
	if err = h.awaitFull(); err != nil {
		return got, err
	}
	inet := name.(*unix.SockaddrInet4) // an AF_INET socket has no other name
	return netip.AddrPortFrom(netip.AddrFrom4(inet.Addr), uint16(inet.Port)), nil
}

// awaitFull returns once the kernel would drop the next SYN. For a listening
// socket TCP_INFO tells in Unacked how many connections wait to be accepted and
// in Sacked how many may; the queue is full when the first is above the second.
func (h *hole) awaitFull() error {
	for end := time.Now().Add(fillTime); ; time.Sleep(50 * time.Microsecond) {
		info, err := unix.GetsockoptTCPInfo(h.listener, unix.IPPROTO_TCP, unix.TCP_INFO)
		if err != nil {
			return fmt.Errorf("tcp_info: %w", err)
		}
		if info.Unacked > info.Sacked {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("the kernel queued %d of %d connections in %v: expected one more than it may", info.Unacked, info.Sacked, fillTime)
		}
	}
}

func (h *hole) close() {
	for _, fd := range []int{h.listener, h.filler} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}
