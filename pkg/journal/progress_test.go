package journal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/redialscan/redial/pkg/report"
)

// What is left is what was not marked, in whatever order it was.
func TestLeftIsWhatIsNotFinished(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.IntRange(1, 200).Draw(t, "items")
		var s items
		want := make([]bool, all)
		for range rapid.IntRange(0, 300).Draw(t, "marks") {
			i := rapid.IntRange(0, all-1).Draw(t, "item")
			if s.add(i) == want[i] {
				t.Fatalf("item %d was marked before: %v", i, want[i])
			}
			want[i] = true
		}
		from, again := s.left(all)
		got := make([]bool, all)
		for i := range from {
			got[i] = !slices.Contains(again, i)
		}
		if !slices.Equal(got, want) || !slices.IsSorted(again) {
			t.Fatalf("left from %d and %v, finished are %v", from, again, want)
		}
	})
}

func TestBitsOfTargets(t *testing.T) {
	var whole targets
	for _, i := range []int64{0, 63, 64, 1000} {
		whole.add(i)
	}
	for i := range int64(1100) {
		if whole.has(i) != slices.Contains([]int64{0, 63, 64, 1000}, i) {
			t.Errorf("target %d is marked: %v", i, whole.has(i))
		}
	}
}

func at(seconds int) time.Time { return time.Date(2026, 3, 1, 12, 0, seconds, 0, time.UTC) }

// written is an events file, with some bytes at its end.
func written(t *testing.T, tail string, events ...report.Event) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "scan.events")
	var files report.Files
	out, err := files.Open(name, "events file")
	if err != nil {
		t.Fatal(err)
	}
	h := report.NewEventsFile(out)
	for _, e := range events {
		if err := h.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Finish(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append(text, tail...), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// story is a scan of four targets with three items each that was interrupted.
func story() []report.Event {
	return []report.Event{
		&report.Started{Time: at(0), Format: 1, Version: "1.2.3", Options: map[string]string{"ports": "80", "cooldown": "30s"},
			Inputs: []report.Input{{Kind: "list", Name: "list.txt", Digest: "sha256:1", Size: 5}}},
		&report.Check{Index: 0, ID: "probe", Method: "GET", Path: "/a"}, &report.Check{Index: 1, ID: "probe", Method: "GET", Path: "/b"},
		&report.Check{Index: 2, ID: "probe", Method: "GET", Path: "/c"},
		&report.Result{Target: 0, Index: 2, Timestamp: at(1), Attempts: 1}, &report.Result{Target: 0, Index: 0, Timestamp: at(1), Attempts: 2},
		&report.Result{Target: 0, Index: 1, Timestamp: at(2), Attempts: 1, Failed: true},
		&report.Transition{At: at(2), Host: "b:80", Seq: 1, From: "closed", To: "open", Cooldown: report.Duration(30 * time.Second), Errors: 3, Error: "refused"},
		&report.Result{Target: 1, Index: 1, Timestamp: at(3), Attempts: 1},
		&report.Skipped{Time: at(4), Host: "c:80", Target: 2, Reason: "dead", From: 1, To: 3, Again: []int{0}},
		&report.Skipped{Time: at(12), Host: "d:80", Target: 3, Reason: "interrupted", From: 0, To: 3},
		&report.Skipped{Time: at(12), Host: "b:80", Target: 1, Reason: "interrupted", From: 2, To: 3, Again: []int{0}},
		&report.Summary{Time: at(12), Interrupted: "interrupted", Items: 12, Sent: 9},
	}
}

func TestProgress(t *testing.T) {
	var bad []int
	name := written(t, `{"type":"result","target":3,"ind`, story()...)
	p, err := Load(t.Context(), name, func(e *report.LineError) { bad = append(bad, e.Line) })
	if err != nil || len(bad) != 1 {
		t.Fatalf("%v, bad lines %v; want the torn one", err, bad)
	}
	for target, want := range map[int64]struct {
		from  int
		again []int
	}{0: {3, nil}, 1: {2, []int{0}}, 2: {3, nil}, 3: {0, nil}, 4: {0, nil}, 999: {0, nil}} {
		if from, again := p.Left(target, 3); from != want.from || !slices.Equal(again, want.again) {
			t.Errorf("of target %d is left from %d and %v, want %v", target, from, again, want)
		}
	}
	if p.Sent() != 9 || !p.Incomplete() || len(p.Checks()) != 3 || p.Started().Version != "1.2.3" {
		t.Errorf("sent %d, incomplete %v, %d checks", p.Sent(), p.Incomplete(), len(p.Checks()))
	}
	for h, left := range p.Hosts() {
		if h.Host != "b:80" || h.To != "open" || left != 20*time.Second {
			t.Errorf("%+v with %s left, want the open host with what was left at the end", h, left)
		}
	}

	if err := p.Trim(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n != len(story())-3 || strings.Contains(string(text), "interrupted") || strings.Contains(string(text), "summary") {
		t.Errorf("%d lines are left:\n%s", n, text)
	}
	again, err := Load(t.Context(), name, func(e *report.LineError) { t.Errorf("line %d is bad", e.Line) })
	if err != nil {
		t.Fatal(err)
	}
	if from, left := again.Left(1, 3); from != 2 || !slices.Equal(left, []int{0}) {
		t.Errorf("after the trim is left from %d and %v", from, left)
	}
	if err := again.Trim(); err != nil {
		t.Error(err)
	}
	if same, err := os.ReadFile(name); err != nil || string(same) != string(text) {
		t.Errorf("a second trim changed the file: %v", err)
	}
}

// What a newer version has put into the lines stays there: this one passes over it, and does not know what it is good for.
func TestTrimKeepsWhatItDoesNotKnow(t *testing.T) {
	const newer = `{"type":"result","target":0,"index":2,"timestamp":"2026-03-01T12:00:01Z","mood":{"good":[1,2]}}` + "\n" + `{"type":"later","x":1}` + "\n"
	name := written(t, newer+`{"type":"summary","interrupted":"interrupted"}`+"\r\n", story()[:4]...)
	p, err := Load(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Trim(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil || !strings.HasSuffix(string(text), newer) || strings.Count(string(text), "\n") != 6 {
		t.Errorf("left is, %v,\n%s\nwant the lines as they were, but for the summary", err, text)
	}
}

// A scan that was killed in its first moments has a file that says nothing of an item, and maybe not all of its plan.
func TestHardlyBegun(t *testing.T) {
	for text, want := range map[string]string{
		"": "not begun", `{"typ`: "not begun", `{"type":"started","time":"20`: "not begun", started: "not begun",
		started + `{"type":"check","index":0,"id":"probe"}` + "\n" + `{"type":"che`: "not begun",
		started + result: "begun", "no events": "refused", "no events\n": "refused", result[:20]: "refused",
	} {
		name := filepath.Join(t.TempDir(), "scan.events")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := "refused"
		if p, err := Load(t.Context(), name, nil); err == nil {
			got = map[bool]string{true: "begun", false: "not begun"}[p.Begun()]
		}
		if got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestDifferences(t *testing.T) {
	p, err := Load(t.Context(), written(t, "", story()...), nil)
	if err != nil {
		t.Fatal(err)
	}
	list := report.Input{Kind: "list", Name: "elsewhere/list.txt", Digest: "sha256:1", Size: 5}
	for _, tt := range []struct {
		name   string
		change func(s *report.Started, checks []*report.Check) []*report.Check
		want   string
	}{
		{"the same at another pace", func(s *report.Started, c []*report.Check) []*report.Check { s.Options["cooldown"] = "1s"; return c }, ""},
		{"other ports", func(s *report.Started, c []*report.Check) []*report.Check { s.Options["ports"] = ""; return c }, `--ports was "80" and is not given`},
		{"a changed list", func(s *report.Started, c []*report.Check) []*report.Check {
			s.Inputs[0].Digest, s.Inputs[0].Size = "sha256:2", 9
			return c
		}, "the list elsewhere/list.txt has changed (5 bytes then, 9 now)"},
		{"a pipe", func(s *report.Started, c []*report.Check) []*report.Check { s.Inputs[0].Digest = ""; return c }, "is not a file: a pipe cannot be compared"},
		{"one more", func(s *report.Started, c []*report.Check) []*report.Check {
			s.Inputs = append(s.Inputs, report.Input{Kind: "target", Name: "h"})
			return c
		}, "target: there were 0 () and are 1 (h)"},
		{"another header", func(s *report.Started, c []*report.Check) []*report.Check { s.Options["header"] = "X (1)"; return c }, `--header was not given and is "X (1)"`},
		{"fewer items", func(_ *report.Started, c []*report.Check) []*report.Check { return c[:2] }, "each target had 3 items and has 2"},
		{"other items", func(_ *report.Started, c []*report.Check) []*report.Check { c[2].Path = "/d"; return c }, "item 2 of each target was probe GET /c and is probe GET /d"},
	} {
		started := report.Started{Options: map[string]string{"ports": "80", "cooldown": "30s"}, Inputs: []report.Input{list}}
		var checks []*report.Check
		for _, c := range p.Checks() {
			same := *c
			checks = append(checks, &same)
		}
		checks = tt.change(&started, checks)
		if got := strings.Join(p.Differences(started, checks), "; "); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestMissing(t *testing.T) {
	m, err := LoadMissing(t.Context(), written(t, "", story()...), nil)
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[int64]struct {
		from  int
		again []int
	}{0: {3, []int{1}}, 1: {2, []int{0}}, 2: {0, nil}, 3: {0, nil}, 4: {3, nil}} {
		if from, again := m.Left(target, 3); from != want.from || !slices.Equal(again, want.again) {
			t.Errorf("of target %d were left out from %d and %v, want %v", target, from, again, want)
		}
	}
	if m.Count() != 9 || m.Targets() != 4 || m.Ended() {
		t.Errorf("%d items of %d targets, ended %v; want 9 of 4 of a scan that was interrupted", m.Count(), m.Targets(), m.Ended())
	}
}

// account is a set of items in the form in which what is left is told.
type account []bool

func (a account) Left(_ int64, all int) (int, []int) {
	var s items
	for i, in := range a {
		if in {
			s.add(i)
		}
	}
	return s.marked(all)
}

func TestBothIsWhatTwoAccountsAgreeOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.IntRange(1, 150).Draw(t, "items")
		draw := func(name string) account {
			return rapid.SliceOfN(rapid.Bool(), all, all).Draw(t, name)
		}
		a, b := draw("a"), draw("b")
		from, again := Both(7, all, a, b)
		for i := range all {
			if got := i >= from || slices.Contains(again, i); got != (a[i] && b[i]) {
				t.Fatalf("item %d: %v, want %v", i, got, a[i] && b[i])
			}
		}
	})
}
