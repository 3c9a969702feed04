package cmd

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"time"
)

const wantProxy = "expected a URL such as http://host:port or socks5://host:port"

// proxyURL is --proxy as a URL; host:port is taken for an HTTP proxy, as other tools do.
func (o *requestOptions) proxyURL() string {
	if o.proxy == "" || strings.Contains(o.proxy, "://") {
		return o.proxy
	}
	return "http://" + o.proxy
}

// reachProxy connects to the proxy and hangs up: one that is not there would make every host look dead.
func (o *requestOptions) reachProxy(ctx context.Context, timeout time.Duration) error {
	if o.proxy == "" {
		return nil
	}
	name := proxyName(o.proxyURL())
	u, err := url.Parse(o.proxyURL())
	if err != nil || u.Hostname() == "" {
		return usageErrorf("proxy", "%s, %s", name, wantProxy)
	}
	port := u.Port()
	switch {
	case proxyPort(u.Scheme) == "":
		return usageErrorf("proxy", "%s, %s", name, wantProxy)
	case port == "":
		port = proxyPort(u.Scheme)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err == nil && strings.HasPrefix(u.Scheme, "socks5") {
		deadline, _ := ctx.Deadline()
		err = greet(c, deadline)
	}
	if err != nil {
		return usageErrorf("proxy", "%s does not answer, expected a proxy that is running: %v", name, err)
	}
	return c.Close()
}

// greet wants the first byte that a SOCKS5 proxy says. An HTTP proxy says nothing without a host to ask for.
func greet(c net.Conn, deadline time.Time) error {
	answer := make([]byte, 1)
	err := c.SetDeadline(deadline)
	if err == nil {
		_, err = c.Write([]byte{5, 2, 0, 2}) // version 5, two ways to authenticate: not at all, or by name and password
	}
	if err == nil {
		_, err = c.Read(answer)
	}
	if err == nil && answer[0] != 5 {
		err = errors.New("it speaks no SOCKS5")
	}
	if err != nil {
		return errors.Join(err, c.Close())
	}
	return nil
}

// proxyPort is where a proxy of a scheme is when its URL has no port; "" for a scheme that is none of a proxy.
func proxyPort(scheme string) string {
	switch scheme {
	case "http":
		return "8080"
	case "https":
		return "443"
	case "socks5", "socks5h":
		return "1080"
	}
	return ""
}

// proxyName is a proxy for messages and the events file: without its password.
func proxyName(proxy string) string {
	u, err := url.Parse(proxy)
	if err != nil {
		return "(not a URL)"
	}
	return u.Redacted()
}
