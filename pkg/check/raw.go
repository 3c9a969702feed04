package check

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redialscan/redial/pkg/requester"
)

// rawRequest is a request that was written down as it goes over the wire.
type rawRequest struct {
	host    string        // of an @Host line: a URL or an authority; "" = the target's
	timeout time.Duration // of an @timeout line; 0 = the client's
	once    bool          // with the first of all payloads only
	sni     string        // of an @tls-sni line: the name for the handshake; "" = the host's
	method  string
	target  string
	headers []requester.Field
	body    string
}

// withCRLF ends the lines of a raw request as HTTP does. One that has such ends already is exact.
func withCRLF(s string) string {
	if strings.Contains(s, "\r\n") {
		return s
	}
	return strings.ReplaceAll(s, "\n", "\r\n")
}

// parseRaw takes a raw request apart. Its Content-Length is left out: the body may have grown since it was counted.
func parseRaw(text string) (rawRequest, error) {
	var r rawRequest
	text, err := r.annotations(text)
	if err != nil {
		return r, err
	}
	line, rest := cutLine(text)
	if r.method, r.target, err = requestLine(line); err != nil {
		return r, err
	}
	for {
		if rest == "" {
			return r, nil
		}
		if line, rest = cutLine(rest); strings.TrimSpace(line) == "" {
			r.body = strings.TrimSuffix(rest, "\r\n")
			return r, nil
		}
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return r, fmt.Errorf("expected a header as name: value, got %q", line)
		}
		if !strings.EqualFold(name, "Content-Length") {
			r.headers = append(r.headers, requester.Field{Name: name, Value: strings.TrimSpace(value)})
		}
	}
}

// annotations reads the lines before the request that are meant for the scanner.
func (r *rawRequest) annotations(text string) (rest string, err error) {
	for {
		trimmed := strings.TrimLeft(text, "\r\n")
		if !strings.HasPrefix(trimmed, "@") {
			return trimmed, nil
		}
		var line string
		line, text = cutLine(trimmed)
		name, value, _ := strings.Cut(line, ":")
		switch name = strings.TrimSpace(name); {
		case strings.EqualFold(name, "@Host"):
			r.host = strings.TrimSpace(value)
		case strings.EqualFold(name, "@tls-sni"):
			r.sni = strings.TrimSpace(value)
		case strings.EqualFold(name, "@once"):
			r.once = true
		case strings.EqualFold(name, "@timeout"):
			if r.timeout, err = time.ParseDuration(strings.TrimSpace(value)); err != nil || r.timeout <= 0 {
				return "", fmt.Errorf("expected a duration such as 20s in %s, got %q", name, value)
			}
		default:
			return "", fmt.Errorf("annotation %s is not supported", name)
		}
	}
}

// serverName is the name for the handshake. request.host stands for the host of the request's own Host field.
func (r *rawRequest) serverName() string {
	if !strings.EqualFold(r.sni, "request.host") {
		return r.sni
	}
	host, _, _ := strings.Cut(r.hostField(), ":")
	return host
}

// hostField is the value of the request's own Host field, "" when it has none.
func (r *rawRequest) hostField() string {
	for _, f := range r.headers {
		if strings.EqualFold(f.Name, "Host") {
			return f.Value
		}
	}
	return ""
}

func requestLine(line string) (method, target string, err error) {
	method, rest, ok := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	if end := strings.LastIndex(rest, " HTTP/"); end >= 0 {
		rest = strings.TrimSpace(rest[:end])
	} else if strings.HasPrefix(rest, "HTTP/") {
		rest = ""
	}
	if !ok || !isMethod(method) {
		return "", "", fmt.Errorf("expected a request line such as GET / HTTP/1.1, got %q", line)
	}
	return method, rest, nil
}

func cutLine(s string) (line, rest string) {
	line, rest, _ = strings.Cut(s, "\n")
	return strings.TrimSuffix(line, "\r"), rest
}

var errNoRequestLine = errors.New("expected a request line such as GET / HTTP/1.1")

// exactBytes are what an unsafe request sends: the text with the empty line that ends its head.
func exactBytes(text string) ([]byte, error) {
	text = strings.TrimLeft(text, "\r\n")
	if method, _, _ := strings.Cut(text, " "); !isMethod(method) {
		return nil, errNoRequestLine
	}
	if !strings.Contains(text, "\r\n\r\n") && !strings.Contains(text, "\n\n") {
		text = strings.TrimRight(text, "\r\n") + "\r\n\r\n"
	}
	return []byte(text), nil
}
