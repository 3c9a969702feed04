package scan

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/flow"
	"github.com/redialscan/redial/pkg/report"
)

// checks loads templates that are given as what follows their info.
func checks(t *testing.T, bodies ...string) *check.Set {
	t.Helper()
	folder := t.TempDir()
	for i, body := range bodies {
		text := fmt.Sprintf("id: check-%d\ninfo: {name: Check %d, severity: medium, tags: lab}\n%s", i, i, body)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.yaml", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, err := check.Load(context.Background(), check.LoadOptions{Paths: []string{folder}})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

const (
	signIn = "http:\n  - path: ['{{BaseURL}}/login', '{{BaseURL}}/none']\n    matchers: [{type: word, name: page, words: ['<title>Sign in']}]\n    extractors: [{type: kval, kval: [server]}]\n"
	absent = "http:\n  - path: ['{{BaseURL}}/none']\n    matchers: [{type: status, status: [200]}]\n"
	broken = "http:\n  - path: ['{{BaseURL}}/']\n"
)

// Each check on each host is one item, with its findings in one result, also where the scheme has to be found out first.
func TestChecksAreItems(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 2, lab.Refusing: 1}})
	opt := base()
	opt.Checks = checks(t, signIn, absent, broken)
	lines := urls(l)
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "http://")
	}
	b, ending := scanned(t, opt, nil, lines...)
	if ending.Items != 6 || ending.Done != 4 || ending.Findings != 2 || ending.Checks != 2 || ending.Refused != 1 || ending.Worst != 3 {
		t.Errorf("ending %+v", ending)
	}
	places := of[*report.Check](b)
	if len(places) != 2 || places[0].ID != "check-0" || places[0].Severity != "medium" || places[1].Index != 1 {
		t.Errorf("places %+v", places)
	}
	for _, r := range of[*report.Result](b) {
		switch {
		case r.Failed:
		case r.Check == "check-1" && !r.Matched && r.StatusCode == 404:
		case r.Check == "check-0" && r.Findings() == 1 && r.Info.Name == "Check 0" && r.Protocol == "http" && strings.HasSuffix(r.Template, "0.yaml"):
			m := r.Matches[0]
			if m.MatchedAt != "http://"+strings.TrimSuffix(r.Input, "/")+"/login" || m.MatcherName != "page" || strings.Join(m.Extracted, " ") != "redial-lab" || m.Request != "" {
				t.Errorf("match %+v", m)
			}
		default:
			t.Errorf("result %+v", r)
		}
	}
}

// trying is a host that answers by a function and counts what it was asked.
func trying(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, nth int)) (url string, asked func() string) {
	t.Helper()
	var mu sync.Mutex
	var all []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		all = append(all, r.Method+" "+r.URL.Path)
		nth := strings.Count(strings.Join(all, "\n")+"\n", r.URL.Path+"\n")
		mu.Unlock()
		answer(w, r, nth)
	}))
	t.Cleanup(server.Close)
	return server.URL, func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(all, ", ")
	}
}

func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		conn.Close()
	}
}

const twoSteps = "http:\n  - raw: [\"%s /first HTTP/1.1\\n\\n\", \"GET /second HTTP/1.1\\n\\n\"]\n    matchers: [{type: dsl, dsl: ['status_code_1 == 200 && status_code_2 == 200']}]\n"

// A check is repeated as a whole, but not once it has sent what must not be sent twice.
func TestChecksAreRepeatedAsAWhole(t *testing.T) {
	answer := func(w http.ResponseWriter, r *http.Request, nth int) {
		if r.URL.Path == "/second" && nth == 1 {
			hangUp(w)
			return
		}
		io.WriteString(w, "here")
	}
	for _, row := range []struct {
		method, asked string
		done          int64
	}{
		{"GET", "GET /first, GET /second, GET /first, GET /second", 1},
		{"POST", "POST /first, GET /second", 0},
	} {
		t.Run(row.method, func(t *testing.T) {
			url, asked := trying(t, answer)
			opt := base()
			opt.Retries, opt.Requester.MaxIdle = 2, -1 // a connection that was kept would be tried again at once
			opt.Checks = checks(t, fmt.Sprintf(twoSteps, row.method))
			_, ending := scanned(t, opt, nil, url)
			if asked() != row.asked || ending.Done != row.done || ending.Done+ending.Failed != 1 || ending.Findings != row.done {
				t.Errorf("asked %s, ending %+v; want %s and %d done", asked(), ending.Summary, row.asked, row.done)
			}
		})
	}
}

// A host that asks for patience gets it, and then the whole check.
func TestChecksWaitForAHostThatAsks(t *testing.T) {
	url, asked := trying(t, func(w http.ResponseWriter, r *http.Request, nth int) {
		if r.URL.Path == "/second" && nth == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})
	opt := base()
	opt.Checks = checks(t, fmt.Sprintf(twoSteps, "GET"))
	_, ending := scanned(t, opt, nil, url)
	if asked() != "GET /first, GET /second, GET /first, GET /second" || ending.Findings != 1 {
		t.Errorf("asked %s, ending %+v", asked(), ending.Summary)
	}
}

// Under a pace that is slower than a queue may be long, or that refuses, a check waits for its next request where it is: begun
// anew each time it would send its first request for ever, and one that has posted would fail.
func TestChecksWaitForTheirPaceWhereTheyAre(t *testing.T) {
	for _, method := range []string{"GET", "POST"} {
		for _, rule := range []flow.Rule{{Rate: 2, MaxQueueWait: 50 * time.Millisecond}, {Rate: 1, Mode: flow.Reject}} {
			url, asked := trying(t, func(http.ResponseWriter, *http.Request, int) {})
			opt := base()
			opt.Requester.Host = rule
			opt.Checks = checks(t, fmt.Sprintf(twoSteps, method))
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			ending, err := scanInto(ctx, t, &book{}, opt, nil, url)
			if err != nil || asked() != method+" /first, GET /second" || ending.Done != 1 || ending.Findings != 1 {
				t.Errorf("%s, %+v: asked %s, ending %+v, error %v", method, rule, asked(), ending.Summary, err)
			}
		}
	}
}

// What makes no sense on a target is passed over: its item is done, no sign of life of the host, and nothing that is missing.
func TestWhatMakesNoSenseIsPassedOver(t *testing.T) {
	url, asked := trying(t, func(http.ResponseWriter, *http.Request, int) {})
	at := func(base string) string { return strings.ReplaceAll(absent, "{{BaseURL}}/none", base) }
	opt := base()
	opt.Retries = 2
	opt.Checks = checks(t, at("{{BaseURL}}:9780/none"), at("https://{{Hostname}}/none"), at("http://127.0.0.1:1/none"), at("{{BaseURL}}/"))
	b, ending := scanned(t, opt, nil, strings.TrimPrefix(url, "http://"))
	if asked() != "GET /, GET /" || ending.Done != 4 || ending.Failed != 0 || ending.QuarantinedHosts != 0 || ending.Incomplete || ending.Silent {
		t.Errorf("asked %s, ending %+v", asked(), ending)
	}
	for i, want := range []string{"request 1 of the check", "https://", "http://127.0.0.1:1/none", ""} {
		for _, r := range of[*report.Result](b) {
			if r.Index == i && (!strings.Contains(r.PassedOver, want) || want == "" && r.PassedOver != "" || r.Failed || r.Attempts != 1) {
				t.Errorf("result %+v, want one that is passed over by %q", r, want)
			}
		}
	}
}

// A port that speaks http may hang up on a handshake: that is no failure of the check, whose other requests go on.
func TestAHandshakeWithPlainHTTPIsPassedOver(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			if req, err := http.ReadRequest(bufio.NewReader(c)); err == nil && req.Method == "GET" {
				io.WriteString(c, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
			}
			c.Close()
		}
	}()
	defer func() { listener.Close(); <-served }()
	opt := base()
	opt.Retries = 0
	shake := "ssl:\n  - address: '{{Host}}:{{Port}}'\n    matchers: [{type: dsl, dsl: ['probe_status']}]\n"
	opt.Checks = checks(t, shake, shake+absent, absent)
	b, ending := scanned(t, opt, nil, "http://"+listener.Addr().String())
	if ending.Done != 3 || ending.Findings != 0 || ending.Incomplete {
		t.Errorf("ending %+v", ending)
	}
	for _, r := range of[*report.Result](b) {
		if (r.PassedOver != "") != (r.Check == "check-0") || (r.StatusCode == 404) == (r.Check == "check-0") {
			t.Errorf("result %+v", r)
		}
	}
}

// Where nothing answered, what was passed over does not make the scan complete.
func TestPassedOverIsNoAnswer(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Refusing: 1}})
	opt := base()
	opt.Checks = checks(t, strings.ReplaceAll(absent, "{{BaseURL}}/none", "{{BaseURL}}:9780/none"), absent)
	_, ending := scanned(t, opt, nil, urls(l)...)
	if ending.Done != 1 || ending.Done+ending.Failed+ending.Skipped != 2 || !ending.Silent || !ending.Incomplete {
		t.Errorf("ending %+v", ending)
	}
	opt.Checks = checks(t, strings.ReplaceAll(absent, "{{BaseURL}}/none", "{{BaseURL}}:9780/none"))
	if _, ending := scanned(t, opt, nil, urls(l)...); ending.Done != 1 || ending.Silent || ending.Incomplete {
		t.Errorf("nothing to ask: ending %+v", ending)
	}
}

// A certificate says nothing of the scheme, so a host without one is asked for that first.
func TestHandshakesDoNotSettleTheScheme(t *testing.T) {
	url, asked := trying(t, func(http.ResponseWriter, *http.Request, int) {})
	opt := base()
	opt.Checks = checks(t, "ssl:\n  - address: '{{Host}}:{{Port}}'\n    matchers: [{type: dsl, dsl: ['probe_status']}]\n", absent)
	_, ending := scanned(t, opt, nil, strings.TrimPrefix(url, "http://"))
	if ending.Done != 2 || ending.Findings != 1 || asked() != "GET /, GET /none" {
		t.Errorf("asked %s, ending %+v; want the page of http, and no finding of a handshake", asked(), ending.Summary)
	}
}

// A self-contained check runs once, whatever the targets are, with its own host's breaker, and needs none of them.
func TestSelfContainedChecks(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 3}})
	own, asked := trying(t, func(w http.ResponseWriter, _ *http.Request, _ int) { io.WriteString(w, "here") })
	dead := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Refusing: 1}})
	alone := func(base string) string {
		return "self-contained: true\nhttp:\n  - path: ['" + base + "/own']\n    matchers: [{type: status, status: [200]}]\n"
	}
	bodies := []string{absent, alone(own), signIn, alone(strings.TrimSuffix(urls(dead)[0], "/"))}
	opt := base()
	opt.Breaker.MaxHostError = 1
	opt.Checks = checks(t, bodies...)
	b, ending := scanned(t, opt, nil, urls(l)...)
	if asked() != "GET /own" || ending.Items != 8 || ending.Done != 7 || ending.Findings != 4 || ending.Hosts != 5 || ending.Incomplete {
		t.Errorf("asked %s; ending %+v", asked(), ending)
	}
	for _, r := range of[*report.Result](b) {
		if r.Check == "check-1" && (r.Target != 0 || r.Input != own || !r.Matched || r.Matches[0].MatchedAt != own+"/own") {
			t.Errorf("result %+v", r)
		}
	}
	if len(ending.Quarantined) != 1 || ending.Quarantined[0].Host != strings.TrimPrefix(strings.TrimSuffix(urls(dead)[0], "/"), "http://") {
		t.Errorf("quarantined %+v", ending.Quarantined)
	}
	opt.Checks = checks(t, alone(own))
	if _, ending := scanned(t, opt, nil); ending.Items != 1 || ending.Done != 1 || ending.Findings != 1 {
		t.Errorf("without targets: ending %+v", ending)
	}
	if _, ending := scanned(t, opt, nil, urls(l)...); ending.Items != 1 || ending.Done != 1 {
		t.Errorf("alone with targets: ending %+v", ending)
	}
}
