package scan

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/executor"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
)

// found is each finding of a scan, sorted.
func found(b *book) string {
	var all []string
	for _, r := range of[*report.Result](b) {
		for _, m := range r.Matches {
			all = append(all, r.Check+" "+m.MatchedAt+" "+strings.Join(m.Extracted, ","))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// Several checks that ask the same are answered once, and find what they find without that.
func TestChecksShareRequests(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 5}})
	var bodies []string
	for i := range 40 {
		path := []string{"/login", "/admin", "/none"}[i%3]
		bodies = append(bodies, "http:\n  - path: ['{{BaseURL}}"+path+"']\n    matchers: [{type: word, words: ['<title>Sign in', '<title>Administration']}]\n    extractors: [{type: kval, kval: [server]}]\n")
	}
	run := func(alone bool) (*book, Ending) {
		opt := base()
		opt.Checks, opt.NoShared = checks(t, bodies...), alone
		return scanned(t, opt, nil, urls(l)...)
	}
	shared, ending := run(false)
	alone, whole := run(true)
	if ending.Sent != 5*3 || whole.Sent != 5*40 || ending.Done != 5*40 {
		t.Errorf("%d requests with sharing and %d without, want 15 and 200; %+v", ending.Sent, whole.Sent, ending.Summary)
	}
	if a, b := found(shared), found(alone); a != b || ending.Findings != 5*27 {
		t.Errorf("%d findings with sharing\n%s\nand without\n%s", ending.Findings, a, b)
	}
}

// A failure is not shared: each check sends itself until one has an answer.
func TestFailuresAreNotShared(t *testing.T) {
	var n atomic.Int64
	url, asked := trying(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		if n.Add(1) <= 2 {
			hangUp(w)
		}
	})
	opt := base()
	opt.Requester.MaxIdle, opt.Breaker.MaxHostError = -1, 30
	opt.Checks = checks(t, absent, absent, absent, absent)
	_, ending := scanned(t, opt, nil, url)
	if ending.Failed != 2 || ending.Done != 2 || ending.Findings != 2 || asked() != "GET /none, GET /none, GET /none" {
		t.Errorf("asked %s, ending %+v; want two checks to fail and the others to share an answer", asked(), ending.Summary)
	}
}

// What decides whether a host has recovered is sent, also where an answer from before is there.
func TestAProbeTakesNoOldAnswer(t *testing.T) {
	s := &Scan{answers: newAnswers()}
	sent := 0
	for _, probe := range []bool{false, true, false} {
		c := &checkSender{scan: s, probe: probe}
		resp, err := c.DoShared(t.Context(), check.Share{ID: 1, Uses: 3}, nil, func() (*requester.Response, error) {
			sent++
			return &requester.Response{Status: 200}, nil
		})
		if err != nil || resp.Status != 200 {
			t.Fatal(resp, err)
		}
	}
	if sent != 2 {
		t.Errorf("%d requests, want one for the first and the last, and one for the probe", sent)
	}
}

// Answers that nobody fetches do not pile up.
func TestSharedAnswersAreBounded(t *testing.T) {
	a := newAnswers()
	body := make([]byte, 1<<20)
	for i := range int64(10_000) {
		key := sharedKey{target: i, share: 1}
		if resp, lead := a.take(key); resp != nil || !lead {
			t.Fatal("an answer that nobody has sent for")
		}
		if _, lead := a.take(key); lead {
			t.Fatal("two lead")
		}
		resp := &requester.Response{}
		if i%2 == 0 {
			resp.Body = body
		}
		a.put(key, resp, 3)
		if len(a.known) > maxShared || a.bytes > maxSharedBytes || len(a.order) > maxShared {
			t.Fatalf("%d answers with %d bytes, %d in order", len(a.known), a.bytes, len(a.order))
		}
	}
	last := sharedKey{target: 9999, share: 1}
	for left := range 4 {
		if resp, lead := a.take(last); (resp != nil) != (left < 3) || lead != (left == 3) {
			t.Errorf("take %d gives %v, lead %v", left, resp, lead)
		}
	}
	a.put(last, nil, 3)
	if _, lead := a.take(last); !lead {
		t.Error("nobody leads after a failure")
	}
}

// A check that may not be sent again is an error when its host is given up in the middle of it, and does not go round.
func TestACheckThatActedIsNotPutBack(t *testing.T) {
	opt := base()
	opt.Checks = checks(t, absent)
	s, err := New(withTargets(t, opt))
	if err != nil {
		t.Fatal(err)
	}
	defer s.client.Close()
	refused := &requester.NotAdmittedError{Key: "h:80"}
	for _, row := range []struct {
		acted bool
		want  string
	}{{false, "not admitted"}, {true, "check error"}} {
		out := s.judge(t.Context(), execItem(), &checkSendError{err: refused, method: "GET", acted: row.acted})
		if out.Kind.String() != row.want {
			t.Errorf("acted %v: %s, want %s", row.acted, fmt.Sprint(out.Kind), row.want)
		}
	}
}

func withTargets(t *testing.T, opt Options) Options {
	t.Helper()
	opt.Targets = reader(t, "http://h/")
	return opt
}

func execItem() executor.Item[job] { return executor.Item[job]{Attempt: 1, Sends: 1} }
