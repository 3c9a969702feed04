package hostkey

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Join builds the key of a host and a port, with an IPv6 address in one pair of
// brackets. The host is taken as it is: pass what [Host] returned.
func Join(host string, port uint16) string {
	buf := make([]byte, 0, len(host)+8)
	buf = AppendHost(buf, host)
	buf = append(buf, ':')
	return string(strconv.AppendUint(buf, uint64(port), 10))
}

// AppendHost appends host as it stands in a key: an IPv6 address gets brackets
// unless it has them.
func AppendHost(buf []byte, host string) []byte {
	if strings.IndexByte(host, ':') < 0 || host[0] == '[' {
		return append(buf, host...)
	}
	buf = append(buf, '[')
	buf = append(buf, host...)
	return append(buf, ']')
}

// Split takes a key or the authority of a URL (without userinfo) apart: a host,
// an IPv6 address in brackets or bare, each with or without a port. The host is
// as written, only without brackets; the port is 0 when there is none. A bare
// IPv6 address has no port: its last group is part of the address.
func Split(authority string) (host string, port uint16, err error) {
	host = authority
	text := ""
	if strings.HasPrefix(authority, "[") {
		end := strings.IndexByte(authority, ']')
		if end < 0 || strings.IndexByte(authority[:end], ':') < 0 {
			return "", 0, refuse(authority, "a bracket without its pair and an IPv6 address between them", "[address] or [address]:port")
		}
		host, text = authority[1:end], authority[end+1:]
		if text != "" && text[0] != ':' {
			return "", 0, refuse(authority, "text after the closing bracket", "[address] or [address]:port")
		}
		text = strings.TrimPrefix(text, ":")
	} else if i := strings.IndexByte(authority, ':'); i >= 0 && strings.IndexByte(authority[i+1:], ':') < 0 {
		host, text = authority[:i], authority[i+1:]
	}
	if text == "" {
		// "host:" is a host without a port (RFC 3986, 3.2.3).
		return host, 0, nil
	}
	port, err = Port(text)
	return host, port, err
}

// Port reads a decimal port number from 1 to 65535.
func Port(text string) (uint16, error) {
	number := 0
	for i := range len(text) {
		c := text[i]
		if c < '0' || c > '9' {
			return 0, fmt.Errorf("port %.80q is not a number, expected 1 to 65535", text)
		}
		number = min(number*10+int(c-'0'), 1<<16)
	}
	if text == "" {
		return 0, errors.New("no port, expected 1 to 65535")
	}
	if number < 1 || number > 65535 {
		return 0, fmt.Errorf("port %.80q is out of range, expected 1 to 65535", text)
	}
	return uint16(number), nil
}

// FromURL gives the key of a URL: its canonical host and its port, which is 80
// for http and 443 for https when the URL names none. A URL of another scheme
// needs a port. Userinfo, path and scheme play no part otherwise.
func FromURL(u *url.URL) (string, error) {
	if u.Host == "" {
		return "", fmt.Errorf("url %.80q has no host, expected scheme://host", u.Redacted())
	}
	host, port, err := Split(u.Host)
	if err != nil {
		return "", err
	}
	host, err = Host(host)
	if err != nil {
		return "", err
	}
	if port == 0 {
		switch {
		case strings.EqualFold(u.Scheme, "http"):
			port = 80
		case strings.EqualFold(u.Scheme, "https"):
			port = 443
		default:
			return "", fmt.Errorf("url %.80q has no port and scheme %.80q has no default, expected http, https or a port", u.Redacted(), u.Scheme)
		}
	}
	return Join(host, port), nil
}
