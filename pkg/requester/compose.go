package requester

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/redialscan/redial/pkg/hostkey"
)

// method is the method on the request line.
func (r *Request) method() string {
	if r.Raw != nil {
		name, _, _ := bytes.Cut(r.Raw[:min(len(r.Raw), 32)], []byte(" "))
		return string(name)
	}
	switch {
	case r.Talk != nil:
		return "TCP"
	case r.Query != nil:
		return "DNS"
	case r.Method == "":
		return "GET"
	}
	return r.Method
}

// check refuses what would not arrive as one well-formed request. The host is looked at by checkHost.
func (r *Request) check() error {
	switch {
	case r.Query != nil:
		return nil
	case r.Talk != nil && r.Scheme != "tcp" && r.Scheme != "tls":
		return fmt.Errorf("expected the scheme tcp or tls, got %q", r.Scheme)
	case r.Talk == nil && r.Scheme != "http" && r.Scheme != "https":
		return fmt.Errorf("expected the scheme http or https, got %q", r.Scheme)
	case r.Host == "":
		return errors.New("expected a host, got none")
	case r.Port == 0:
		return errors.New("expected a port, got 0")
	case r.Raw != nil:
		return nil
	case r.Method != "" && !isToken(r.Method):
		return fmt.Errorf("expected a method, got %q", r.Method)
	case !isVisible(r.Target):
		return fmt.Errorf("expected a path without control characters, got %q", r.Target)
	}
	return checkFields(r.Header)
}

func checkFields(fields []Field) error {
	for i := range fields {
		if f := &fields[i]; !isToken(f.Name) {
			return fmt.Errorf("expected a header name, got %q", f.Name)
		} else if strings.ContainsAny(f.Value, "\r\n\x00") {
			return fmt.Errorf("expected a value of one line for the header %s, got %q", f.Name, f.Value)
		}
	}
	return nil
}

// checkHost runs once per gate: the host must be in the form that keys are made of.
func (r *Request) checkHost() error {
	host, err := hostkey.Host(r.Host)
	if err == nil && host != r.Host {
		err = fmt.Errorf("expected the host as %q, got %q", host, r.Host)
	}
	return err
}

func isVisible(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			return false
		}
	}
	return true
}

// isToken knows the characters of RFC 9110 section 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9') && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// compose writes the bytes of the request.
func (c *Client) compose(b []byte, r *Request, viaProxy bool) []byte {
	if r.Raw != nil {
		return append(b, r.Raw...)
	}
	method := r.method()
	b = append(append(b, method...), ' ')
	if viaProxy {
		b = append(append(b, r.Scheme...), "://"...)
		b = appendAuthority(b, r)
	}
	b = append(appendTarget(b, r.Target), " HTTP/1.1\r\n"...)
	if !has(r.Header, "Host") && (r.foreign || !has(c.cfg.Header, "Host")) {
		b = append(appendAuthority(append(b, "Host: "...), r), "\r\n"...)
	}
	if !has(r.Header, "User-Agent") && !has(c.cfg.Header, "User-Agent") {
		b = appendField(b, "User-Agent", c.userAgent())
	}
	if !has(r.Header, "Accept") && !has(c.cfg.Header, "Accept") {
		b = append(b, "Accept: */*\r\n"...)
	}
	for i := range c.cfg.Header {
		if f := &c.cfg.Header[i]; !has(r.Header, f.Name) && !(r.foreign && isPrivate(f.Name)) {
			b = appendField(b, f.Name, f.Value)
		}
	}
	for i := range r.Header {
		b = appendField(b, r.Header[i].Name, r.Header[i].Value)
	}
	if r.User != "" && !has(r.Header, "Authorization") && !has(c.cfg.Header, "Authorization") {
		b = appendField(b, "Authorization", basicAuth(r.User))
	}
	if viaProxy && c.proxy.auth != "" {
		b = appendField(b, "Proxy-Authorization", c.proxy.auth)
	}
	if (len(r.Body) > 0 || wantsLength(method)) && !has(r.Header, "Content-Length") && !has(r.Header, "Transfer-Encoding") {
		b = append(b, "Content-Length: "...)
		b = append(strconv.AppendInt(b, int64(len(r.Body)), 10), "\r\n"...)
	}
	return append(append(b, "\r\n"...), r.Body...)
}

// wantsLength: these methods mean a body, so that its absence is to be said (RFC 9110 section 8.6).
func wantsLength(method string) bool {
	return method == "POST" || method == "PUT" || method == "PATCH"
}

func appendField(b []byte, name, value string) []byte {
	b = append(append(b, name...), ": "...)
	return append(append(b, value...), "\r\n"...)
}

// appendTarget writes a target as it is, but for what would break the request line.
func appendTarget(b []byte, target string) []byte {
	if target == "" || target[0] == '?' {
		b = append(b, '/')
	}
	for {
		i := strings.IndexByte(target, ' ')
		if i < 0 {
			return append(b, target...)
		}
		b = append(append(b, target[:i]...), "%20"...)
		target = target[i+1:]
	}
}

// appendAuthority writes the host as it stands in a URL and a Host field: without the port that its scheme implies, and without a
// zone, which means nothing to anybody else (RFC 6874 section 3).
func appendAuthority(b []byte, r *Request) []byte {
	host, _, _ := strings.Cut(r.Host, "%")
	b = hostkey.AppendHost(b, host)
	if r.Port == defaultPort(r.Scheme) {
		return b
	}
	return strconv.AppendUint(append(b, ':'), uint64(r.Port), 10)
}

func defaultPort(scheme string) uint16 {
	if scheme == "https" {
		return 443
	}
	return 80
}

func has(fields []Field, name string) bool {
	for i := range fields {
		if len(fields[i].Name) == len(name) && strings.EqualFold(fields[i].Name, name) {
			return true
		}
	}
	return false
}

// userAgent names us honestly, unless the user wants otherwise.
func (c *Client) userAgent() string {
	if c.cfg.RandomAgent {
		return browsers[rand.IntN(len(browsers))]
	}
	return c.agent
}

// browsers are what RandomAgent draws from.
var browsers = [...]string{
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
	"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
	"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0",
	"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
	"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
}
