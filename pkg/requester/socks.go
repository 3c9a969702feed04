package requester

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"github.com/redialscan/redial/pkg/hosterrors"
)

// socksConnect speaks SOCKS5 (RFC 1928, RFC 1929 for the password).
func (p *proxy) socksConnect(raw net.Conn, host string, port uint16, limit time.Duration) error {
	if err := p.socksGreet(raw); err != nil {
		return &hosterrors.ProxyError{Err: fmt.Errorf("SOCKS at %s: %w", p.key(), compact(err))}
	}
	b, err := socksRequest(host, port)
	if err != nil {
		return &hosterrors.BuildError{Err: err}
	}
	var reply [4]byte
	if _, err = raw.Write(b); err == nil {
		_, err = io.ReadFull(raw, reply[:])
	}
	switch {
	case isTimeout(err): // the proxy has greeted us, so it is the host that keeps silent
		return &hosterrors.TimeoutError{Phase: hosterrors.PhaseDial, After: limit}
	case err != nil:
		return &hosterrors.ProxyError{Err: compact(err)}
	case reply[0] != 5:
		return &hosterrors.ProxyError{Err: fmt.Errorf("expected SOCKS version 5, got %d", reply[0])}
	case reply[1] != 0:
		return &hosterrors.ProxyError{Reply: reply[1], Err: socksReply(reply[1])}
	}
	return socksBound(raw, reply[3])
}

// socksGreet agrees on how to say who we are, and says it.
func (p *proxy) socksGreet(raw net.Conn) error {
	hello := []byte{5, 1, 0}
	if p.user != "" {
		hello = []byte{5, 2, 0, 2}
	}
	if _, err := raw.Write(hello); err != nil {
		return err
	}
	var chosen [2]byte
	if _, err := io.ReadFull(raw, chosen[:]); err != nil {
		return err
	}
	switch {
	case chosen[0] != 5:
		return fmt.Errorf("expected version 5, got %d", chosen[0])
	case chosen[1] == 0:
		return nil
	case chosen[1] != 2 || p.user == "":
		return fmt.Errorf("%w: it accepts none of our ways to say who we are", errProxyAuth)
	}
	b := append([]byte{1, byte(len(p.user))}, p.user...)
	b = append(append(b, byte(len(p.password))), p.password...)
	if _, err := raw.Write(b); err != nil {
		return err
	}
	if _, err := io.ReadFull(raw, chosen[:]); err != nil {
		return err
	}
	if chosen[1] != 0 {
		return errProxyAuth
	}
	return nil
}

func socksRequest(host string, port uint16) ([]byte, error) {
	b := []byte{5, 1, 0}
	addr, err := netip.ParseAddr(host)
	switch {
	case err != nil && len(host) > 255:
		return nil, fmt.Errorf("expected a name of at most 255 bytes, got %d", len(host))
	case err != nil:
		b = append(append(b, 3, byte(len(host))), host...)
	case addr.Is4():
		b = append(append(b, 1), addr.AsSlice()...)
	default:
		b = append(append(b, 4), addr.AsSlice()...)
	}
	return append(b, byte(port>>8), byte(port)), nil
}

// socksBound reads the address that the proxy has bound, which nobody needs.
func socksBound(raw net.Conn, kind byte) error {
	var room [256 + 2]byte
	n := 0
	switch kind {
	case 1:
		n = 4
	case 4:
		n = 16
	case 3:
		if _, err := io.ReadFull(raw, room[:1]); err != nil {
			return &hosterrors.ProxyError{Err: compact(err)}
		}
		n = int(room[0])
	default:
		return &hosterrors.ProxyError{Err: fmt.Errorf("expected a SOCKS address type of 1, 3 or 4, got %d", kind)}
	}
	if _, err := io.ReadFull(raw, room[:n+2]); err != nil {
		return &hosterrors.ProxyError{Err: compact(err)}
	}
	return nil
}

// socksReply puts a reply of RFC 1928 section 6 into words.
func socksReply(code byte) error {
	words := [...]string{
		1: "general failure", 2: "not allowed by its rules", 3: "network unreachable", 4: "host unreachable",
		5: "connection refused", 6: "TTL expired", 7: "command not supported", 8: "address type not supported",
	}
	if int(code) < len(words) {
		return errors.New(words[code])
	}
	return errors.New("unknown reply")
}
