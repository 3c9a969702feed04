package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/redialscan/redial/pkg/requester"
	"github.com/redialscan/redial/pkg/target"
)

// tried is a host that answers by a function, and what it was asked.
type tried struct {
	target target.Target
	client *requester.Client

	mu    sync.Mutex
	asked []string // method, target and body of each request
}

func host(t *testing.T, answer http.HandlerFunc) *tried {
	t.Helper()
	h := &tried{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		h.asked = append(h.asked, strings.TrimSpace(r.Method+" "+r.RequestURI+" "+string(body)))
		h.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	client, err := requester.New(requester.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	h.client, h.target = client, mustTarget(t, server.URL)
	return h
}

// run runs a template on the host.
func (h *tried) run(t *testing.T, text string) Outcome {
	t.Helper()
	out, err := mustParse(t, text).Run(context.Background(), Job{Target: h.target, Send: h.client})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (h *tried) requests() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.asked, "\n")
}

// told is the findings as text: matcher or extractor, path and values.
func told(h *tried, out Outcome) string {
	var lines []string
	for _, f := range out.Findings {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s%s %s %s", f.Matcher, f.Extractor,
			strings.TrimPrefix(f.MatchedAt, rootURL(&h.target)), strings.Join(f.Extracted, ","))))
	}
	return strings.Join(lines, "\n")
}

// page answers every request in the same way.
func page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Server", "Example/2.4")
	w.Header()["x-lower"] = []string{"one", "two"}
	http.SetCookie(w, &http.Cookie{Name: "Session", Value: "c1"})
	w.WriteHeader(403)
	io.WriteString(w, `<title>Sign in</title><form action="/go" class="main"><b>v1.2.3</b> <b>v1.2.4</b>`+"\x00\xff")
}

func TestMatchers(t *testing.T) {
	for _, row := range []struct {
		name, matchers string
		want           bool
	}{
		{"word", "[{type: word, words: ['Sign in']}]", true},
		{"no word", "[{type: word, words: ['Sign out']}]", false},
		{"one of two words", "[{type: word, words: [nothing, Sign]}]", true},
		{"both words", "[{type: word, condition: and, words: [nothing, Sign]}]", false},
		{"case", "[{type: word, words: ['sign IN']}]", false},
		{"without case", "[{type: word, case-insensitive: true, words: ['sign IN']}]", true},
		{"negative", "[{type: word, negative: true, words: ['Sign out']}]", true},
		{"negative and there", "[{type: word, negative: true, words: ['Sign in']}]", false},
		{"word in hex", "[{type: word, encoding: hex, words: ['5369676e']}]", true},
		{"word with a variable", "[{type: word, part: header, words: ['{{to_title(\"server\")}}: Example']}]", true},
		{"word that looks like a call", "[{type: word, words: ['{{nosuch(1)}}', '<title>']}]", true},
		{"in the header", "[{type: word, part: header, words: ['Server: Example/2.4']}]", true},
		{"not in the body", "[{type: word, words: ['Server: Example/2.4']}]", false},
		{"spelling of the header", "[{type: word, part: all_headers, words: [\"X-Lower: one\\r\\nX-Lower: two\"]}]", true},
		{"status line", "[{type: word, part: header, words: ['HTTP/1.1 403 Forbidden']}]", true},
		{"one header", "[{type: word, part: x_lower, words: ['one two']}]", true},
		{"missing header", "[{type: word, part: x_none, words: [a]}]", false},
		{"missing header, negative", "[{type: word, part: x_none, negative: true, words: [a]}]", false},
		{"all", "[{type: regex, part: all, regex: ['(?s)</title>.*Server: ']}]", true},
		{"response", "[{type: regex, part: response, regex: ['(?s)^HTTP/1.1 403.*</title>']}]", true},
		{"request", "[{type: word, part: request, words: ['GET /x HTTP/1.1']}]", true},
		{"regex", "[{type: regex, regex: ['v1\\.2\\.\\d']}]", true},
		{"no regex", "[{type: regex, regex: ['v2\\.']}]", false},
		{"binary", "[{type: binary, binary: ['00ff']}]", true},
		{"no binary", "[{type: binary, binary: ['ff00']}]", false},
		{"status", "[{type: status, status: [401, 403]}]", true},
		{"other status", "[{type: status, status: [200]}]", false},
		{"no status", "[{type: status, negative: true, status: [200]}]", true},
		{"size", "[{type: size, size: [1, 83]}]", true},
		{"size of a header", "[{type: size, part: server, size: [11]}]", true},
		{"other size", "[{type: size, size: [1]}]", false},
		{"dsl", "[{type: dsl, dsl: ['status_code == 403 && len(body) == content_length']}]", true},
		{"dsl with a cookie", "[{type: dsl, dsl: ['session == \"c1\"']}]", true},
		{"dsl with a header", "[{type: dsl, dsl: ['contains(server, \"Example\")']}]", true},
		{"dsl that is false", "[{type: dsl, dsl: ['status_code == 200']}]", false},
		{"dsl without a value", "[{type: dsl, dsl: ['x_none == \"a\"']}]", false},
		{"dsl of another type", "[{type: dsl, dsl: ['len(body)']}]", false},
		{"one of two dsl", "[{type: dsl, dsl: ['x_none == 1', 'true']}]", true},
		{"all of two dsl", "[{type: dsl, condition: and, dsl: ['false', 'true']}]", false},
		{"xpath", "[{type: xpath, xpath: ['//form[@class=\"main\"]']}]", true},
		{"no xpath", "[{type: xpath, xpath: ['//form[@class=\"other\"]']}]", false},
		{"negative regex", "[{type: regex, negative: true, regex: ['v2\\.']}]", true},
		{"negative regex and there", "[{type: regex, negative: true, regex: ['v1\\.']}]", false},
		{"both regexes", "[{type: regex, condition: and, regex: ['v1\\.', 'v2\\.']}]", false},
		{"one of two regexes", "[{type: regex, regex: ['v1\\.', 'v2\\.']}]", true},
		{"negative binary", "[{type: binary, negative: true, binary: ['ff00']}]", true},
		{"both binaries", "[{type: binary, condition: and, binary: ['00ff', 'ff00']}]", false},
		{"negative size", "[{type: size, negative: true, size: [1]}]", true},
		{"negative dsl", "[{type: dsl, negative: true, dsl: ['status_code == 200']}]", true},
		{"negative dsl and so", "[{type: dsl, negative: true, dsl: ['status_code == 403']}]", false},
		{"negative xpath", "[{type: xpath, negative: true, xpath: ['//a']}]", true},
		{"both xpaths", "[{type: xpath, condition: and, xpath: ['//b', '//a']}]", false},
		{"xpath of a part", "[{type: xpath, part: header, xpath: ['//b']}]", false},
		{"what every answer has", "[{type: dsl, dsl: ['ip == \"127.0.0.1\" && duration < 60 && host == matched && ends_with(matched, \"/x\") && type == \"http\"']}]", true},
		{"beyond the size", "[{type: word, words: ['v1.2.4']}]\n    max-size: 70", false},
		{"within the size", "[{type: word, words: ['v1.2.3']}]\n    max-size: 70", true},
		{"all by their numbers", "[{type: dsl, dsl: ['status_code_1 == 403 && contains(body_1, \"Sign\")']}]\n    req-condition: true", true},
		{"or", "[{type: status, status: [200]}, {type: word, words: [Sign]}]", true},
		{"and", "[{type: status, status: [200]}, {type: word, words: [Sign]}]\n    matchers-condition: and", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := host(t, page)
			out := h.run(t, template("http:\n  - path: ['{{BaseURL}}/x']\n    matchers: "+row.matchers))
			if got := len(out.Findings) == 1; got != row.want {
				t.Errorf("findings %q, want some: %v", told(h, out), row.want)
			}
		})
	}
}

func TestExtractors(t *testing.T) {
	for _, row := range []struct{ name, extractors, want string }{
		{"regex", "[{type: regex, regex: ['v[\\d.]+']}]", "/x v1.2.3,v1.2.4"},
		{"group", "[{type: regex, group: 1, regex: ['<b>v1\\.2\\.(\\d)']}]", "/x 3,4"},
		{"no such group", "[{type: regex, group: 3, regex: ['v[\\d.]+']}]", ""},
		{"name", "[{type: regex, name: version, regex: ['v[\\d.]+']}]", "version /x v1.2.3,v1.2.4"},
		{"kval", "[{type: kval, kval: [server, X-Lower, Session, none]}]", "/x Example/2.4,one two,c1"},
		{"dsl", "[{type: dsl, dsl: ['status_code', 'to_upper(server)', 'none']}]", "/x 403,EXAMPLE/2.4"},
		{"xpath", "[{type: xpath, xpath: ['//b']}]", "/x v1.2.3,v1.2.4"},
		{"attribute", "[{type: xpath, attribute: action, xpath: ['//form']}]", "/x /go"},
		{"json of no json", "[{type: json, json: ['.a']}]", ""},
		{"two with names", "[{type: kval, name: s, kval: [server]}, {type: kval, name: c, kval: [session]}]", "s /x Example/2.4\nc /x c1"},
		{"internal alone", "[{type: kval, name: s, internal: true, kval: [server]}]", ""},
		{"nothing found", "[{type: regex, regex: ['nothing']}]", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := host(t, page)
			if got := told(h, h.run(t, template("http:\n  - path: ['{{BaseURL}}/x']\n    extractors: "+row.extractors))); got != row.want {
				t.Errorf("findings %q, want %q", got, row.want)
			}
		})
	}
}

func TestJSONExtractor(t *testing.T) {
	h := host(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"a":{"v":1.5,"l":[{"n":"x"},{"n":"y"}],"o":{}}}`)
	})
	out := h.run(t, template("http:\n  - path: ['{{BaseURL}}']\n    extractors: [{type: json, json: ['.a.v', '.a.l[].n', '.a.o', '.b', '.a | error']}]"))
	if got := told(h, out); got != "1.5,x,y,{}" {
		t.Errorf("findings %q", got)
	}
}

// Each matcher with a name is a finding of its own, with what was extracted; without names there is one.
func TestFindingsByMatcher(t *testing.T) {
	for _, row := range []struct{ name, rest, want string }{
		{"names", "    matchers:\n      - {type: word, name: a, words: [Sign]}\n      - {type: word, name: b, words: [none]}\n      - {type: status, name: c, status: [403]}\n", "a /x v1.2.3\nc /x v1.2.3"},
		{"and has no names", "    matchers-condition: and\n    matchers:\n      - {type: word, name: a, words: [Sign]}\n      - {type: status, name: c, status: [403]}\n", "/x v1.2.3"},
		{"no match, no finding", "    matchers:\n      - {type: word, name: a, words: [none]}\n", ""},
		{"internal", "    matchers:\n      - {type: word, internal: true, words: [Sign]}\n", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := host(t, page)
			out := h.run(t, template("http:\n  - path: ['{{BaseURL}}/x']\n    extractors: [{type: regex, regex: ['v1.2.3']}]\n"+row.rest))
			if got := told(h, out); got != row.want {
				t.Errorf("findings %q, want %q", got, row.want)
			}
		})
	}
}

// A check that meets a target that cannot be reached ends with the error of the send, and no findings.
func TestRunEndsWithASendError(t *testing.T) {
	h := host(t, page)
	c := mustParse(t, template("http:\n  - path: ['{{BaseURL}}/a', '{{BaseURL}}/b']\n    matchers: [{type: status, status: [403]}]"))
	lost := errors.New("lost")
	second := &failing{Sender: h.client, at: 2, err: lost}
	out, err := c.Run(context.Background(), Job{Target: h.target, Send: second})
	if _, ok := errors.AsType[*SendError](err); !ok || !errors.Is(err, lost) || len(out.Findings) != 0 || out.Sent != 1 {
		t.Errorf("%+v, %v", out, err)
	}
}

// failing fails its at-th request.
type failing struct {
	Sender
	at, n int
	err   error
}

func (f *failing) Do(ctx context.Context, req *requester.Request, turn requester.Turn) (*requester.Response, error) {
	if f.n++; f.n == f.at {
		return nil, f.err
	}
	return f.Sender.Do(ctx, req, turn)
}

// A request that cannot be made, or that goes to another host in vain, says nothing of the target; the others go on.
func TestRunPassesOver(t *testing.T) {
	for _, row := range []struct{ name, path, want string }{
		{"a bad URL", "{{BaseURL}}:9780/", "request 1 of the check: "},
		{"another host", "http://127.0.0.1:1/", "http://127.0.0.1:1/: "},
		{"another scheme", "ftp://{{Hostname}}/", "request 1 of the check: "},
		{"no URL", "/x", "request 1 of the check: expected a URL"},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := host(t, page)
			c := mustParse(t, template("http:\n  - path: ['"+row.path+"', '{{BaseURL}}/b']\n    matchers: [{type: status, status: [403]}]"))
			out, err := c.Run(context.Background(), Job{Target: h.target, Send: h.client})
			if got := told(h, out); err == nil || !strings.HasPrefix(err.Error(), row.want) || got != "/b" {
				t.Errorf("findings %q, %v", got, err)
			}
		})
	}
}

func TestFindingWithItsRequest(t *testing.T) {
	h := host(t, page)
	c := mustParse(t, template("http:\n  - method: POST\n    path: ['{{BaseURL}}/x']\n    headers: {X-A: \"it's\"}\n    body: a=b\n    matchers: [{type: status, status: [403]}]"))
	out, err := c.Run(context.Background(), Job{Target: h.target, Send: h.client, KeepRaw: true})
	if err != nil || len(out.Findings) != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	f := out.Findings[0]
	url := rootURL(&h.target) + "/x"
	if want := "POST /x HTTP/1.1\r\nHost: " + authority(&h.target) + "\r\nX-A: it's\r\n\r\na=b"; f.Request != want {
		t.Errorf("request %q, want %q", f.Request, want)
	}
	if want := `curl -k --path-as-is -X 'POST' -H 'X-A: it'\''s' --data-binary 'a=b' '` + url + "'"; f.Curl != want {
		t.Errorf("curl %s, want %s", f.Curl, want)
	}
	if !strings.HasPrefix(f.Response, "HTTP/1.1 403 Forbidden\r\n") || !strings.Contains(f.Response, "<title>Sign in") || f.IP != "127.0.0.1" || f.Time.IsZero() {
		t.Errorf("finding %+v", f)
	}
}

// silent is for servers whose complaints are the point of a test.
func silent() *log.Logger { return log.New(io.Discard, "", 0) }
