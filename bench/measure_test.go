package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redialscan/redial/internal/lab"
)

const summaryText = `[INF] paths are read from the file paths
Scan finished after 6.1s
  hosts     4
  items     20 = 15 done + 2 failed + 3 skipped
  sent      24
`

func TestSummary(t *testing.T) {
	got, err := parseSummary(summaryText)
	if want := (items{20, 15, 2, 3}); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	for _, text := range []string{"", "redial: no targets: the list is empty\n", "  items     99999999999999999999 = 1 done + 0 failed + 0 skipped"} {
		if _, err := parseSummary(text); err == nil {
			t.Errorf("%q: got no error", text)
		}
	}
}

func TestStats(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	text := `[
		{"host":"a","kind":"healthy","requests":5,"connections":2,"first":"2026-01-02T03:04:06Z","last":"2026-01-02T03:04:08Z"},
		{"host":"b","kind":"flaky","requests":3,"connections":1,"first":"2026-01-02T03:04:05Z","last":"2026-01-02T03:04:07Z"},
		{"host":"c","kind":"healthy","requests":9,"connections":1,"first":"2026-01-02T03:04:07Z","last":"2026-01-02T03:04:07Z"},
		{"host":"d","kind":"silent","requests":3,"connections":3,"first":"2026-01-02T03:04:06Z","last":"2026-01-02T03:04:59Z"},
		{"host":"e","kind":"refusing","requests":0,"connections":0}]`
	got, err := readStats([]byte(text), 5)
	want := arrivals{Requests: 20, Connections: 7, First: at, Last: at.Add(3 * time.Second), Unasked: 2}
	if err != nil || got != want {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	if _, err := readStats([]byte("{"), 5); err == nil {
		t.Error("got no error for half an object")
	}
}

func TestAccount(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	came := arrivals{Requests: 19, Connections: 4, First: began.Add(20 * time.Millisecond), Last: began.Add(time.Second), Unasked: 1}
	lists := workload{server: labServer, hosts: []hosts{{lab.Healthy, 4}}, targets: 4, checks: 5}
	refused := workload{server: noServer, targets: 21, checks: 1}
	for _, c := range []struct {
		name string
		w    workload
		tool string
		said string
		want measure
	}{
		{"a peer", lists, "ffuf", "", measure{requests: 19, conns: 4, lost: 1, first: 20 * time.Millisecond, last: time.Second}},
		{"wrk knows no items", lists, "wrk", "", measure{requests: 19, conns: 4, lost: unknown, first: 20 * time.Millisecond, last: time.Second}},
		{"redial says itself", lists, "redial", summaryText, measure{requests: 19, conns: 4, lost: 5, first: 20 * time.Millisecond, last: time.Second}},
		{"refused are accounted for", refused, "redial", summaryText, measure{requests: 21, conns: unknown, lost: 1, first: unknown, last: unknown}},
		{"refused, a peer", refused, "httpx", "", measure{requests: 21, conns: unknown, lost: unknown, first: unknown, last: unknown}},
		{"no summary", refused, "redial", "", measure{requests: 21, conns: unknown, lost: unknown, first: unknown, last: unknown,
			failed: `expected a summary from redial, got ""`}},
	} {
		m := measure{began: began}
		arrived := came
		if c.w.server == noServer {
			arrived = arrivals{}
		}
		m.account(c.w, tool{name: c.tool, tells: c.tool == "redial"}, arrived, output{stderr: c.said})
		c.want.began = began
		if m != c.want {
			t.Errorf("%s: got  %+v\nwant %+v", c.name, m, c.want)
		}
	}
}

func TestReadEnd(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	for _, c := range []struct {
		text string
		want int
	}{{"", 0}, {"one\ntwo\n", 8}, {strings.Repeat("x", endOfOutput+5) + "\nend\n", endOfOutput}} {
		if err := os.WriteFile(name, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readEnd(name)
		if err != nil || len(got) != c.want || !strings.HasSuffix(c.text, got) {
			t.Errorf("got %d bytes, %v, want the last %d", len(got), err, c.want)
		}
	}
	if got := lastLine("a\nb\n\n"); got != "b" {
		t.Errorf("got the last line %q, want b", got)
	}
}

func TestDeadPort(t *testing.T) {
	port, err := deadPort(0)
	if err != nil || port < firstDeadPort || port > lastDeadPort {
		t.Fatalf("got %d, %v", port, err)
	}
	if _, err := deadPort(lastDeadPort + 1); err == nil {
		t.Error("got a port above the last one")
	}
}
