package metrics

import (
	"errors"
	"net"
	"syscall"

	"github.com/redialscan/redial/pkg/hosterrors"
)

// class is the kind of an error: a label, so there are few of them.
type class int

const (
	classRefused class = iota
	classConnection
	classTimeout
	className
	classTLS
	classProtocol
	classProxy
	classOurs
	classOther
	classes // how many
)

func (c class) String() string {
	return [classes]string{"refused", "connection", "timeout", "name", "tls", "protocol", "proxy", "local", "other"}[c]
}

// classOf tells by the types of errors what came of a request.
func classOf(err error) class {
	if _, ok := errors.AsType[*hosterrors.OutageError](err); ok {
		return classOurs
	}
	if _, ok := errors.AsType[*hosterrors.StarvedError](err); ok {
		return classOurs
	}
	if _, ok := errors.AsType[*hosterrors.ProxyError](err); ok {
		return classProxy
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return className
	}
	if _, ok := errors.AsType[*hosterrors.TimeoutError](err); ok {
		return classTimeout
	}
	if _, ok := errors.AsType[*hosterrors.ProtocolError](err); ok {
		return classProtocol
	}
	failed, ok := errors.AsType[*hosterrors.ConnError](err)
	switch {
	case !ok:
		return classOther
	case errors.Is(err, syscall.ECONNREFUSED):
		return classRefused
	case failed.Phase == hosterrors.PhaseTLS:
		return classTLS
	}
	return classConnection
}
