package report

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// run sends events through a real Run into the handlers.
func run(t *testing.T, events []Event, handlers ...Handler) {
	t.Helper()
	err := Run(t.Context(), NewMulti(nil, handlers...), func(_ context.Context, emit func(Event)) error {
		for _, e := range events {
			emit(e)
		}
		return nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
}

func TestResultsLookAsExpected(t *testing.T) {
	for _, tt := range []struct {
		golden  string
		handler func(*Output) Handler
	}{
		{"plain.txt", func(o *Output) Handler { return NewText(o, TextOptions{}) }},
		{"color-failed.txt", func(o *Output) Handler { return NewText(o, TextOptions{Color: true, ShowFailed: true}) }},
		{"results.jsonl", func(o *Output) Handler { return NewJSONL(o, false) }},
		{"results-failed.jsonl", func(o *Output) Handler { return NewJSONL(o, true) }},
		{"events.jsonl", func(o *Output) Handler { return NewEventsFile(o) }},
	} {
		t.Run(tt.golden, func(t *testing.T) {
			out, path := file(t, "out")
			run(t, everything(), tt.handler(out))
			golden(t, tt.golden, read(t, path))
		})
	}
}

// Skipped hosts are no findings: github.com/projectdiscovery/nuclei/issues/6397.
func TestSkippedIsNeverAResult(t *testing.T) {
	for _, e := range everything() {
		if _, ok := e.(*Result); ok {
			continue
		}
		var text, jsonl bytes.Buffer
		run(t, []Event{e}, NewText(NewOutput("text", &text, false), TextOptions{ShowFailed: true}),
			NewJSONL(NewOutput("jsonl", &jsonl, false), true))
		if text.Len()+jsonl.Len() != 0 {
			t.Errorf("%s was printed as a result: %q %q", e.Type(), text.String(), jsonl.String())
		}
	}
}

// No findings is a result too: github.com/projectdiscovery/nuclei/issues/5086.
func TestNoFindingsMakeValidEmptyFiles(t *testing.T) {
	var files Files
	dir := t.TempDir()
	var handlers []Handler
	for _, name := range []string{"text", "jsonl"} {
		out, err := files.Open(dir+"/"+name, "results file")
		if err != nil {
			t.Fatal(err)
		}
		if name == "text" {
			handlers = append(handlers, NewText(out, TextOptions{}))
		} else {
			handlers = append(handlers, NewJSONL(out, false))
		}
	}
	unmatched := admin()
	unmatched.Matched = false
	run(t, []Event{unmatched}, handlers...)
	for _, name := range []string{"text", "jsonl"} {
		if got := read(t, dir+"/"+name); got != "" {
			t.Errorf("%s holds %q, want nothing", name, got)
		}
	}
}

func TestEveryJSONLLineStandsAlone(t *testing.T) {
	var buf bytes.Buffer
	run(t, everything(), NewJSONL(NewOutput("jsonl", &buf, false), true))
	lines := strings.Split(strings.TrimSuffix(buf.String(), "\n"), "\n")
	if len(lines) != 7 {
		t.Fatalf("%d lines, want the four findings, two matches and the failure", len(lines))
	}
	for _, line := range lines {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		for _, name := range []string{"url", "status_code", "content_length", "words", "lines", "failed", "timestamp", "attempts"} {
			if _, ok := fields[name]; !ok {
				t.Errorf("no %s in %s", name, line)
			}
		}
		for _, name := range []string{"type", "target", "index", "matched"} {
			if _, ok := fields[name]; ok {
				t.Errorf("%s belongs to events only, and stands in %s", name, line)
			}
		}
	}
}

func TestSecretsOfATargetAreNotWritten(t *testing.T) {
	for in, want := range map[string]string{
		"https://me:secret@host:8443/x?a=b@c": "https://***@host:8443/x?a=b@c",
		"me:secret@host":                      "***@host",
		"me@host/":                            "***@host/",
		"http://a:b@c@host":                   "http://***@host",
		"host/path@2":                         "host/path@2",
		"http://host?q=user:pw@x":             "http://host?q=user:pw@x",
		"[fe80::1%eth0]:80":                   "[fe80::1%eth0]:80",
		"":                                    "",
	} {
		if got := hideUserinfo(in); got != want {
			t.Errorf("hideUserinfo(%q) = %q, want %q", in, got, want)
		}
		if got := hideUserinfo(hideUserinfo(in)); got != want {
			t.Errorf("the second time %q became %q", in, got)
		}
	}
	var text, jsonl, events bytes.Buffer
	run(t, everything(), NewText(NewOutput("text", &text, false), TextOptions{ShowFailed: true}),
		NewJSONL(NewOutput("jsonl", &jsonl, false), true), NewEventsFile(NewOutput("events", &events, false)))
	for _, out := range []string{text.String(), jsonl.String(), events.String()} {
		if strings.Contains(out, "secret") || strings.Contains(out, "bob:pw") {
			t.Errorf("a password in %s", out)
		}
	}
}

// counted counts how often it was written to, and the lines.
type counted struct{ writes, lines atomic.Int32 }

func (c *counted) Write(p []byte) (int, error) {
	c.writes.Add(1)
	c.lines.Add(int32(bytes.Count(p, []byte("\n"))))
	return len(p), nil
}

func TestWhenOutputIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var terminal, pipe counted
		m := NewMulti(nil, NewText(NewOutput("terminal", &terminal, true), TextOptions{}), NewJSONL(NewOutput("pipe", &pipe, false), false))
		err := Run(t.Context(), m, func(_ context.Context, emit func(Event)) error {
			emit(admin())
			<-time.After(gather)
			synctest.Wait()
			if n := terminal.writes.Load(); n != 1 {
				t.Errorf("the terminal got %d lines at once, want 1", n)
			}
			<-time.After(FlushEvery - 1)
			synctest.Wait()
			if pipe.writes.Load() != 0 {
				t.Error("the pipe was written to before a second had passed")
			}
			<-time.After(1)
			synctest.Wait()
			if pipe.writes.Load() != 1 {
				t.Error("the pipe was not written to after a second")
			}
			<-time.After(time.Hour)
			// More than a buffer leaves at once; the rest waits.
			for range 1000 {
				emit(admin())
			}
			<-time.After(2 * gather)
			synctest.Wait()
			if pipe.writes.Load() < 2 {
				t.Error("a full buffer was not written")
			}
			return nil
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := pipe.lines.Load(); got != 1001 {
			t.Errorf("%d lines in the pipe at the end, want 1001", got)
		}
	})
}

func BenchmarkJSONL(b *testing.B) {
	r := admin()
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = appendResult(dst[:0], r)
	}
	b.SetBytes(int64(len(dst)))
}

func BenchmarkText(b *testing.B) {
	text := NewText(nil, TextOptions{})
	r := admin()
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = text.appendLine(dst[:0], r)
	}
}

func TestFieldsOfALine(t *testing.T) {
	r := &Result{
		URL: "http://h/", StatusCode: 200, ContentLength: 12, Title: "T", WebServer: "S", HostIP: "127.0.0.1", Words: 3, Matched: true,
		Time: Duration(1234567 * time.Nanosecond),
	}
	match := &Result{URL: "http://h/", Check: "c", StatusCode: 200, Title: "T", Matched: true, Matches: []Match{{MatchedAt: "http://h/x"}}}
	for _, tt := range []struct {
		opt  TextOptions
		r    *Result
		want string
	}{
		{TextOptions{}, r, "http://h/ [200] [12] [T] [S]\n"},
		{TextOptions{MoreFields: []string{"ip", "time"}}, r, "http://h/ [200] [12] [T] [S] [127.0.0.1] [1.2ms]\n"},
		{TextOptions{Fields: []string{"words", "title", "type"}}, r, "http://h/ [3] [T]\n"},
		{TextOptions{Fields: []string{"url"}}, r, "http://h/\n"},
		{TextOptions{Fields: []string{}, MoreFields: []string{"status"}, Color: true}, r, "http://h/ [\x1b[32m200\x1b[0m]\n"},
		{TextOptions{}, match, "[c] http://h/x\n"},
		{TextOptions{Fields: []string{"status"}, MoreFields: []string{"words", "title"}}, match, "[c] http://h/x [200] [T]\n"},
	} {
		var out bytes.Buffer
		run(t, []Event{tt.r}, NewText(NewOutput("text", &out, false), tt.opt))
		if out.String() != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.opt, out.String(), tt.want)
		}
	}
}

func TestNamesOfFieldsAreOnesOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Fields() {
		for _, name := range append([]string{f.Name}, f.Also...) {
			if seen[name] {
				t.Errorf("%q names two fields", name)
			}
			seen[name] = true
		}
	}
}
