package requester_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

// web answers by host and target: a Location where it has one, and otherwise with 200. It notes what it was asked.
type web struct {
	status int
	moved  map[string]string // "host/target" -> Location

	mu   sync.Mutex
	seen []string
	last http.Header
	body string
}

func (w *web) serve(_ int, c net.Conn) {
	br := bufio.NewReader(c)
	for {
		req, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		body, _ := io.ReadAll(req.Body)
		w.mu.Lock()
		w.seen = append(w.seen, req.Method+" "+req.Host+req.RequestURI)
		w.last, w.body = req.Header, string(body)
		w.mu.Unlock()
		if to, ok := w.moved[req.Host+req.RequestURI]; ok {
			fmt.Fprintf(c, "HTTP/1.1 %d Moved\r\nLocation: %s\r\nContent-Length: 5\r\n\r\n%s", w.status, to, "moved"[:lengthOf(req, 5)])
		} else {
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n%s", "hi"[:lengthOf(req, 2)])
		}
	}
}

// lengthOf is 0 for HEAD, whose answers have no body.
func lengthOf(req *http.Request, n int) int {
	if req.Method == "HEAD" {
		return 0
	}
	return n
}

func TestLocations(t *testing.T) {
	for location, want := range map[string]string{
		"/b":                       "http://host.test/b",
		"b?c=d#e":                  "http://host.test/dir/b?c=d",
		"../b":                     "http://host.test/b",
		"?q":                       "http://host.test/dir/a?q",
		"//OTHER.test/x":           "http://other.test/x",
		"http://other.test:8080":   "http://other.test:8080/",
		"http://other.test:80/a b": "http://other.test/a%20b",
		"":                         "",
		"ftp://other.test/":        "",
		"http://":                  "",
		"http://a:b:c/":            "",
		"mailto:me":                "",
		"http://ho st/":            "",
		"http://other.test:0/":     "",
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &web{status: 302, moved: map[string]string{"host.test/dir/a": location}}
			c, _ := piped(t, requester.Config{}, w.serve)
			req := get("/dir/a")
			req.Redirects = 3
			resp := mustDo(t, c, req)
			hops := min(len(want), 1)
			if resp.FinalURL != want || resp.Hops != hops || (resp.Status == 200) != (hops == 1) {
				t.Errorf("%q: got %q after %d hops with status %d, want %q", location, resp.FinalURL, resp.Hops, resp.Status, want)
			}
			if hops == 0 && string(resp.Body) != "moved" {
				t.Errorf("%q: got body %q, want that of the redirect", location, resp.Body)
			}
		})
	}
}

func TestRedirectMethods(t *testing.T) {
	for _, test := range []struct {
		status       int
		method, next string
		body         bool
	}{
		{301, "POST", "GET", false}, {302, "POST", "GET", false}, {303, "POST", "GET", false},
		{307, "POST", "POST", true}, {308, "POST", "POST", true},
		{303, "PUT", "GET", false}, {302, "PUT", "PUT", true}, {303, "HEAD", "HEAD", true},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &web{status: test.status, moved: map[string]string{"host.test/a": "/b"}}
			c, _ := piped(t, requester.Config{}, w.serve)
			req := get("/a")
			req.Method, req.Redirects = test.method, 1
			req.Body = []byte("payload")
			req.Header = []requester.Field{{"Content-Type", "text/x"}, {"X-Kept", "1"}}
			mustDo(t, c, req)
			want := test.next + " host.test/b"
			if got := w.seen[1]; got != want || (w.body == "payload") != test.body {
				t.Errorf("%d to %s: got %q with body %q, want %q", test.status, test.method, got, w.body, want)
			}
			if (w.last.Get("Content-Type") != "") != test.body || w.last.Get("X-Kept") != "1" {
				t.Errorf("%d to %s: got headers %v", test.status, test.method, w.last)
			}
		})
	}
}

// What was sent byte for byte is followed by plain requests.
func TestRedirectOfExactBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{status: 307, moved: map[string]string{"host.test/dir/a": "b"}}
		c, _ := piped(t, requester.Config{}, w.serve)
		req := get("/dir/a")
		req.Raw, req.Redirects = []byte("POST /dir/a HTTP/1.1\r\nHost: host.test\r\nX-Own: 1\r\nContent-Length: 2\r\n\r\nhi"), 1
		resp := mustDo(t, c, req)
		if got := strings.Join(w.seen, ", "); got != "POST host.test/dir/a, GET host.test/dir/b" || w.last.Get("X-Own") != "" || w.body != "" || resp.Hops != 1 {
			t.Errorf("asked %s, then with %v and %q; %+v", got, w.last, w.body, resp)
		}
	})
}

func TestSecretsStayWithTheirHost(t *testing.T) {
	for location, kept := range map[string]bool{
		"/b": true, "http://host.test/b": true,
		"http://other.test/b": false, "http://sub.host.test/b": false, "http://host.test:8080/b": false,
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &web{status: 307, moved: map[string]string{"host.test/a": location}}
			c, _ := piped(t, requester.Config{Header: []requester.Field{{"X-Api-Key", "k"}, {"Accept-Language", "en"}}}, w.serve)
			req := get("/a")
			req.Redirects, req.User = 1, "me:secret"
			req.Header = []requester.Field{{"Cookie", "a=b"}, {"X-Own", "1"}, {"User-Agent", "me/1"}}
			mustDo(t, c, req)
			for _, name := range []string{"Authorization", "Cookie", "X-Api-Key", "X-Own"} {
				if got := w.last.Get(name) != ""; got != kept {
					t.Errorf("%s: %s sent %v, want %v", location, name, got, kept)
				}
			}
			if w.last.Get("User-Agent") != "me/1" || w.last.Get("Accept-Language") != "en" {
				t.Errorf("%s: got headers %v", location, w.last)
			}
		})
	}
}

func TestSecretsDoNotComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{status: 302, moved: map[string]string{"host.test/a": "http://other.test/b", "other.test/b": "http://host.test/c"}}
		c, _ := piped(t, requester.Config{Header: []requester.Field{{"X-Api-Key", "k"}}}, w.serve)
		req := get("/a")
		req.Redirects = 5
		req.Header = []requester.Field{{"Cookie", "a=b"}}
		resp := mustDo(t, c, req)
		if resp.Hops != 2 || w.last.Get("Cookie") != "" || w.last.Get("X-Api-Key") != "" {
			t.Errorf("got %d hops, headers %v; want 2 and no secrets", resp.Hops, w.last)
		}
	})
}

func TestLoopsAndLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{status: 302, moved: map[string]string{"host.test/a": "/a", "host.test/x": "http://other.test/"}}
		c, _ := piped(t, requester.Config{}, w.serve)
		req := get("/a")
		req.Redirects = 4
		if resp := mustDo(t, c, req); resp.Hops != 4 || resp.Status != 302 || len(w.seen) != 5 {
			t.Errorf("got %d hops, status %d, %d requests; want 4, 302 and 5", resp.Hops, resp.Status, len(w.seen))
		}
		req = get("/x")
		req.Redirects, req.SameHostRedirects = 4, true
		if resp := mustDo(t, c, req); resp.Hops != 0 || resp.Status != 302 {
			t.Errorf("got %d hops, status %d; want to stay on the host", resp.Hops, resp.Status)
		}
	})
}

func TestAnswersOnTheWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{status: 302, moved: map[string]string{"host.test/a": "/b", "host.test/b": "/c"}}
		c, _ := piped(t, requester.Config{}, w.serve)
		req := get("/a")
		req.Redirects = 4
		if resp := mustDo(t, c, req); resp.Before != nil {
			t.Errorf("the answer before is kept, and nobody has asked for it")
		}
		req.WantHops, req.WantBody = true, true
		var way []string
		for resp := mustDo(t, c, req); resp != nil; resp = resp.Before {
			way = append(way, fmt.Sprintf("%s%d %s", resp.FinalURL, resp.Status, resp.Body))
		}
		if got := strings.Join(way, ", "); got != "http://host.test/c200 hi, http://host.test/b302 moved, 302 moved" {
			t.Errorf("the way back is %s", got)
		}
	})
}

// github.com/projectdiscovery/nuclei/issues/2485: a redirect from a living host to a dead one.
func TestRedirectToADeadHost(t *testing.T) {
	hosts := startLab(t, lab.Spec{Kind: lab.Redirecting}, lab.Spec{Kind: lab.Refusing})
	living, dead := hosts[0], hosts[1]
	living.RedirectTo("http://"+dead.Addr+"/", 302)
	b := newBreaker(t, 2)
	c := newClient(t, requester.Config{Breaker: b})
	for n := range 3 {
		req := to(living.Addr, "/")
		req.Redirects = 5
		resp, err := do(t, c, req)
		if err != nil {
			t.Fatal(err)
		}
		if resp.Status != 302 || resp.Hops != 0 {
			t.Errorf("got status %d after %d hops, want the redirect itself", resp.Status, resp.Hops)
		}
		if n < 2 && (hosterrors.Judge(resp.RedirectErr).Blame != hosterrors.BlameHost || resp.RedirectSkipped != "") {
			t.Errorf("send %d: got error %v, skipped %q; want the dead host's error", n+1, resp.RedirectErr, resp.RedirectSkipped)
		}
		if n == 2 && (resp.RedirectErr != nil || resp.RedirectSkipped != dead.Addr) {
			t.Errorf("got error %v, skipped %q; want %s skipped", resp.RedirectErr, resp.RedirectSkipped, dead.Addr)
		}
	}
	if !b.Quarantined(dead.Addr) || b.State(living.Addr) != hosterrors.StateClosed {
		t.Errorf("dead one quarantined %v, living one %v", b.Quarantined(dead.Addr), b.State(living.Addr))
	}
}

func TestHopsTakeSlotsOfTheirOwnHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{status: 302, moved: map[string]string{"host.test/a": "http://other.test/b"}}
		b := newBreaker(t, 1)
		c, _ := piped(t, requester.Config{Breaker: b}, w.serve)
		b.Trip("other.test:80", io.EOF)
		req := get("/a")
		req.Redirects = 5
		resp := mustDo(t, c, req)
		if resp.RedirectSkipped != "other.test:80" || !slices.Equal(w.seen, []string{"GET host.test/a"}) {
			t.Errorf("got skipped %q after %q", resp.RedirectSkipped, strings.Join(w.seen, ", "))
		}
	})
}
