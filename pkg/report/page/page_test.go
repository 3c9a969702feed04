package page

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/net/html"

	"github.com/redialscan/redial/pkg/report"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time { return noon.Add(time.Duration(seconds * float64(time.Second))) }

// rendered is the page of some events.
func rendered(t *testing.T, events ...report.Event) string {
	t.Helper()
	p := New()
	for _, e := range events {
		p.Add(e)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// elements walks over all elements of a page.
func elements(t *testing.T, page string) []*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var all []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			all = append(all, n)
		}
	}
	return all
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// hostile is what a host may answer to get something of its own to run in the page.
var hostile = []string{
	"<script>alert(1)</script>", "javascript:alert(1)", "</td></table></section><img src=x onerror=alert(1)>", `" onmouseover="alert(1)`,
	"' onfocus='alert(1)", "</style><style>*{background:url(//evil)}", "</script><script>alert(1)</script>", "</title><base href=//evil>",
	"<svg onload=alert(1)>", "{{.Script}}", "<!--", "-->", "]]>", "&lt;script&gt;", "\x00<script>", "<iframe srcdoc=x>", "<a href=javascript:alert(1)>",
	"<meta http-equiv=refresh content=0;url=//evil>", "data:text/html,<script>alert(1)</script>", "\u202e<b>", "<form action=//evil><input>",
}

// hostileEvents have that text wherever a host, a list or a check has a say.
func hostileEvents() []report.Event {
	events := []report.Event{&report.Started{
		Time: noon, Version: hostile[0], Options: map[string]string{hostile[0]: hostile[2], "cooldown": hostile[3]},
		Inputs: []report.Input{{Name: hostile[0]}},
	}}
	for i, h := range hostile {
		events = append(events,
			&report.Check{Index: i, ID: h, Name: h, Severity: h, Method: h, Path: h, Description: h, Tags: []string{h}},
			&report.Result{
				Target: int64(i), Index: i, Matched: true, Timestamp: at(1), URL: h, Input: h, Location: h, Title: h, Scheme: h, WebServer: h,
				Host: h, Port: h, Path: h, FinalURL: h, Method: h, Check: h, Time: 1e6, Attempts: 1, Info: &report.Info{Name: h, Severity: h},
				Matches: []report.Match{{MatchedAt: h, MatcherName: h, Extracted: []string{h}}, {MatchedAt: "http://" + h}},
			},
			&report.Result{Target: int64(i), Index: i, Failed: true, Timestamp: at(2), URL: h, Error: h, Attempts: 1},
			&report.Skipped{Time: at(3), Host: h, URL: h, Reason: h, LastError: h, To: 3},
			&report.Transition{At: at(1), Host: h, Seq: 1, From: closed, To: open, Error: h},
			&report.Transition{At: at(2), Host: h, Seq: 2, From: open, To: h, Error: h},
		)
	}
	return append(events, &report.Summary{Time: at(10), Duration: 10e9, Interrupted: hostile[0], Items: 9, SkippedBy: map[string]int64{hostile[0]: 1}})
}

func TestNothingOfAHostRunsInThePage(t *testing.T) {
	page := rendered(t, hostileEvents()...)
	known := strings.Fields("html head meta title style body a header h1 h2 h3 p nav main dl div dt dd section span label input output table thead " +
		"tbody tr th td details summary svg rect path small code ul li figure figcaption script caption")
	scripts := 0
	for _, n := range elements(t, page) {
		if !slices.Contains(known, n.Data) {
			t.Errorf("the page has an element %s", n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" || a.Key == "action" || a.Key == "srcdoc":
				t.Errorf("%s has the attribute %s=%q", n.Data, a.Key, a.Val)
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "http://") && !strings.HasPrefix(a.Val, "https://"):
				t.Errorf("%s leads to %q", n.Data, a.Val)
			case a.Key == "http-equiv" && a.Val != "Content-Security-Policy":
				t.Errorf("the page has a meta element for %s", a.Val)
			}
		}
		switch n.Data {
		case "script":
			scripts++
			if text(n) != scriptText {
				t.Errorf("the script is %q", text(n))
			}
		case "style":
			if text(n) != styleText {
				t.Errorf("the style sheet is %q", text(n))
			}
		}
	}
	if scripts != 1 {
		t.Errorf("%d scripts, want the one of the page", scripts)
	}
	if i := strings.IndexFunc(page, func(r rune) bool { return r == 0 || r == 0x1b || r == 0x202e }); i >= 0 {
		t.Errorf("a control character stands in %q", page[max(0, i-40):i])
	}
}

func TestPolicyAllowsThePageAndNothingElse(t *testing.T) {
	for _, n := range elements(t, rendered(t)) {
		if n.Data != "meta" || attribute(n, "http-equiv") == "" {
			continue
		}
		want := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src '" + digest(styleText) + "'; script-src '" + digest(scriptText) + "'"
		if got := attribute(n, "content"); got != want {
			t.Errorf("the policy is %q, want %q", got, want)
		}
		return
	}
	t.Error("the page has no policy")
}

// row is the first row of a table with a text in it.
func row(t *testing.T, page, with string) string {
	t.Helper()
	for _, n := range elements(t, page) {
		if n.Data == "tr" && strings.Contains(text(n), with) {
			return text(n)
		}
	}
	t.Fatalf("no row with %q", with)
	return ""
}

func TestPageOfAScan(t *testing.T) {
	events := []report.Event{
		&report.Started{Time: noon, Version: "1.2.3", Options: map[string]string{"cooldown": "30s"}, Inputs: []report.Input{{Name: "targets.txt"}}},
		&report.Check{Index: 0, ID: "probe", Name: "Probe", Severity: "info", Method: "GET", Path: "/a"},
		&report.Check{Index: 1, ID: "probe", Name: "Probe", Severity: "info", Method: "GET", Path: "/b"},
		&report.Result{Index: 0, Matched: true, Timestamp: at(1), URL: "http://h1:80/a", Host: "h1", Port: "80", Check: "probe", Title: "Home", StatusCode: 200, Attempts: 1, Time: 5e6},
		&report.Result{Index: 1, Timestamp: at(2), URL: "http://h1:80/b", Host: "h1", Port: "80", Check: "probe", Attempts: 2, Failed: true, Error: "reset"},
		&report.Transition{At: at(1), Host: "h2:80", Seq: 1, From: closed, To: open, Errors: 3, Cooldown: 30e9, Error: "refused"},
		&report.Transition{At: at(31), Host: "h2:80", Seq: 2, From: open, To: halfOpen},
		&report.Transition{At: at(32), Host: "h2:80", Seq: 3, From: halfOpen, To: dead, Trips: 1, Error: "refused again"},
		&report.Skipped{Time: at(40), Host: "h2:80", Target: 1, Reason: "dead", To: 2},
		&report.Summary{Time: at(40), Duration: 40e9, Hosts: 2, Items: 4, Sent: 5, Findings: 1, Done: 1, Failed: 1, Skipped: 2,
			SkippedBy: map[string]int64{"dead": 2}, QuarantinedHosts: 1},
	}
	page := rendered(t, events...)
	for with, want := range map[string]string{
		"http://h1:80/a": "infoProbehttp://h1:80/a200Home",
		"GET /b":         "ProbeGET /b0110",
		"h2:80":          "h2:80refused againdead139.0s02",
		"reset":          "reset1",
	} {
		if got := strings.TrimSpace(row(t, page, with)); got != want {
			t.Errorf("the row with %q reads %q, want %q", with, got, want)
		}
	}
	for _, n := range elements(t, page) {
		if n.Data == "svg" && attribute(n, "viewbox") == "0 0 1000 24" {
			if got, want := attribute(n, "aria-label"), "1.0s: quarantined; 31.0s: called; 32.0s: given up"; got != want {
				t.Errorf("the timeline says %q, want %q", got, want)
			}
		}
	}
	if !strings.Contains(page, "<code>targets.txt</code>") || !strings.Contains(page, "2026-03-01 12:00:00 UTC, 40.0s, redial 1.2.3") {
		t.Error("the page does not say which scan it is of")
	}
}

func TestAnEmptyPageIsWhole(t *testing.T) {
	for name, events := range map[string][]report.Event{
		"no event": nil, "a begin": {&report.Started{Time: noon}}, "nothing": {&report.Started{Time: noon}, &report.Summary{Time: noon}},
	} {
		page := rendered(t, events...)
		if !strings.Contains(page, "<p>None.</p>") || !strings.Contains(page, "No item ended") || !strings.HasSuffix(page, "</html>\n") && !strings.Contains(page, "</html>") {
			t.Errorf("%s: the page is not that of an empty scan", name)
		}
		if strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
			t.Errorf("%s: a number is none", name)
		}
	}
}

func TestThousandsAreFoldedTheWorstFirst(t *testing.T) {
	var events []report.Event
	for i := range shownHosts + 20 {
		host := fmt.Sprintf("h%d:80", i)
		events = append(events, &report.Transition{At: at(1), Host: host, Seq: 1, From: closed, To: open})
		if i == 3000 {
			events = append(events, &report.Transition{At: at(2), Host: host, Seq: 2, From: open, To: dead})
		}
	}
	for i := range maxFindings + 7 {
		severity := "low"
		if i == 1500 {
			severity = "critical"
		}
		events = append(events, &report.Result{Matched: true, Timestamp: at(1), URL: fmt.Sprint("http://h/", i), Check: "c", Info: &report.Info{Severity: severity}})
	}
	page := rendered(t, events...)
	rows, folded, first := map[string]int{}, map[string]int{}, map[string]string{}
	for _, n := range elements(t, page) {
		name := attribute(n, "data-rows")
		if name == "" {
			continue
		}
		inside := false
		for p := n.Parent; p != nil; p = p.Parent {
			inside = inside || p.Data == "details"
		}
		count := -1 // the heads
		for d := range n.Descendants() {
			if d.Data == "tr" {
				count++
			}
		}
		if inside {
			folded[name] = count
		} else {
			rows[name] = count
			first[name] = row(t, page, map[string]string{"hosts": "h3000:80", "findings": "http://h/1500"}[name])
			if !strings.Contains(text(n), first[name]) {
				t.Errorf("the worst of the %s is folded away", name)
			}
		}
	}
	if rows["hosts"] != openHosts || folded["hosts"] != shownHosts-openHosts ||
		rows["findings"] != openFindings || folded["findings"] != maxFindings-openFindings {
		t.Errorf("open %v, folded %v", rows, folded)
	}
	for _, want := range []string{"20 more hosts are not on this page", "7 less severe findings are not on this page"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
