//go:build !windows

package hosterrors

import "syscall"

func causeOfErrno(e syscall.Errno) cause {
	switch e {
	case syscall.ECONNREFUSED, syscall.EHOSTUNREACH, syscall.EHOSTDOWN, syscall.ENETUNREACH:
		return causeAbsent
	case syscall.ECONNRESET, syscall.ECONNABORTED, syscall.ENETRESET, syscall.EPIPE, syscall.ENOTCONN, syscall.ETIMEDOUT:
		return causeLost
	case syscall.EMFILE, syscall.ENFILE, syscall.EADDRNOTAVAIL, syscall.EADDRINUSE, syscall.ENOBUFS, syscall.ENOMEM,
		syscall.ENETDOWN:
		return causeShortage
	case syscall.EACCES, syscall.EPERM, syscall.EAFNOSUPPORT, syscall.EPROTONOSUPPORT:
		return causeBarred
	case syscall.ECANCELED:
		return causeCancelled
	}
	return causeUnknown
}
