package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// anyText has printable and hostile text, and bytes that are no text at all.
func anyText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for range rapid.IntRange(0, 6).Draw(t, "parts") {
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				b.WriteString(rapid.StringMatching(`[ -~]{0,8}`).Draw(t, "ascii"))
			case 1:
				b.WriteString(rapid.String().Draw(t, "unicode"))
			case 2:
				b.Write(rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(t, "bytes"))
			case 3:
				b.WriteRune(rapid.RuneFrom([]rune("\x00\x07\b\t\n\f\r\x1b\x7f\u0085\u009b\u00ad\u061c\u200b\u200d\u200e\u2028\u2029\u202e\u2066\ufeff\ufffd\U000e0041")).Draw(t, "hostile"))
			case 4:
				b.WriteString(rapid.SampledFrom([]string{`"`, `\`, "<&>", "日本語", "naïve", "👩‍🚀", "a@b"}).Draw(t, "known"))
			}
		}
		return b.String()
	})
}

func anyResult(t *rapid.T) *Result {
	s := func(name string) string { return anyText().Draw(t, name) }
	n := func(name string) int { return rapid.IntRange(0, 1<<40).Draw(t, name) }
	list := func(name string) []string { return rapid.SliceOfN(anyText(), 0, 3).Draw(t, name) }
	r := &Result{
		Target: int64(n("target")), Index: n("index"), Matched: rapid.Bool().Draw(t, "matched"),
		Timestamp: time.Unix(int64(n("unix"))%(1<<33), int64(n("nano"))%1e9).UTC(),
		Port:      s("port"), URL: s("url"), Input: hideUserinfo(s("input")), Location: s("location"), Title: s("title"),
		Scheme: s("scheme"), Error: s("error"), WebServer: s("server"), ContentType: s("type"), Method: s("method"),
		Host: s("host"), HostIP: s("ip"), Path: s("path"), FinalURL: s("final"), Time: Duration(n("time")),
		Words: n("words"), Lines: n("lines"), StatusCode: n("status"), ContentLength: int64(n("length")) - 1,
		Failed: rapid.Bool().Draw(t, "failed"), Attempts: n("attempts"), Check: s("check"), TLSSubject: s("tls"),
		RedirectSkipped: s("skipped"), Hops: n("hops"), PassedOver: s("passed"), Protocol: s("protocol"), Template: s("template"),
	}
	if rapid.Bool().Draw(t, "info") {
		r.Info = &Info{
			Name: s("name"), Author: list("author"), Severity: s("severity"), Tags: list("tags"),
			Description: s("description"), Reference: list("reference"), Remediation: s("remediation"),
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "matches") {
		r.Matches = append(r.Matches, Match{
			s("at"), s("type"), s("matcher"), s("extractor"), list("extracted"), s("address"), s("request"), s("response"), s("curl"),
		})
	}
	return r
}

// The encoder written by hand writes what encoding/json writes, hardened.
func TestResultEncoderAgreesWithItsTags(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyResult(t)
		got := appendResultEvent(nil, r)
		want, err := appendTyped(nil, TypeResult, r)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
		var plain Result
		if err := json.Unmarshal(want, &plain); err != nil {
			t.Fatal(err)
		}
		checkResultLines(t, r, plain)
		if i := slices.IndexFunc([]rune(string(got[:len(got)-1])), steers); i >= 0 {
			t.Fatalf("rune %d of %q steers a terminal", i, got)
		}
	})
}

// checkResultLines holds the lines of r in a file of results to what was read from its event.
func checkResultLines(t *rapid.T, r *Result, event Result) {
	matches := event.Matches
	event.Target, event.Index, event.Matched, event.Matches = 0, 0, false, nil
	if len(matches) == 0 || r.Failed {
		matches = []Match{{}}
	}
	lines := bytes.SplitAfter(appendResult(nil, r), []byte("\n"))
	if len(lines) != len(matches)+1 {
		t.Fatalf("%d lines, want one for each of %d matches", len(lines)-1, len(matches))
	}
	for i, match := range matches {
		if len(r.Matches) > 0 && !r.Failed { // the line of a match has a type in any case
			match.Type = cmp.Or(match.Type, event.Protocol)
		}
		var back struct {
			Result
			Match
			TemplateID string `json:"template-id"`
		}
		if err := json.Unmarshal(lines[i], &back); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back.Result, event) || !reflect.DeepEqual(back.Match, match) {
			t.Fatalf("as a result\n%+v\nas an event\n%+v\n%+v", back, event, match)
		}
		if wantID := len(r.Matches) > 0 && !r.Failed; wantID != (back.TemplateID != "" && back.TemplateID == event.Check) && event.Check != "" {
			t.Fatalf("template-id %q of the check %q with %d matches", back.TemplateID, event.Check, len(r.Matches))
		}
	}
}

// A check may take a page apart; the line is to be readable nevertheless.
func TestManyMatchesMakeALineThatCanBeRead(t *testing.T) {
	r := admin()
	long := strings.Repeat("\u009b", maxField)
	many := []string{long, long, long, long, long, long}
	r.Info = &Info{Name: long, Author: many, Severity: long, Tags: many, Description: long, Reference: many, Remediation: long}
	r.Protocol, r.Template = long, long
	for range 1000 {
		r.Matches = append(r.Matches, Match{long, long, long, long, many, long, long, long, long})
	}
	line := appendResultEvent(nil, r)
	var back Result
	if err := json.Unmarshal(line, &back); err != nil || len(line) > MaxLine || len(back.Matches) == 0 {
		t.Errorf("%d bytes with %d matches and the error %v, want at most %d bytes with some", len(line), len(back.Matches), err, MaxLine)
	}
}

// A title may be as long as its page; the line is to be readable nevertheless.
func TestLongFieldsAreCut(t *testing.T) {
	r := admin()
	long := strings.Repeat("\u009b", maxField)
	for _, field := range []*string{&r.Port, &r.URL, &r.Input, &r.Location, &r.Title, &r.Scheme, &r.Error, &r.WebServer, &r.ContentType,
		&r.Method, &r.Host, &r.HostIP, &r.Path, &r.FinalURL, &r.Check, &r.TLSSubject, &r.RedirectSkipped} {
		*field = "x" + long
	}
	line := appendResultEvent(nil, r)
	if len(line) > MaxLine {
		t.Errorf("the line has %d bytes, and is read up to %d", len(line), MaxLine)
	}
	var back Result
	if err := json.Unmarshal(line, &back); err != nil {
		t.Fatal(err)
	}
	if want := r.Title[:maxField-1]; back.Title != want {
		t.Errorf("the title has %d bytes, want the %d that are whole runes", len(back.Title), len(want))
	}
}

func TestHardeningKeepsTheMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(anyText().Draw(t, "text"), "\ufffd")
		line, err := appendTyped(nil, TypePaused, &Paused{Reason: text})
		if err != nil {
			t.Fatal(err)
		}
		var back Paused
		if err := json.Unmarshal(line, &back); err != nil {
			t.Fatal(err)
		}
		if back.Reason != text {
			t.Fatalf("%q came back as %q", text, back.Reason)
		}
	})
}

func TestSanitize(t *testing.T) {
	for in, want := range map[string]string{
		"plain text":          "plain text",
		`back\slash "quoted"`: `back\slash "quoted"`,
		"a\x1b[31mred":        `a\x1b[31mred`,
		"line\r\nnext\ttab":   `line\r\nnext\ttab`,
		"\u009b2J\x9b2J":      `\x9b2J\x9b2J`,
		"gnp.\u202eexe":       `gnp.\u202eexe`,
		"\u2028\u2066\ufeff":  `\u2028\u2066\ufeff`,
		"tag\U000e0041":       `tag\U000e0041`,
		"日本 naïve 👩‍🚀 \ufffd": "日本 naïve 👩‍🚀 \ufffd",
		"\x00\x7f":            `\x00\x7f`,
	} {
		if got := Sanitize(in); got != want {
			t.Errorf("Sanitize(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSanitizeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyText().Draw(t, "text")
		got := Sanitize(in)
		for _, r := range got {
			if steers(r) {
				t.Fatalf("%U survived in %q", r, got)
			}
		}
		if again := Sanitize(got); again != got {
			t.Fatalf("%q became %q the second time", got, again)
		}
		clean := strings.Map(func(r rune) rune {
			if steers(r) {
				return -1
			}
			return r
		}, strings.ToValidUTF8(in, ""))
		if got := Sanitize(clean); got != clean {
			t.Fatalf("printable %q became %q", clean, got)
		}
		for _, width := range []int{1, 5, 80} {
			short := cut(in, width)
			if n := len([]rune(short)); n > width || (short != got) != (len([]rune(got)) > width) {
				t.Fatalf("cut(%q, %d) = %q, whole %q", in, width, short, got)
			}
		}
	})
}
