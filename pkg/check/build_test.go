package check

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/redialscan/redial/pkg/requester"
	"github.com/redialscan/redial/pkg/target"
)

// recorder answers nothing and keeps what it is sent.
type recorder struct{ sent []*requester.Request }

func (r *recorder) Do(_ context.Context, req *requester.Request, _ requester.Turn) (*requester.Response, error) {
	r.sent = append(r.sent, req)
	return &requester.Response{Status: 200, Proto: "HTTP/1.1"}, nil
}

func sent(t *testing.T, on, text string) *requester.Request {
	t.Helper()
	var r recorder
	if _, err := mustParse(t, text).Run(context.Background(), Job{Target: mustTarget(t, on), Send: &r}); err != nil {
		t.Fatal(err)
	}
	return r.sent[0]
}

// A path goes below the target's own, and out as it is written.
func TestURLs(t *testing.T) {
	for _, row := range []struct{ target, path, want string }{
		{"http://h", "{{BaseURL}}", "http://h:80 "},
		{"http://h/", "{{BaseURL}}/x", "http://h:80 /x"},
		{"http://h/app/", "{{BaseURL}}/x", "http://h:80 /app/x"},
		{"http://h/app/page", "{{BaseURL}}/x", "http://h:80 /app/page/x"},
		{"http://h/app/page", "{{RootURL}}{{Path}}/x", "http://h:80 /app/x"},
		{"http://h/app?k=1", "{{BaseURL}}/x?a=2", "http://h:80 /app/x?k=1&a=2"},
		{"http://h/app?k=1", "{{BaseURL}}/x", "http://h:80 /app/x?k=1"},
		{"https://h:8443", "{{BaseURL}}/a/../b//c%2f?q=a b", "https://h:8443 /a/../b//c%2f?q=a b"},
		{"https://h", "{{BaseURL}}/#/top", "https://h:443 /"},
		{"https://h", "{{BaseURL}}/ä", "https://h:443 /%C3%A4"},
		{"https://h", "http://{{Hostname}}:8080/x", "http://h:8080 /x"},
		{"https://h:444", "{{Scheme}}://{{Host}}:{{Port}}/x", "https://h:444 /x"},
		{"http://[::1]:81", "{{BaseURL}}/x", "http://::1:81 /x"},
		{"http://h", "http://Other.example/x", "http://other.example:80 /x"},
		{"http://www.example.co.uk", "{{BaseURL}}/{{FQDN}}/{{RDN}}/{{DN}}/{{TLD}}/{{SD}}", "http://www.example.co.uk:80 /www.example.co.uk/example.co.uk/example/co.uk/www"},
		{"http://h/a/b.html", "{{BaseURL}}/{{File}}", "http://h:80 /a/b.html/b.html"},
	} {
		req := sent(t, row.target, template("http:\n  - path: ['"+row.path+"']"+ending))
		host := target.Target{Host: req.Host, Port: req.Port}
		if got := req.Scheme + "://" + strings.Trim(host.Key(), "[]") + " " + req.Target; strings.ReplaceAll(got, "::1]:", "::1:") != row.want {
			t.Errorf("%s on %s gives %q, want %q", row.path, row.target, got, row.want)
		}
	}
}

func TestRawRequests(t *testing.T) {
	for _, row := range []struct{ name, raw, target, want string }{
		{"plain", "GET /a HTTP/1.1\nHost: {{Hostname}}\nX-A: 1\n\n", "http://h:81", "GET http://h:81 /a Host: h:81|X-A: 1 "},
		{"below the target", "GET /a?b HTTP/1.1\n\n", "http://h/app", "GET http://h:80 /app/a?b  "},
		{"body", "POST / HTTP/1.1\nContent-Length: 1\n\na\nb\n", "http://h", "POST http://h:80 /  a\r\nb"},
		{"no slash", "GET a HTTP/1.1\n\n", "http://h", "GET http://h:80 /a  "},
		{"no version", "GET /a\n\n", "http://h", "GET http://h:80 /a  "},
		{"two spaces", "GET /a  HTTP/1.1\n\n", "http://h", "GET http://h:80 /a  "},
		{"whole URL", "GET http://o.example/a HTTP/1.1\n\n", "http://h", "GET http://o.example:80 /a  "},
		{"URL in the query", "GET /?u=http://o.example/a HTTP/1.1\n\n", "http://h", "GET http://h:80 /?u=http://o.example/a  "},
		{"other host", "@Host: https://o.example:8443\nGET /a HTTP/1.1\n\n", "http://h", "GET https://o.example:8443 /a  "},
		{"other authority", "@Host: o.example\nGET /a HTTP/1.1\n\n", "http://h", "GET http://o.example:80 /a  "},
	} {
		t.Run(row.name, func(t *testing.T) {
			raw := "        " + strings.ReplaceAll(row.raw, "\n", "\n        ")
			req := sent(t, row.target, template("http:\n  - raw:\n      - |+\n"+raw+ending))
			var fields []string
			for _, f := range req.Header {
				fields = append(fields, f.Name+": "+f.Value)
			}
			host := target.Target{Host: req.Host, Port: req.Port}
			got := req.Method + " " + req.Scheme + "://" + host.Key() + " " + req.Target + " " + strings.Join(fields, "|") + " " + string(req.Body)
			if strings.TrimRight(got, "\r\n ") != strings.TrimRight(row.want, " ") {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

// An unsafe request goes out byte for byte.
func TestUnsafe(t *testing.T) {
	req := sent(t, "http://h/app", template("unused: 0\n"[:0]+"http:\n  - unsafe: true\n    raw:\n      - |\n        GET  /a//../b HTTP/1.1\n        Host: {{Hostname}}\n        X : y\n"+ending))
	if want := "GET  /a//../b HTTP/1.1\r\nHost: h\r\nX : y\r\n\r\n"; string(req.Raw) != want {
		t.Errorf("sent %q, want %q", req.Raw, want)
	}
}

// A length that was counted before the variables were filled in is not sent.
func TestNoOldLength(t *testing.T) {
	req := sent(t, "http://h", template("http:\n  - method: POST\n    path: ['{{BaseURL}}/']\n    headers: {content-length: 9, X-A: b}\n    body: '{{randstr}}'"+ending))
	if len(req.Header) != 1 || req.Header[0].Name != "X-A" || len(req.Body) != 27 {
		t.Errorf("header %v with a body of %d bytes", req.Header, len(req.Body))
	}
}

// Lines for the scanner do not go out, and choose the host.
func TestUnsafeWithAnotherHost(t *testing.T) {
	req := sent(t, "http://h", template("http:\n  - unsafe: true\n    raw:\n      - |\n        @Host: o.example:81\n        GET / HTTP/1.0\n"+ending))
	if string(req.Raw) != "GET / HTTP/1.0\r\n\r\n" || req.Host != "o.example" || req.Port != 81 {
		t.Errorf("sent %q to %s:%d", req.Raw, req.Host, req.Port)
	}
}

// The name for the handshake may be another than the host's.
func TestServerName(t *testing.T) {
	for name, want := range map[string]string{"made.up": "made.up", "request.host": "own.example", "{{Host}}.x": "h.x"} {
		for _, unsafe := range []string{"", "    unsafe: true\n"} {
			req := sent(t, "https://h", template("http:\n  - raw: [\"@tls-sni: "+name+"\\n@Host: h:444\\nGET / HTTP/1.1\\nHost: own.example:1\\n\\n\"]\n"+unsafe+ending))
			if unsafe != "" && name == "request.host" {
				want = "" // it has no fields that anybody reads
			}
			if req.ServerName != want || req.Port != 444 {
				t.Errorf("%s: name %q at port %d with %q, want %q", name, req.ServerName, req.Port, unsafe, want)
			}
		}
	}
}

// A raw path goes below the target's own, unless the check has it otherwise.
func TestWholePaths(t *testing.T) {
	req := sent(t, "http://h/app", template("http:\n  - raw: [\"GET /x HTTP/1.1\\n\\n\"]\n    disable-path-automerge: true\n"+ending))
	if req.Target != "/x" {
		t.Errorf("asks for %s, want /x", req.Target)
	}
}

func TestRedirects(t *testing.T) {
	answer := func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/older":
			http.Redirect(w, r, "/old", http.StatusFound)
		case "/old":
			http.Redirect(w, r, "/new", http.StatusFound)
		default:
			io.WriteString(w, "new page")
		}
	}
	for _, row := range []struct {
		name, field string
		follow      int
		want        string
	}{
		{"not followed", "", 0, "GET /old"},
		{"followed", "redirects: true", 0, "GET /old\nGET /new"},
		{"one of two hops", "redirects: true\n    max-redirects: 1", 0, "GET /older\nGET /old"},
		{"on the host", "host-redirects: true", 0, "GET /old\nGET /new"},
		{"by the user", "", 3, "GET /old\nGET /new"},
		{"exact bytes", "redirects: true\n    unsafe: true", 0, "GET /old\nGET /new"},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := host(t, answer)
			request := "path: ['{{BaseURL}}/old']"
			if strings.Contains(row.field, "unsafe") {
				request = "raw: [\"GET /old HTTP/1.1\\nHost: {{Hostname}}\\n\\n\"]"
			}
			if strings.HasPrefix(row.want, "GET /older") {
				request = strings.Replace(request, "/old", "/older", 1)
			}
			c := mustParse(t, template("http:\n  - "+request+"\n    "+row.field+ending))
			if _, err := c.Run(context.Background(), Job{Target: h.target, Send: h.client, Follow: row.follow}); err != nil {
				t.Fatal(err)
			}
			if got := h.requests(); got != row.want {
				t.Errorf("asked %q, want %q", got, row.want)
			}
		})
	}
}

func TestTimeoutOfARequest(t *testing.T) {
	for _, unsafe := range []string{"", "    unsafe: true\n"} {
		req := sent(t, "http://h", template("http:\n  - raw: [\"@timeout: 25s\\nGET / HTTP/1.1\\n\\n\"]\n"+unsafe+ending))
		if req.Timeout != 25*time.Second {
			t.Errorf("timeout %s with %q", req.Timeout, unsafe)
		}
	}
}

// What is looked for may be the redirect itself, and a cookie may come with it.
func TestAnswersOnTheWay(t *testing.T) {
	h := host(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/old":
			http.SetCookie(w, &http.Cookie{Name: "sid", Value: "s1"})
			http.Redirect(w, r, "/new", http.StatusFound)
		case "/new":
			io.WriteString(w, "new page")
		default:
			io.WriteString(w, "cookie "+r.Header.Get("Cookie"))
		}
	})
	out := h.run(t, template(`
http:
  - path: ["{{BaseURL}}/old"]
    redirects: true
    matchers: [{type: dsl, name: redirect, dsl: ['status_code == 302 && location == "/new"']}]
    extractors: [{type: regex, regex: ["new page"]}]
  - raw: ["GET /old HTTP/1.1\n\n", "GET /cookie HTTP/1.1\n\n"]
    host-redirects: true
    matchers: [{type: word, name: page, words: ["new page", "cookie sid=s1"]}]
`))
	if got := told(h, out); got != "redirect /old\npage /new\npage /cookie" {
		t.Errorf("findings %q, asked %s", got, h.requests())
	}
}

// A check that looks at how long an answer takes expects slow ones.
func TestTimedChecks(t *testing.T) {
	timed := sent(t, "http://h", template("http:\n  - path: ['{{BaseURL}}']\n    matchers: [{type: dsl, dsl: ['duration >= 6']}]"))
	other := sent(t, "http://h", template("http:\n  - path: ['{{BaseURL}}']"+ending))
	if !timed.IgnoreTimeout || other.IgnoreTimeout {
		t.Errorf("ignore timeouts: %v with a duration, %v without", timed.IgnoreTimeout, other.IgnoreTimeout)
	}
}

func FuzzRawRequest(f *testing.F) {
	f.Add("GET / HTTP/1.1\r\nHost: a\r\n\r\nbody")
	f.Add("@Host: a\n@once\nPOST /a  HTTP/1.1\nX: y\n\n")
	f.Add("\r\n\r\nGET HTTP/1.1\r\n:\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		raw, err := parseRaw(withCRLF(text))
		if err != nil {
			return
		}
		if !isMethod(raw.method) || strings.ContainsAny(raw.target, "\n") {
			t.Fatalf("%q is %+v", text, raw)
		}
		for _, field := range raw.headers {
			if field.Name == "" || strings.Contains(field.Value, "\n") || strings.EqualFold(field.Name, "Content-Length") {
				t.Fatalf("%q has the field %+v", text, field)
			}
		}
	})
}
