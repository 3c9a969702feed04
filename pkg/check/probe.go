package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/redialscan/redial/pkg/requester"
	"github.com/redialscan/redial/pkg/target"
)

// DefaultMaxRedirects is how many redirects are followed when [ProbeOptions] do not say.
const DefaultMaxRedirects = 10

// ProbeOptions say what a [Probe] asks for. The zero value is a GET of the target's own path that follows no redirect, and takes every
// answer for a finding.
type ProbeOptions struct {
	Paths   []string // what [ParsePaths] returned; doubles are asked for once. None: the target's own path
	Method  string   // sent in upper case; "" = GET
	Headers []requester.Field
	Body    []byte // not copied, and not to be changed afterwards

	FollowRedirects   bool
	SameHostRedirects bool // follow redirects, but only those that stay on the host
	MaxRedirects      int  // hops at most, when redirects are followed; 0 = DefaultMaxRedirects

	// Filter says which answers are findings. HideNotFound is set when there are paths: of a list of paths most are expected to be missing.
	Filter FilterOptions
}

// Probe is the built-in check: one request per target and path. It does not change once made, and is safe for concurrent use. Make one with
// [NewProbe]; the zero value asks for nothing.
type Probe struct {
	method    string
	headers   []requester.Field
	body      []byte
	redirects int
	sameHost  bool
	filter    *Filter

	// paths has the one entry "" when only the target's own path is asked for.
	paths []string
}

// NewProbe makes a Probe. An option that makes no sense is a [FlagError].
func NewProbe(o ProbeOptions) (*Probe, error) {
	p := &Probe{method: "GET", headers: slices.Clone(o.Headers), body: o.Body, sameHost: o.SameHostRedirects}
	if o.Method != "" {
		p.method = strings.ToUpper(o.Method)
	}
	if !httpguts.ValidHeaderFieldName(p.method) {
		return nil, &FlagError{"--method", o.Method, errors.New("expected a method such as GET")}
	}
	for _, f := range o.Headers {
		if !httpguts.ValidHeaderFieldName(f.Name) || strings.ContainsAny(f.Value, "\r\n\x00") {
			return nil, &FlagError{"--header", f.Name + ": " + f.Value, errors.New("expected a name, a colon and a value of one line")}
		}
	}
	if o.MaxRedirects < 0 {
		return nil, &FlagError{"--max-redirects", fmt.Sprint(o.MaxRedirects), errors.New("expected 1 or more, or 0 for the default")}
	}
	if o.FollowRedirects || o.SameHostRedirects {
		p.redirects = o.MaxRedirects
		if p.redirects == 0 {
			p.redirects = DefaultMaxRedirects
		}
	}
	var err error
	if p.paths, err = distinctPaths(o.Paths); err != nil {
		return nil, err
	}
	if len(p.paths) == 0 {
		p.paths = []string{""}
	} else {
		o.Filter.HideNotFound = true
	}
	if p.filter, err = NewFilter(o.Filter); err != nil {
		return nil, err
	}
	return p, nil
}

// Len is the number of requests for each target, at least 1.
func (p *Probe) Len() int { return len(p.paths) }

// Method is the method of all requests.
func (p *Probe) Method() string { return p.method }

// Path is the i-th path, "" when the probe asks for the target's own.
func (p *Probe) Path(i int) string { return p.paths[i] }

// Target is what the i-th request asks of a target: path and query, always with a slash in front. The target need not be settled.
func (p *Probe) Target(t target.Target, i int) string { return joinPath(t.Path, p.paths[i]) }

// Match tells whether an answer is a finding. See [Filter.Match].
func (p *Probe) Match(page *Page, resp *requester.Response) bool { return p.filter.Match(page, resp) }

// Request builds the i-th request for a target whose scheme is settled. Headers and body are shared by all requests and must not be changed.
func (p *Probe) Request(t target.Target, i int) (*requester.Request, error) {
	switch {
	case i < 0 || i >= len(p.paths):
		return nil, fmt.Errorf("expected a request from 0 to %d, got %d", len(p.paths)-1, i)
	case !t.Settled():
		return nil, fmt.Errorf("target %s has no scheme, expected http or https", t)
	case t.Host == "":
		return nil, errors.New("target without a host, expected one")
	}
	port := t.Port
	if port == 0 {
		port = t.Scheme.Port()
	}
	return &requester.Request{
		Method: p.method, Scheme: t.Scheme.String(), Host: t.Host, Port: port, Target: p.Target(t, i),
		Header: p.headers, Body: p.body, User: t.User,
		WantBody:  p.method != "HEAD",
		Redirects: p.redirects, SameHostRedirects: p.sameHost,
	}, nil
}

// joinPath gives the path and query of a request, from those of the target and those below it. Most targets have none, and that costs no
// allocation.
func joinPath(base, path string) string {
	if base == "" || base == "/" {
		if path == "" {
			return "/"
		}
		return path
	}
	if path == "" {
		if base[0] == '?' {
			return "/" + base
		}
		return base
	}
	base, baseQuery, _ := strings.Cut(base, "?")
	path, query, hasQuery := strings.Cut(path, "?")
	joined := strings.TrimSuffix(base, "/") + path
	switch {
	case baseQuery == "" && !hasQuery:
		return joined
	case baseQuery == "":
		return joined + "?" + query
	case query == "":
		return joined + "?" + baseQuery
	}
	return joined + "?" + baseQuery + "&" + query
}
