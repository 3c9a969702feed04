package requester_test

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

// sent returns the bytes of a request as the host gets them.
func sent(t *testing.T, cfg requester.Config, req *requester.Request) string {
	t.Helper()
	var got string
	synctest.Test(t, func(t *testing.T) {
		c, _ := piped(t, cfg, func(_ int, c net.Conn) {
			br := bufio.NewReader(io.TeeReader(c, &tee{&got}))
			if _, ok := readRequest(br); ok {
				io.WriteString(c, ok200)
			}
		})
		mustDo(t, c, req)
	})
	return got
}

type tee struct{ to *string }

func (t *tee) Write(p []byte) (int, error) {
	*t.to += string(p)
	return len(p), nil
}

func TestBytesOnTheWire(t *testing.T) {
	const agent = "User-Agent: redial/1.2.3 (+https://github.com/redialscan/redial)\r\n"
	type fields = []requester.Field
	for _, test := range []struct {
		name   string
		cfg    requester.Config
		change func(*requester.Request)
		want   string
	}{
		{"plain", requester.Config{}, func(*requester.Request) {},
			"GET /x HTTP/1.1\r\nHost: host.test\r\n" + agent + "Accept: */*\r\n\r\n"},
		{"target as written", requester.Config{}, func(r *requester.Request) { r.Target = "/../%2e/a b?x=<é>&y#z" },
			"GET /../%2e/a%20b?x=<é>&y#z HTTP/1.1\r\nHost: host.test\r\n" + agent + "Accept: */*\r\n\r\n"},
		{"only a query, another port", requester.Config{}, func(r *requester.Request) { r.Target, r.Port = "?a", 8080 },
			"GET /?a HTTP/1.1\r\nHost: host.test:8080\r\n" + agent + "Accept: */*\r\n\r\n"},
		{"an address with a zone", requester.Config{}, func(r *requester.Request) { r.Host = "fe80::1%eth0" },
			"GET /x HTTP/1.1\r\nHost: [fe80::1]\r\n" + agent + "Accept: */*\r\n\r\n"},
		{"order and case", requester.Config{Header: fields{{"x-all", "1"}, {"X-Twice", "cfg"}}}, func(r *requester.Request) {
			r.Header = fields{{"b", "2"}, {"HOST", "vhost"}, {"x-twice", "own"}, {"B", "3"}, {"user-agent", "me"}, {"accept", "x/y"}}
		}, "GET /x HTTP/1.1\r\nx-all: 1\r\nb: 2\r\nHOST: vhost\r\nx-twice: own\r\nB: 3\r\nuser-agent: me\r\naccept: x/y\r\n\r\n"},
		{"body and user", requester.Config{UserAgent: "me/2"}, func(r *requester.Request) {
			r.Method, r.Body, r.User = "POST", []byte("a=b"), "me:secret"
		}, "POST /x HTTP/1.1\r\nHost: host.test\r\nUser-Agent: me/2\r\nAccept: */*\r\nAuthorization: Basic bWU6c2VjcmV0\r\nContent-Length: 3\r\n\r\na=b"},
		{"empty post", requester.Config{UserAgent: "me"}, func(r *requester.Request) { r.Method = "POST" },
			"POST /x HTTP/1.1\r\nHost: host.test\r\nUser-Agent: me\r\nAccept: */*\r\nContent-Length: 0\r\n\r\n"},
		{"own length", requester.Config{UserAgent: "me"}, func(r *requester.Request) {
			r.Body, r.Header = []byte("abc"), fields{{"content-length", "3"}}
		}, "GET /x HTTP/1.1\r\nHost: host.test\r\nUser-Agent: me\r\nAccept: */*\r\ncontent-length: 3\r\n\r\nabc"},
		{"exact bytes", requester.Config{}, func(r *requester.Request) {
			r.Raw = []byte("BREW /pot HTTP/1.1\nHost: x\nB:1\nb:  2\n\n")
		}, "BREW /pot HTTP/1.1\nHost: x\nB:1\nb:  2\n\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.cfg.Version = "1.2.3"
			req := get("/x")
			test.change(req)
			if got := sent(t, test.cfg, req); got != test.want {
				t.Errorf("got\n%q\nwant\n%q", got, test.want)
			}
		})
	}
}

func TestRandomAgentIsABrowser(t *testing.T) {
	if got := sent(t, requester.Config{RandomAgent: true}, get("/")); !strings.Contains(got, "User-Agent: Mozilla/5.0 (") {
		t.Errorf("got %q", got)
	}
}

// github.com/projectdiscovery/nuclei-templates/pull/15575: a request that cannot be built says nothing about the host.
func TestRequestsThatCannotBeBuilt(t *testing.T) {
	b := newBreaker(t, 1)
	c := newClient(t, requester.Config{Breaker: b})
	for name, change := range map[string]func(*requester.Request){
		"port after a port":    func(r *requester.Request) { r.Host = "host.test:8080:9780" },
		"not canonical":        func(r *requester.Request) { r.Host = "HOST.test." },
		"no host":              func(r *requester.Request) { r.Host = "" },
		"no port":              func(r *requester.Request) { r.Port = 0 },
		"no scheme":            func(r *requester.Request) { r.Scheme = "" },
		"line break in target": func(r *requester.Request) { r.Target = "/a\r\nX: y" },
		"space in method":      func(r *requester.Request) { r.Method = "GET /" },
		"space in a name":      func(r *requester.Request) { r.Header = []requester.Field{{"a b", "c"}} },
		"line break in value":  func(r *requester.Request) { r.Header = []requester.Field{{"a", "b\nc"}} },
	} {
		t.Run(name, func(t *testing.T) {
			req := get("/")
			change(req)
			_, err := do(t, c, req)
			wantErr[*hosterrors.BuildError](t, err)
			if v := hosterrors.Judge(err); v.Blame != hosterrors.BlameNobody || v.Repeat {
				t.Errorf("got %+v for %v, want neutral and final", v, err)
			}
		})
	}
	if b.AnyTripped() {
		t.Error("a host was blamed")
	}
}

func TestNewRequest(t *testing.T) {
	req, err := requester.NewRequest("https://me:x@Bücher.Example:8443/a%2Fb?c#d")
	if err != nil {
		t.Fatal(err)
	}
	if req.Scheme != "https" || req.Host != "xn--bcher-kva.example" || req.Port != 8443 || req.Target != "/a%2Fb?c" || req.User != "me:x" {
		t.Errorf("got %+v", req)
	}
	for _, raw := range []string{"host", "ftp://host/", "http://", "http://host:8080:9780/", "http://host:0/", "http://ho st/"} {
		_, err := requester.NewRequest(raw)
		wantErr[*hosterrors.BuildError](t, err)
	}
}

func TestBadConfigsAreNamed(t *testing.T) {
	for want, cfg := range map[string]requester.Config{
		"Timeout":     {Timeout: -1},
		"DialTimeout": {Timeout: 1, DialTimeout: 2},
		"IPVersion":   {IPVersion: 5},
		"MaxBody":     {MaxBody: -1},
		"resolver":    {Resolvers: []string{"nowhere"}},
		"header":      {Header: []requester.Field{{"a b", ""}}},
		"UserAgent":   {UserAgent: "a\nb"},
	} {
		if _, err := requester.New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error about %s", err, want)
		}
	}
}
