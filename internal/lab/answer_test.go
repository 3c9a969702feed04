package lab

import (
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestHealthySite(t *testing.T) {
	h := one(t, Spec{Kind: Healthy})
	client := newClient(t)
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/":              {200, "<title>Lab host " + h.Addr + " (healthy)</title>"},
		"/?q=1":          {200, "<title>Lab host "},
		"/admin":         {200, "<title>Administration</title>"},
		"/login?next=/x": {200, "<title>Sign in</title>"},
		"/robots.txt":    {200, "Disallow: /admin"},
		"/status":        {200, `"status":"up"`},
		"/old":           {301, "<title>Moved</title>"},
		"/nothing":       {404, "<title>Not found</title>"},
		"/admin/":        {404, "<title>Not found</title>"},
	} {
		status, head, body := get(t, client, h, path)
		if status != want.status || !strings.Contains(body, want.text) {
			t.Errorf("%s: status %d with %q, want %d with %q", path, status, body, want.status, want.text)
		}
		if got := head.Get("Server"); got != "redial-lab" {
			t.Errorf("%s: server %q", path, got)
		}
		if h.Paths()[path] != 1 {
			t.Errorf("%s counted %d times, want 1", path, h.Paths()[path])
		}
	}
	if s := h.Stats(); s.Connections != 1 || s.MaxInFlight != 1 {
		t.Errorf("%d connections, %d in flight at most; want one kept-alive connection", s.Connections, s.MaxInFlight)
	}
	resp, err := client.Post(h.URL()+"login", "text/plain", strings.NewReader(strings.Repeat("x", 100_000)))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	resp, err = client.Head(h.URL() + "admin")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.ContentLength != int64(len(h.server.site.admin.body)) {
		t.Errorf("HEAD says %d bytes, want %d", resp.ContentLength, len(h.server.site.admin.body))
	}
}

// TestHowConnectionsEnd sends one request to each kind that answers with no
// whole response, and wants the bytes and the end that the kind promises.
func TestHowConnectionsEnd(t *testing.T) {
	for kind, want := range map[Kind]struct {
		bytes string // the answer holds it; "" is none at all
		err   error  // nil is an end of file
	}{
		Resetting:     {"", syscall.ECONNRESET},
		ResetOnAccept: {"", syscall.ECONNRESET},
		Mute:          {"", nil},
		Garbage:       {"nobody speaks this", nil},
		CutBody:       {"<title>Adm", nil},
	} {
		t.Run(string(kind), func(t *testing.T) {
			h := one(t, Spec{Kind: kind})
			got, err := ask(h.Addr, "GET /admin HTTP/1.1\r\nHost: x\r\n\r\n")
			if !errors.Is(err, want.err) {
				t.Errorf("the connection ended with %v, want %v", err, want.err)
			}
			if !strings.Contains(string(got), want.bytes) || want.bytes == "" && len(got) > 0 {
				t.Errorf("got %q, want something with %q", got, want.bytes)
			}
			if n := h.Requests(); kind != ResetOnAccept && n != 1 || kind == ResetOnAccept && n != 0 {
				t.Errorf("%d requests counted", n)
			}
		})
	}
}

// ask sends bytes on a connection of their own and reads to its end. The error
// is the first one; a host that resets early may do so at any step.
func ask(addr, text string) ([]byte, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if _, err := io.WriteString(c, text); errors.Is(err, syscall.EPIPE) {
		return nil, syscall.ECONNRESET // which an earlier step has swallowed
	} else if err != nil {
		return nil, err
	}
	return io.ReadAll(c)
}

func TestSilentCountsAndNeverAnswers(t *testing.T) {
	h := one(t, Spec{Kind: Silent})
	c := dial(t, h.Addr)
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	awaitRequests(t, h, 2)
	if s := h.Stats(); s.MaxInFlight != 2 || s.MaxOpen != 1 {
		t.Errorf("%d in flight, %d open, want 2 and 1", s.MaxInFlight, s.MaxOpen)
	}
	if err := h.Down(); err != nil {
		t.Fatal(err)
	}
	if got, _ := io.ReadAll(c); len(got) > 0 {
		t.Errorf("a silent host said %q", got)
	}
}

func TestCutAndStalledBodies(t *testing.T) {
	resp, err := newClient(t).Get(one(t, Spec{Kind: CutBody}).URL())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(body) == 0 || int64(len(body)) >= resp.ContentLength {
		t.Errorf("%d of %d bytes and %v, want some and an unexpected end", len(body), resp.ContentLength, err)
	}

	h := one(t, Spec{Kind: StalledBody})
	resp, err = newClient(t).Get(h.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	half := resp.ContentLength - resp.ContentLength/2
	if _, err := io.ReadFull(resp.Body, make([]byte, half)); err != nil {
		t.Errorf("the first half of the body: %v", err)
	}
	if s := h.Stats(); s.Requests != 1 || s.InFlight != 0 {
		t.Errorf("%d requests, %d in flight; want 1, and 0 as its head has been sent", s.Requests, s.InFlight)
	}
}

func TestLyingLengthSpoilsTheConnection(t *testing.T) {
	h := one(t, Spec{Kind: LyingLength})
	c := dial(t, h.Addr)
	if _, err := io.WriteString(c, "GET /status HTTP/1.1\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	p := h.server.site.status
	want := string(p.head) + "\r\n" + string(p.body) + "and these bytes come after the end\r\n"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != want {
		t.Errorf("got %q (%v), want %q", got, err, want)
	}
}

func TestEndlessBodyAndGzipBomb(t *testing.T) {
	resp, err := newClient(t).Get(one(t, Spec{Kind: EndlessBody}).URL())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.CopyN(io.Discard, resp.Body, 8<<20); err != nil {
		t.Errorf("%d bytes of a body without end: %v", n, err)
	}
	resp.Body.Close()

	client := newClient(t)
	client.Transport.(*http.Transport).DisableCompression = false
	resp, err = client.Get(one(t, Spec{Kind: GzipBomb}).URL())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if n, err := io.Copy(io.Discard, resp.Body); n != bombSize || err != nil {
		t.Errorf("the bomb unpacks to %d bytes (%v), want %d", n, err, bombSize)
	}
}

func TestThrottlingAnswers429AboveItsRate(t *testing.T) {
	l := startLab(t, Config{Hosts: []Spec{
		{Kind: Throttling, Rate: 0.001, RetryAfter: "7"},
		{Kind: Throttling, Rate: 0.001},
		{Kind: Throttling, Rate: 5.5},
	}})
	client := newClient(t)
	for i, retryAfter := range []string{"7", ""} {
		h := l.Hosts()[i]
		if status, _, _ := get(t, client, h, "/"); status != 200 {
			t.Errorf("first request: status %d, want 200", status)
		}
		for range 3 {
			status, head, _ := get(t, client, h, "/")
			if status != 429 || head.Get("Retry-After") != retryAfter {
				t.Errorf("status %d, Retry-After %q; want 429, %q", status, head.Get("Retry-After"), retryAfter)
			}
		}
	}
	for i := range 5 { // its burst is what one second holds
		if status, _, _ := get(t, client, l.Hosts()[2], "/"); status != 200 {
			t.Errorf("request %d: status %d, want 200", i+1, status)
		}
	}
}

func TestUnavailableInBursts(t *testing.T) {
	h := one(t, Spec{Kind: Unavailable, Good: 2, Bad: 3, RetryAfter: "1"})
	client := newClient(t)
	var got []int
	for range 10 {
		status, head, _ := get(t, client, h, "/")
		got = append(got, status)
		if has := head.Get("Retry-After") == "1"; has != (status == 503) {
			t.Errorf("status %d with Retry-After %q", status, head.Get("Retry-After"))
		}
	}
	if want := []int{200, 200, 503, 503, 503, 200, 200, 503, 503, 503}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if s := h.Stats(); s.Refused != 6 || s.Requests != 10 {
		t.Errorf("%d of %d counted as refused, want 6 of 10", s.Refused, s.Requests)
	}
}

func TestOneInFiveEachOnItsOwnConnection(t *testing.T) {
	h := one(t, Spec{Kind: OneInFive})
	var answered []bool
	for range 11 {
		c := dial(t, h.Addr)
		if _, err := io.WriteString(c, "GET / HTTP/1.1\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(c)
		if err != nil && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("ended with %v, want a reset", err)
		}
		answered = append(answered, strings.HasPrefix(string(got), "HTTP/1.1 200"))
	}
	want := []bool{true, false, false, false, false, true, false, false, false, false, true}
	if !slices.Equal(answered, want) {
		t.Errorf("answered %v, want %v", answered, want)
	}
}

func TestFirewallResetsItsMarkerOnly(t *testing.T) {
	h := one(t, Spec{Kind: Firewall})
	client := newClient(t)
	for _, path := range []string{"/", "/admin", "/nothing"} {
		get(t, client, h, path)
	}
	for range 3 {
		got, err := ask(h.Addr, "GET /poison?x=1 HTTP/1.1\r\n\r\n")
		if !errors.Is(err, syscall.ECONNRESET) || len(got) > 0 {
			t.Errorf("poison: %q, %v; want a reset", got, err)
		}
	}
	get(t, client, h, "/")
	if paths := h.Paths(); paths["/poison?x=1"] != 3 || paths["/"] != 2 {
		t.Errorf("counted %v, want 3 poisoned and 2 of /", paths)
	}
}

func TestRedirects(t *testing.T) {
	l := startLab(t, Config{Counts: map[Kind]int{Healthy: 2, Refusing: 1}, Hosts: []Spec{
		{Kind: Redirecting}, {Kind: Redirecting, Location: "https://elsewhere.example/x", Code: 307},
	}})
	client := newClient(t)
	want := func(h Host, path string, status int, location string) {
		t.Helper()
		got, head, _ := get(t, client, h, path)
		if got != status || head.Get("Location") != location {
			t.Errorf("status %d to %q, want %d to %q", got, head.Get("Location"), status, location)
		}
	}
	hosts := l.Of(Redirecting)
	want(hosts[0], "/a?b=c", 302, l.Of(Healthy)[0].URL()+"a?b=c")
	want(hosts[1], "/a", 307, "https://elsewhere.example/x")
	dead := l.Of(Refusing)[0]
	hosts[0].RedirectTo(dead.URL(), 301)
	want(hosts[0], "/a", 301, dead.URL())
	want(one(t, Spec{Kind: Redirecting}), "/loop", 302, "/loop")
}

func TestSlowAnswersInTheEnd(t *testing.T) {
	h := one(t, Spec{Kind: Slow, Delay: 1})
	if status, _, _ := get(t, newClient(t), h, "/"); status != 200 {
		t.Errorf("status %d, want 200", status)
	}
	h = one(t, Spec{Kind: Slow})
	c, err := net.Dial("tcp", h.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	awaitRequests(t, h, 1)
	if s := h.Stats(); s.InFlight != 1 {
		t.Errorf("%d in flight, want 1", s.InFlight)
	}
}
