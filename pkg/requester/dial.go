package requester

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/hostkey"
)

// reach makes a fresh connection to the request's host, ready for it. HTTP/2, where it was agreed on, comes as the second result.
func (s *sending) reach() (*conn, *h2conn, error) {
	start := time.Now()
	raw, ip, err := s.client.connect(s.ctx, s.req)
	dialled := time.Now()
	s.took += dialled.Sub(start)
	if err != nil {
		return nil, nil, err
	}
	c := &conn{Conn: raw, wire: raw, ip: ip, viaProxy: s.client.absolute(s.req)}
	ready := false
	defer func() {
		if !ready {
			c.shut()
		}
	}()
	if err := s.dialed(); err != nil {
		return nil, nil, err
	}
	now := time.Now()
	s.deadline = now.Add(s.timeout())
	// A connection that has waited for a worker for a while may have been closed for being idle, which is no host error.
	c.used = now.Sub(dialled) >= time.Second
	var h2 *h2conn
	if s.req.Scheme == "https" || s.req.Scheme == "tls" {
		h2, err = s.handshake(c)
		s.took += time.Since(now)
	}
	ready = err == nil
	return c, h2, err
}

// connect makes the way to the host on which its bytes go: a TCP connection, or a tunnel through the proxy.
func (c *Client) connect(ctx context.Context, req *Request) (net.Conn, netip.Addr, error) {
	if c.proxy != nil {
		raw, err := c.connectProxy(ctx, req)
		return raw, netip.Addr{}, err
	}
	return c.connectTCP(ctx, req.Host, req.Port, c.cfg.Refuse)
}

// connectTCP looks the host up and tries its addresses in order, but for those that refuse names.
func (c *Client) connectTCP(ctx context.Context, host string, port uint16, refuse refusal) (net.Conn, netip.Addr, error) {
	if c.cfg.Dial != nil {
		return c.connectHook(ctx, host, port)
	}
	addrs, err := c.names.addresses(ctx, host)
	if err != nil {
		return nil, netip.Addr{}, err
	}
	end := time.Now().Add(c.cfg.DialTimeout)
	_, notLiteral := netip.ParseAddr(host)
	var first error
	for i, addr := range addrs {
		now := time.Now()
		if !now.Before(end) {
			break
		}
		to := netip.AddrPortFrom(addr, port)
		if refuse.address(to) {
			if first == nil {
				first = excluded(to.String())
			}
			continue
		}
		raw, err := c.dialAddr(ctx, to, now.Add(end.Sub(now)/time.Duration(len(addrs)-i)))
		if err == nil {
			return raw, addr, nil
		}
		if isWithdrawn(err) {
			return nil, addr, err
		}
		if own := callerEnded(ctx); own != nil {
			return nil, addr, fmt.Errorf("dialing %s: %w", to, own)
		}
		// An address that is excluded, or of a family that this machine does not speak, says nothing about the host as long as
		// another one says something.
		if first == nil || errors.Is(first, hosterrors.ErrNoRoute) || errors.Is(first, hosterrors.ErrExcluded) {
			first = err
		}
	}
	if notLiteral == nil {
		first = c.shared(first)
	}
	return nil, netip.Addr{}, first
}

// dialAddr connects to one address.
func (c *Client) dialAddr(ctx context.Context, to netip.AddrPort, end time.Time) (net.Conn, error) {
	if !c.permitted() {
		return nil, errWithdrawn
	}
	dialer := c.dialer
	dialer.Deadline = end
	raw, err := dialer.DialContext(ctx, "tcp", to.String())
	if err != nil && (errors.Is(err, noDescriptor) || errors.Is(err, syscall.ENFILE)) {
		// Idle connections are the only descriptors that we can do without.
		c.gates.clear(false)
		raw, err = dialer.DialContext(ctx, "tcp", to.String())
	}
	if err != nil {
		return nil, c.dialFailure(err, to, routed)
	}
	return c.guard(raw), nil
}

// dialFailure types the error of a connect.
func (c *Client) dialFailure(err error, to netip.AddrPort, routed func(netip.AddrPort) bool) error {
	if isTimeout(err) {
		return &hosterrors.TimeoutError{Phase: hosterrors.PhaseDial, After: c.cfg.DialTimeout}
	}
	if errors.Is(err, noNetwork) && !routed(to) {
		return &dialError{addr: to, err: hosterrors.ErrNoRoute}
	}
	return &hosterrors.ConnError{Phase: hosterrors.PhaseDial, Fresh: true, Err: &dialError{addr: to, err: compact(err)}}
}

// shared gives the same error value for the same cause: a host that is an address of its own is named wherever its error
// is, so the error need not name it, and one value serves a million dead hosts.
func (c *Client) shared(err error) error {
	var named *dialError
	if !errors.As(err, &named) {
		return err
	}
	errno, ok := named.err.(syscall.Errno)
	if !ok {
		return err
	}
	one, _ := c.dialErrors.LoadOrStore(errno, &hosterrors.ConnError{Phase: hosterrors.PhaseDial, Fresh: true, Err: errno})
	return one.(error)
}

// routed asks the kernel for a route by a UDP connect, which sends nothing: ENETUNREACH may also be a router's answer to the TCP packet.
func routed(to netip.AddrPort) bool {
	probe, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(to))
	if err != nil {
		return !errors.Is(err, noNetwork)
	}
	_ = probe.Close()
	return true
}

// connectHook dials with the function of the configuration, which resolves names as it likes.
func (c *Client) connectHook(ctx context.Context, host string, port uint16) (net.Conn, netip.Addr, error) {
	key := hostkey.Join(host, port)
	limited, cancel := context.WithTimeout(ctx, c.cfg.DialTimeout)
	defer cancel()
	if !c.permitted() {
		return nil, netip.Addr{}, errWithdrawn
	}
	raw, err := c.cfg.Dial(limited, "tcp", key)
	if err == nil {
		ip, _ := netip.ParseAddr(host)
		return c.guard(raw), ip, nil
	}
	if own := callerEnded(ctx); own != nil {
		return nil, netip.Addr{}, fmt.Errorf("dialing %s: %w", key, own)
	}
	if isTimeout(err) {
		err = &hosterrors.TimeoutError{Phase: hosterrors.PhaseDial, After: c.cfg.DialTimeout}
	} else if _, dns := errors.AsType[*net.DNSError](err); !dns {
		err = &hosterrors.ConnError{Phase: hosterrors.PhaseDial, Fresh: true, Err: fmt.Errorf("%s: %w", key, compact(err))}
	}
	return nil, netip.Addr{}, err
}
