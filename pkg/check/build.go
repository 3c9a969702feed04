package check

import (
	"errors"
	"fmt"
	"strings"

	"github.com/redialscan/redial/pkg/check/dsl"
	"github.com/redialscan/redial/pkg/requester"
)

// BuildError says that a request of a check could not be made for a target: its URL or its bytes make no sense there.
type BuildError struct {
	Request int // from 1
	Err     error
}

func (e *BuildError) Error() string {
	return fmt.Sprintf("request %d of the check: %v", e.Request, e.Err)
}

// Unwrap gives what is wrong with the request.
func (e *BuildError) Unwrap() error { return e.Err }

// expand fills a text of a request in.
func (s *state) expand(t *dsl.Text) (string, error) {
	switch {
	case t == nil:
		return "", nil
	case s.block.unresolvedOK:
		return t.ExpandKnown(s)
	}
	return t.Expand(s)
}

// build makes a request for the target of the run. A [dsl.MissingError] means that there is nothing to send.
func (s *state) build(q *request) (*requester.Request, error) {
	s.where = nil
	req, err := s.compose(q)
	if err != nil || q.talk != nil || q.ask != nil {
		return req, err
	}
	req.WantBody = req.Method != "HEAD"
	req.IgnoreTimeout = s.block.timed
	req.Redirects, req.SameHostRedirects = s.block.redirects, s.block.sameHost
	if s.job.Follow > 0 && req.Handshake == nil {
		req.Redirects, req.SameHostRedirects = s.job.Follow, s.job.FollowSameHost
	}
	req.WantHops = req.Redirects > 0
	if s.home(req) {
		req.User = s.job.Target.User
	}
	s.cookies.add(req)
	return req, nil
}

// home says that a request goes to the target itself.
func (s *state) home(req *requester.Request) bool {
	t := &s.job.Target
	return req.Host == t.Host && req.Port == portOf(t)
}

func (s *state) compose(q *request) (*requester.Request, error) {
	switch {
	case q.address != nil:
		return s.composeHandshake(q)
	case q.talk != nil:
		return s.composeTalk(q)
	case q.ask != nil:
		return s.composeQuery(q)
	case q.raw != nil:
		return s.composeRaw(q)
	}
	url, err := s.expand(q.path)
	if err != nil {
		return nil, err
	}
	req, err := s.locate(url)
	if err != nil {
		return nil, err
	}
	req.Method = q.method
	for _, h := range q.headers {
		if strings.EqualFold(h.name, "Content-Length") {
			continue // the body may have another length by now, and a host would wait for the rest
		}
		value, err := s.expand(h.value)
		if err != nil {
			return nil, err
		}
		req.Header = append(req.Header, requester.Field{Name: h.name, Value: value})
	}
	body, err := s.expand(q.body)
	if body != "" {
		req.Body = []byte(body)
	}
	return req, err
}

func (s *state) composeRaw(q *request) (*requester.Request, error) {
	text, err := s.expand(q.raw)
	if err != nil {
		return nil, err
	}
	if q.unsafe {
		return s.composeExact(text)
	}
	raw, err := parseRaw(text)
	if err != nil {
		return nil, err
	}
	var req *requester.Request
	path := raw.target
	if path != "" && path[0] != '/' && path[0] != '?' {
		path = "/" + path
	}
	switch {
	case strings.HasPrefix(raw.target, "http://") || strings.HasPrefix(raw.target, "https://"):
		req, err = s.locate(raw.target)
	case raw.host != "":
		if !strings.Contains(raw.host, "://") {
			raw.host = s.job.Target.Scheme.String() + "://" + raw.host
		}
		req, err = s.locate(strings.TrimSuffix(raw.host, "/") + path)
	case s.check.alone && raw.hostField() != "":
		req, err = s.locate("https://" + raw.hostField() + path)
	case s.block.wholePaths:
		req, err = s.locate(rootURL(&s.job.Target) + path)
	default:
		req, err = s.locate(rootURL(&s.job.Target) + joinPath(s.job.Target.Path, path))
	}
	if err != nil {
		return nil, err
	}
	req.Method, req.Header, req.Timeout, req.ServerName = raw.method, raw.headers, raw.timeout, raw.serverName()
	if raw.body != "" {
		req.Body = []byte(raw.body)
	}
	return req, nil
}

// composeExact makes a request of bytes that nobody touches, but for the lines before them that are meant for the scanner.
func (s *state) composeExact(text string) (*requester.Request, error) {
	var notes rawRequest
	text, err := notes.annotations(text)
	if err != nil {
		return nil, err
	}
	root := rootURL(&s.job.Target)
	if notes.host != "" {
		if root = notes.host; !strings.Contains(root, "://") {
			root = s.job.Target.Scheme.String() + "://" + root
		}
	}
	req, err := s.locate(root)
	if err != nil {
		return nil, err
	}
	req.Timeout, req.ServerName = notes.timeout, notes.serverName()
	if req.Raw, err = exactBytes(text); err == nil {
		req.Target = requestTarget(req) // from where redirects are reckoned
	}
	return req, err
}

// locate finds the host of a URL, and what to ask it for. The path goes out as it is written.
func (s *state) locate(url string) (*requester.Request, error) {
	url, _, _ = strings.Cut(strings.TrimSpace(url), "#")
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return nil, fmt.Errorf("expected a URL, got %q", url)
	}
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	t := &s.job.Target
	req := &requester.Request{Scheme: t.Scheme.String(), Host: t.Host, Port: portOf(t)}
	if scheme != req.Scheme || rest[:end] != authority(t) {
		var err error
		if req, err = requester.NewRequest(scheme + "://" + rest[:end] + "/"); err != nil {
			return nil, errors.Unwrap(err)
		}
	}
	req.Target = ascii(rest[end:])
	if _, query, ok := strings.Cut(t.Path, "?"); ok && s.home(req) && query != "" && !strings.Contains(req.Target, query) {
		path, own, _ := strings.Cut(req.Target, "?")
		req.Target = strings.TrimSuffix(path+"?"+query+"&"+own, "&")
	}
	return req, nil
}

// ascii percent-encodes what a request line has no place for.
func ascii(target string) string {
	const hexDigits = "0123456789ABCDEF"
	odd := 0
	for i := range len(target) {
		if c := target[i]; c < ' ' || c >= 0x7f {
			odd++
		}
	}
	if odd == 0 {
		return target
	}
	b := make([]byte, 0, len(target)+2*odd)
	for i := range len(target) {
		if c := target[i]; c < ' ' || c >= 0x7f {
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}
