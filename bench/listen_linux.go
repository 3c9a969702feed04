package main

import (
	"context"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// listenWide listens on all addresses of the loopback interface, and on no other interface.
func listenWide() (net.Listener, error) {
	cfg := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) (err error) {
		ctlErr := raw.Control(func(fd uintptr) { err = unix.BindToDevice(int(fd), "lo") })
		if ctlErr != nil {
			return ctlErr
		}
		return err
	}}
	return cfg.Listen(context.Background(), "tcp4", "0.0.0.0:0")
}
