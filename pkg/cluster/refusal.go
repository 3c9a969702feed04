package cluster

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/nats-io/nats.go"
)

// ErrRefused says that the server wants another token, key or certificate.
var ErrRefused = errors.New("the server does not let us in")

// ErrUntrusted says that a server does not show what we want of it: TLS, or a certificate that somebody we trust vouches for.
var ErrUntrusted = errors.New("the server cannot be trusted")

// explain says why no connection came about, and whether that is for good.
func explain(err error) error {
	alert, isNet := errors.AsType[*net.OpError](err)
	_, distrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, clear := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case errors.Is(err, nats.ErrAuthorization):
		return fmt.Errorf("%w, it wants another token or nkey: %w", ErrRefused, err)
	case distrusted:
		return fmt.Errorf("%w: %w", ErrUntrusted, err)
	case errors.Is(err, nats.ErrSecureConnWanted), clear:
		return fmt.Errorf("%w, it does not speak TLS: %w", ErrUntrusted, err)
	case isNet && alert.Op == "remote error": // an alert of TLS
		return fmt.Errorf("%w, it wants another certificate of ours: %w", ErrRefused, err)
	case errors.Is(err, nats.ErrTLS): // why the server has ended the connection is not always heard: the next try may hear it
		return fmt.Errorf("connect to the server, which may want another certificate of ours: %w", err)
	case errors.Is(err, nats.ErrNoServers):
		return fmt.Errorf("connect to the server: nobody answers there: %w", err)
	}
	return fmt.Errorf("connect to the server: %w", err)
}
