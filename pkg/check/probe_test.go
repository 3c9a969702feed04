package check

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/redialscan/redial/pkg/requester"
	"github.com/redialscan/redial/pkg/target"
)

func mustProbe(t testing.TB, o ProbeOptions) *Probe {
	t.Helper()
	p, err := NewProbe(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustTarget(t testing.TB, text string) target.Target {
	t.Helper()
	parsed, err := target.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestProbeTarget(t *testing.T) {
	for _, row := range []struct{ target, path, want string }{
		{"http://h", "", "/"},
		{"http://h/", "", "/"},
		{"http://h/app", "", "/app"},
		{"http://h/app/", "", "/app/"},
		{"http://h/app?k=1", "", "/app?k=1"},
		{"http://h?k=1", "", "/?k=1"},
		{"http://h", "/admin", "/admin"},
		{"http://h/", "/admin", "/admin"},
		{"http://h", "admin", "/admin"},
		{"http://h/app", "/admin", "/app/admin"},
		{"http://h/app/", "/admin", "/app/admin"},
		{"http://h/app", "/", "/app/"},
		{"http://h/app/", "/", "/app/"},
		{"http://h/app//", "/x", "/app//x"},
		{"http://h/app", "//x", "/app//x"},
		{"http://h/a", "/admin", "/a/admin"}, // not "/admin", though that begins with "/a"
		{"http://h/admin", "/admin", "/admin/admin"},
		{"http://h/app", "/a/../b", "/app/a/../b"},
		{"http://h/app?k=1", "/admin", "/app/admin?k=1"},
		{"http://h?k=1", "/admin", "/admin?k=1"},
		{"http://h/app?k=1", "/a?x=2", "/app/a?k=1&x=2"},
		{"http://h/app", "/a?x=2&y=/z?", "/app/a?x=2&y=/z?"},
		{"http://h/app", "/a?", "/app/a?"},
		{"http://h/app?k=1", "/a?", "/app/a?k=1"},
		{"http://h/app", "?x=2", "/app/?x=2"},
		{"http://h/app/%zz", "/%2e%2e/", "/app/%zz/%2e%2e/"},
	} {
		o := ProbeOptions{}
		if row.path != "" {
			o.Paths = []string{row.path}
		}
		if got := mustProbe(t, o).Target(mustTarget(t, row.target), 0); got != row.want {
			t.Errorf("%s with path %q: got %q, want %q", row.target, row.path, got, row.want)
		}
	}
}

func TestProbeRequest(t *testing.T) {
	headers := []requester.Field{{Name: "X-b", Value: "2"}, {Name: "X-a", Value: "1"}}
	p := mustProbe(t, ProbeOptions{
		Paths: []string{"/a", "/b", "a"}, Method: "post", Headers: headers, Body: []byte("k=v"), FollowRedirects: true, MaxRedirects: 3,
	})
	if p.Len() != 2 || p.Path(0) != "/a" || p.Path(1) != "/b" || p.Method() != "POST" {
		t.Fatalf("got %d paths %q, method %s; want /a and /b once each, and POST", p.Len(), p.paths, p.Method())
	}
	got, err := p.Request(mustTarget(t, "https://user:pw@[2001:DB8::1]/app"), 1)
	if err != nil {
		t.Fatal(err)
	}
	want := &requester.Request{
		Method: "POST", Scheme: "https", Host: "2001:db8::1", Port: 443, Target: "/app/b", Header: headers, Body: []byte("k=v"),
		User: "user:pw", WantBody: true, Redirects: 3,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got, err := p.Request(mustTarget(t, "http://h:8080"), 0); err != nil || got.Port != 8080 || got.Target != "/a" {
		t.Errorf("got %+v, %v; want port 8080 and /a", got, err)
	}
}

func TestProbeWantsBody(t *testing.T) {
	for method, want := range map[string]bool{"": true, "GET": true, "OPTIONS": true, "HEAD": false, "head": false} {
		req, err := mustProbe(t, ProbeOptions{Method: method}).Request(mustTarget(t, "http://h"), 0)
		if err != nil || req.WantBody != want {
			t.Errorf("method %q: body wanted %v, %v; want %v", method, req.WantBody, err, want)
		}
	}
}

func TestProbeRedirects(t *testing.T) {
	for _, row := range []struct {
		options ProbeOptions
		hops    int
		same    bool
	}{
		{ProbeOptions{}, 0, false},
		{ProbeOptions{MaxRedirects: 5}, 0, false},
		{ProbeOptions{FollowRedirects: true}, DefaultMaxRedirects, false},
		{ProbeOptions{SameHostRedirects: true}, DefaultMaxRedirects, true},
		{ProbeOptions{FollowRedirects: true, SameHostRedirects: true, MaxRedirects: 1}, 1, true},
	} {
		req, err := mustProbe(t, row.options).Request(mustTarget(t, "http://h"), 0)
		if err != nil || req.Redirects != row.hops || req.SameHostRedirects != row.same {
			t.Errorf("%+v: got %d hops, same host %v, %v; want %d, %v", row.options, req.Redirects, req.SameHostRedirects, err, row.hops, row.same)
		}
	}
}

func TestProbeOptionsRefused(t *testing.T) {
	for _, row := range []struct {
		options    ProbeOptions
		flag, want string
	}{
		{ProbeOptions{Method: "GE T"}, "--method", "expected a method"},
		{ProbeOptions{Method: "GET\r\nX: y"}, "--method", "expected a method"},
		{ProbeOptions{Headers: []requester.Field{{Name: "X y", Value: "1"}}}, "--header", "expected a name"},
		{ProbeOptions{Headers: []requester.Field{{Name: "", Value: "1"}}}, "--header", "expected a name"},
		{ProbeOptions{Headers: []requester.Field{{Name: "X", Value: "1\r\nY: 2"}}}, "--header", "value of one line"},
		{ProbeOptions{MaxRedirects: -1}, "--max-redirects", "expected 1 or more"},
		{ProbeOptions{Paths: []string{"/a", "/b\nc"}}, "--path", `control character '\n'`},
		{ProbeOptions{Filter: FilterOptions{MatchStatus: []string{"20x"}}}, "--match-status", `bad number "20x"`},
	} {
		p, err := NewProbe(row.options)
		bad, ok := errors.AsType[*FlagError](err)
		if p != nil || !ok || bad.Flag != row.flag || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%+v: got %v, %v; want an error of %s with %q", row.options, p, err, row.flag, row.want)
		}
	}
}

func TestRequestRefused(t *testing.T) {
	p := mustProbe(t, ProbeOptions{Paths: []string{"/a"}})
	settled := mustTarget(t, "http://h")
	for name, row := range map[string]struct {
		target target.Target
		i      int
		want   string
	}{
		"no scheme": {mustTarget(t, "h:8080"), 0, "target h:8080 has no scheme"},
		"no host":   {target.Target{Scheme: target.SchemeHTTP}, 0, "without a host"},
		"below":     {settled, -1, "from 0 to 0, got -1"},
		"above":     {settled, 1, "from 0 to 0, got 1"},
	} {
		if req, err := p.Request(row.target, row.i); req != nil || err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, %v; want an error with %q", name, req, err, row.want)
		}
	}
}

// With paths, a 404 is what most of them give.
func TestProbeNotFound(t *testing.T) {
	notFound, found := response(404, "", "x"), response(200, "", "x")
	for _, row := range []struct {
		options ProbeOptions
		want    bool // of the 404
	}{
		{ProbeOptions{}, true},
		{ProbeOptions{Paths: []string{"/a"}}, false},
		{ProbeOptions{Paths: []string{"/a", "/b"}}, false},
		{ProbeOptions{Paths: []string{"/a"}, Filter: FilterOptions{MatchStatus: []string{"200,404"}}}, true},
		{ProbeOptions{Paths: []string{"/a"}, Filter: FilterOptions{MatchStatus: []string{"all"}}}, true},
		{ProbeOptions{Paths: []string{"/a"}, Filter: FilterOptions{MatchString: []string{"x"}}}, false},
	} {
		p := mustProbe(t, row.options)
		page, other := ReadPage(notFound), ReadPage(found)
		if got := p.Match(&page, notFound); got != row.want {
			t.Errorf("%+v: 404 is a finding: %v, want %v", row.options, got, row.want)
		}
		if !p.Match(&other, found) {
			t.Errorf("%+v: 200 is no finding", row.options)
		}
	}
}

// A scan sends tens of thousands of these a second.
func TestRequestAllocations(t *testing.T) {
	p := mustProbe(t, ProbeOptions{Paths: []string{"/a"}})
	for text, want := range map[string]float64{"http://h": 1, "http://h/app": 2} {
		settled := mustTarget(t, text)
		got := testing.AllocsPerRun(100, func() {
			if _, err := p.Request(settled, 0); err != nil {
				t.Fatal(err)
			}
		})
		if got > want {
			t.Errorf("%s: %v allocations, want %v", text, got, want)
		}
	}
}
