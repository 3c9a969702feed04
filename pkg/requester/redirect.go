package requester

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/miekg/dns"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/hostkey"
)

func isRedirect(status int) bool {
	switch status {
	case 301, 302, 303, 307, 308:
		return true
	}
	return false
}

// follow walks from a redirect to the answer at its end, or to the first hop that cannot be taken.
func (c *Client) follow(ctx context.Context, first *Request, turn Turn, resp *Response) (*Response, error) {
	var took time.Duration
	req := first
	for hops := 1; hops <= first.Redirects && isRedirect(resp.Status); hops++ {
		next := nextHop(req, resp)
		if next == nil || first.SameHostRedirects && next.Host != first.Host {
			return resp, nil
		}
		took = resp.Took
		answer, err := c.send(ctx, next, turn, true)
		if err != nil {
			return endChain(ctx, first, next, resp, err)
		}
		answer.Took += took
		answer.Hops = hops
		answer.FinalURL = next.url()
		if first.WantHops {
			answer.Before = resp
		}
		req, resp = next, answer
	}
	return resp, nil
}

// endChain decides what a hop that failed means. The item is about the host that it was meant for, so the failure of another one ends
// the chain only; that other host has been booked with it already.
func endChain(ctx context.Context, first, next *Request, resp *Response, err error) (*Response, error) {
	if own := callerEnded(ctx); own != nil || isWithdrawn(err) {
		return nil, err
	}
	if _, ok := errors.AsType[*hosterrors.OutageError](err); ok {
		return nil, err
	}
	if held, ok := errors.AsType[*NotAdmittedError](err); ok {
		resp.RedirectSkipped = held.Key
		return resp, nil
	}
	if errors.Is(err, hosterrors.ErrExcluded) {
		resp.RedirectSkipped, resp.RedirectErr = hostkey.Join(next.Host, next.Port), err
		return resp, nil
	}
	if next.Host == first.Host && next.Port == first.Port {
		return nil, err
	}
	resp.RedirectErr = err
	return resp, nil
}

// nextHop is the request that follows a redirect, nil when its Location leads nowhere that we go.
func nextHop(req *Request, resp *Response) *Request {
	location := resp.Get("Location")
	if location == "" {
		return nil
	}
	base, err := url.Parse(req.url())
	if err != nil {
		// The target was never meant to be parsed; what it redirects to may still be complete.
		base = &url.URL{Scheme: req.Scheme, Host: string(appendAuthority(nil, req)), Path: "/"}
	}
	ref, err := url.Parse(strings.TrimSpace(location))
	if err != nil {
		return nil
	}
	to := base.ResolveReference(ref)
	next, err := fromURL(to)
	if err != nil {
		return nil
	}
	if ref.Host == "" {
		next.Host, next.Port = req.Host, req.Port // with its zone, which URLs do not carry on
	}
	next.WantBody, next.IgnoreTimeout = req.WantBody, req.IgnoreTimeout
	next.Method, next.Body, next.Header, next.User = req.Method, req.Body, req.Header, req.User
	if req.Raw != nil {
		next.Method, next.Body, next.Header = "GET", nil, nil
	}
	if method := req.method(); resp.Status == 303 && method != "HEAD" || resp.Status <= 302 && method == "POST" {
		next.Method, next.Body = "GET", nil
		next.Header = without(next.Header, isAboutBody)
	}
	if !sameOrigin(req, next) {
		next.Header, next.User, next.foreign = without(next.Header, isPrivate), "", true
	}
	next.foreign = next.foreign || req.foreign
	return next
}

// sameOrigin: credentials go on to the same host and port, and to the https side of a host that sends its visitors there.
func sameOrigin(from, to *Request) bool {
	if from.Host != to.Host {
		return false
	}
	if from.Scheme == to.Scheme {
		return from.Port == to.Port
	}
	return from.Scheme == "http" && (from.Port == to.Port || from.Port == 80 && to.Port == 443)
}

// public are the fields that another host may see. Whatever else a user has set may be a secret: a name does not tell.
var public = [...]string{
	"Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Cache-Control", "Connection", "Content-Encoding",
	"Content-Language", "Content-Type", "DNT", "If-Modified-Since", "If-None-Match", "Pragma", "Range", "Upgrade-Insecure-Requests",
	"User-Agent",
}

func isPrivate(name string) bool {
	for _, known := range public {
		if strings.EqualFold(name, known) {
			return false
		}
	}
	return true
}

func isAboutBody(name string) bool {
	return len(name) > 8 && strings.EqualFold(name[:8], "Content-") || strings.EqualFold(name, "Transfer-Encoding")
}

func without(fields []Field, drop func(name string) bool) []Field {
	kept := make([]Field, 0, len(fields))
	for _, f := range fields {
		if !drop(f.Name) {
			kept = append(kept, f)
		}
	}
	return kept
}

// NewRequest makes a GET request for a URL of the scheme http or https. The error is a [hosterrors.BuildError].
func NewRequest(raw string) (*Request, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, &hosterrors.BuildError{Err: err}
	}
	req, err := fromURL(u)
	if err != nil {
		return nil, &hosterrors.BuildError{Err: err}
	}
	if u.User != nil {
		password, _ := u.User.Password()
		req.User = u.User.Username() + ":" + password
	}
	return req, nil
}

// fromURL takes what a request needs from a URL, but for its userinfo: a redirect does not choose the credentials.
func fromURL(u *url.URL) (*Request, error) {
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("expected the scheme http or https")
	}
	host, err := hostkey.Host(u.Hostname())
	if err != nil {
		return nil, err
	}
	port := defaultPort(u.Scheme)
	if text := u.Port(); text != "" {
		if port, err = hostkey.Port(text); err != nil {
			return nil, err
		}
	}
	return &Request{Scheme: u.Scheme, Host: host, Port: port, Target: u.RequestURI()}, nil
}

// url is the request's URL.
func (r *Request) url() string {
	switch {
	case r.Query != nil:
		return "dns:///" + strings.TrimSuffix(r.Query.Name, ".") + "?type=" + dns.TypeToString[r.Query.Type]
	case r.Talk != nil:
		return r.Scheme + "://" + hostkey.Join(r.Host, r.Port)
	}
	b := append(append(make([]byte, 0, 64), r.Scheme...), "://"...)
	return string(appendTarget(appendAuthority(b, r), r.Target))
}
