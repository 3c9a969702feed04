package requester

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/hostkey"
)

// proxy is the way that all connections take. Names are resolved at its far end.
type proxy struct {
	socks    bool
	secure   bool // TLS to an HTTP proxy
	host     string
	port     uint16
	user     string
	password string
	auth     string // value of Proxy-Authorization; "" = none
	scheme   string
	health   *proxyHealth
}

func parseProxy(raw string) (*proxy, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("expected the URL of a proxy: %w", withoutURL(err))
	}
	p := &proxy{scheme: u.Scheme, port: 8080, health: newProxyHealth()}
	switch u.Scheme {
	case "http":
	case "https":
		p.secure, p.port = true, 443
	case "socks5", "socks5h":
		p.socks, p.port = true, 1080
	default:
		return nil, fmt.Errorf("expected a proxy of the scheme http, https or socks5, got %q", u.Scheme)
	}
	if p.host, err = hostkey.Host(u.Hostname()); err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	if text := u.Port(); text != "" {
		if p.port, err = hostkey.Port(text); err != nil {
			return nil, fmt.Errorf("proxy: %w", err)
		}
	}
	if u.User != nil {
		p.user = u.User.Username()
		p.password, _ = u.User.Password()
		p.auth = basicAuth(p.user + ":" + p.password)
		if p.socks && (len(p.user) == 0 || len(p.user) > 255 || len(p.password) > 255) {
			return nil, errors.New("proxy: expected a name of 1 to 255 bytes and a password of at most 255")
		}
	}
	return p, nil
}

// withoutURL drops the URL from an error, since it may hold a password.
func withoutURL(err error) error {
	if parse, ok := errors.AsType[*url.Error](err); ok {
		return parse.Err
	}
	return err
}

// absolute tells whether a request goes to an HTTP proxy in absolute form. Exact bytes cannot be changed to that form: they take a tunnel.
func (c *Client) absolute(r *Request) bool {
	return c.proxy != nil && !c.proxy.socks && r.Scheme == "http" && r.Raw == nil
}

// connectProxy makes the way to the host through the proxy. All of it has the time of a dial.
func (c *Client) connectProxy(ctx context.Context, req *Request) (net.Conn, error) {
	way, raw, err := c.toProxy(ctx, time.Now().Add(c.cfg.DialTimeout))
	if err != nil {
		return nil, err
	}
	if err := c.tunnel(raw, req); err != nil {
		way.shut()
		if own := callerEnded(ctx); own != nil {
			return nil, fmt.Errorf("dialing through %s: %w", c.proxy.key(), own)
		}
		return nil, err
	}
	if err := way.handOver(); err != nil {
		way.shut()
		return nil, &hosterrors.ProxyError{Err: compact(err)}
	}
	return raw, nil
}

// toProxy connects to the proxy itself. raw is what is said over way, with TLS where the proxy wants it.
func (c *Client) toProxy(ctx context.Context, end time.Time) (way *conn, raw net.Conn, err error) {
	p := c.proxy
	raw, _, err = c.connectTCP(ctx, p.host, p.port, nil)
	if err != nil {
		if callerEnded(ctx) == nil {
			err = &hosterrors.ProxyError{Err: fmt.Errorf("%s: %w", p.key(), err)}
		}
		return nil, nil, err
	}
	way = &conn{Conn: raw, wire: raw}
	if err = way.begin(ctx, end); err == nil && p.secure {
		session := tls.Client(raw, &tls.Config{ServerName: p.host, InsecureSkipVerify: !c.cfg.Verify, MinVersion: tls.VersionTLS12})
		if err = session.Handshake(); err == nil {
			p.health.heard.Store(time.Now().UnixNano())
			raw = session
		}
	}
	if err == nil {
		return way, raw, nil
	}
	way.shut()
	if own := callerEnded(ctx); own != nil {
		return nil, nil, fmt.Errorf("dialing through %s: %w", p.key(), own)
	}
	return nil, nil, &hosterrors.ProxyError{Err: fmt.Errorf("%s: %w", p.key(), compact(err))}
}

// tunnel asks the proxy for a connection to the host, unless the proxy takes the request itself.
func (c *Client) tunnel(raw net.Conn, req *Request) error {
	var err error
	switch {
	case c.proxy.socks:
		err = c.proxy.socksConnect(raw, req.Host, req.Port, c.cfg.DialTimeout)
	case c.absolute(req):
		return nil
	default:
		err = c.httpConnect(raw, req)
	}
	if err == nil {
		c.proxy.health.succeeded(time.Now())
	}
	return err
}

// httpConnect sends CONNECT (RFC 9110 section 9.3.6). The proxy is silent while it dials, so its silence is the host's,
// as long as it speaks at all; see proxySilent.
func (c *Client) httpConnect(raw net.Conn, req *Request) error {
	d := desks.Get().(*desk)
	defer d.release()
	key := hostkey.Join(req.Host, req.Port)
	d.out = append(append(append(d.out[:0], "CONNECT "...), key...), " HTTP/1.1\r\n"...)
	d.out = appendField(d.out, "Host", key)
	d.out = appendField(d.out, "User-Agent", c.userAgent())
	if c.proxy.auth != "" {
		d.out = appendField(d.out, "Proxy-Authorization", c.proxy.auth)
	}
	d.out = append(d.out, "\r\n"...)
	if _, err := raw.Write(d.out); err != nil {
		return &hosterrors.ProxyError{Err: compact(err)}
	}
	d.br.Reset(raw)
	way := conn{Conn: raw}
	h, err := way.readHeads(d, wanted{maxHead: c.cfg.MaxHead}, &trouble{})
	switch {
	case isTimeout(err):
		return &hosterrors.TimeoutError{Phase: hosterrors.PhaseDial, After: c.cfg.DialTimeout}
	case err != nil:
		return &hosterrors.ProxyError{Err: compact(err)}
	case h.status/100 != 2:
		return &hosterrors.ProxyError{Status: h.status}
	case d.br.Buffered() > 0:
		return &hosterrors.ProxyError{Err: fmt.Errorf("expected nothing after the answer to CONNECT, got %d bytes", d.br.Buffered())}
	}
	return nil
}

// viaProxyError: a connection to a proxy that ended without an answer is the proxy's, since no host is behind the other end of it.
func (s *sending) viaProxyError(c *conn, out *outcome) error {
	ended, ok := errors.AsType[*hosterrors.ConnError](out.err)
	if ok && c.viaProxy && !c.used && out.silent {
		return &hosterrors.ProxyError{Err: ended}
	}
	return out.err
}

func (p *proxy) key() string { return hostkey.Join(p.host, p.port) }

// name is the proxy for people, without its credentials.
func (p *proxy) name() string { return p.scheme + "://" + p.key() }
