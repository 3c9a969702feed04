package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// formats are the reports beside text and JSONL.
var formats = map[string]func(*WholeFile) Handler{
	"sarif":    func(o *WholeFile) Handler { return NewDocument(o, NewSARIF()) },
	"junit":    func(o *WholeFile) Handler { return NewJUnit(o) },
	"markdown": func(o *WholeFile) Handler { return NewDocument(o, NewMarkdown()) },
	"csv":      func(o *WholeFile) Handler { return NewCSV(o) },
}

// made runs events through a format.
func made(t *testing.T, format string, events []Event) string {
	t.Helper()
	var out bytes.Buffer
	if format == "annotations" {
		run(t, events, NewAnnotations(&out))
		return out.String()
	}
	whole, err := NewWholeStream(format, &out)
	if err != nil {
		t.Fatal(err)
	}
	run(t, events, formats[format](whole))
	return out.String()
}

func TestReportsLookAsExpected(t *testing.T) {
	for _, format := range append(slices.Collect(maps.Keys(formats)), "annotations") {
		golden(t, "report-"+format+".txt", made(t, format, everything()))
		golden(t, "report-"+format+"-empty.txt", made(t, format, nothing()))
	}
}

// nothing is a scan that found nothing.
func nothing() []Event {
	unmatched := admin()
	unmatched.Matched = false
	return []Event{
		&Started{Time: noon, Format: FormatVersion, Version: "1.2.3"},
		&Check{Index: 1, ID: "probe", Method: "GET", Path: "/admin"}, unmatched,
		&Summary{Time: noon, Duration: 1e9, Hosts: 1, Items: 1, Sent: 1, Done: 1},
	}
}

// github.com/projectdiscovery/nuclei/issues/5086: a report of nothing is there, and valid.
func TestNothingMakesValidReports(t *testing.T) {
	for name, events := range map[string][]Event{"no event": nil, "no finding": nothing()} {
		var log sarifLog
		if err := json.Unmarshal([]byte(made(t, "sarif", events)), &log); err != nil || len(log.Runs) != 1 ||
			log.Runs[0].Results == nil || log.Runs[0].Tool.Driver.Rules == nil {
			t.Errorf("%s: SARIF %+v, %v; want one run with empty lists", name, log, err)
		}
		if suites := parseJUnit(t, made(t, "junit", events)); len(suites.Suites) != 1 || suites.Failures != 0 {
			t.Errorf("%s: JUnit %+v, want one suite without failures", name, suites)
		}
		if rows := parseCSV(t, made(t, "csv", events)); len(rows) != 1 || rows[0][0] != "outcome" {
			t.Errorf("%s: CSV %q, want the names of the columns", name, rows)
		}
		if text := made(t, "markdown", events); !strings.Contains(text, "None.") {
			t.Errorf("%s: Markdown %q, want to read None.", name, text)
		}
	}
	if text := made(t, "annotations", nothing()); text != "" {
		t.Errorf("annotations %q, want none", text)
	}
}

type junitSuites struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Suites   []struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
		Cases    []struct {
			Name    string    `xml:"name,attr"`
			Class   string    `xml:"classname,attr"`
			Failure *junitEnd `xml:"failure"`
			Error   *junitEnd `xml:"error"`
			Skipped *junitEnd `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

type junitEnd struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func parseJUnit(t *testing.T, text string) junitSuites {
	t.Helper()
	var suites junitSuites
	if err := xml.Unmarshal([]byte(text), &suites); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return suites
}

func TestJUnitCountsWhatItHas(t *testing.T) {
	suites := parseJUnit(t, made(t, "junit", everything()))
	suite := suites.Suites[0]
	var failures, errs, skipped int
	for _, c := range suite.Cases {
		switch {
		case c.Failure != nil:
			failures++
		case c.Error != nil:
			errs++
		case c.Skipped != nil:
			skipped++
			if !strings.Contains(c.Skipped.Message, "dead after 5 trips: connect: connection refused") {
				t.Errorf("what was skipped says %q", c.Skipped.Message)
			}
		}
	}
	if failures != 5 || errs != 1 || skipped != 1 || len(suite.Cases) != 8 {
		t.Errorf("%d failures, %d errors, %d skipped of %d; want 5, 1, 1 of 8", failures, errs, skipped, len(suite.Cases))
	}
	if suite.Tests != 8 || suite.Failures != 5 || suite.Errors != 1 || suite.Skipped != 1 || suites.Tests != 8 || suites.Failures != 5 || suites.Errors != 1 {
		t.Errorf("the numbers say %+v", suites)
	}
}

func TestJUnitListsSoManyPassedItems(t *testing.T) {
	r := admin()
	r.Matched = false
	var out bytes.Buffer
	whole, err := NewWholeStream("junit", &out)
	if err != nil {
		t.Fatal(err)
	}
	const most = 10
	h := NewJUnit(whole)
	h.most = most
	run(t, slices.Repeat([]Event{r}, most+3), h)
	suite := parseJUnit(t, out.String()).Suites[0]
	last := suite.Cases[len(suite.Cases)-1]
	if len(suite.Cases) != most+1 || suite.Tests != len(suite.Cases) || last.Name != "3 more items without a finding" {
		t.Errorf("%d cases and %d tests, the last %q", len(suite.Cases), suite.Tests, last.Name)
	}
}

func parseCSV(t *testing.T, text string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return rows
}

// What the plan says of a check stands in the rows of its findings, as in the other reports.
func TestRowsNameTheirCheck(t *testing.T) {
	r := admin()
	rows := parseCSV(t, made(t, "csv", []Event{&Check{Index: r.Index, ID: r.Check, Name: "A page", Severity: "Low"}, r}))
	if rows[1][2] != "low" || rows[1][4] != "A page" {
		t.Errorf("row %q, want severity low and name A page", rows[1])
	}
}

func TestNoCellIsAFormula(t *testing.T) {
	for _, title := range []string{
		`=cmd|' /C calc'!A0`, "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u00a0=1", "＝1", "＋1", "－1", "＠A1", `"=1`, "=1\x00", "\ufeff=1",
	} {
		r := admin()
		r.Title, r.WebServer = title, title
		for _, cell := range parseCSV(t, made(t, "csv", []Event{r}))[1] {
			if first := strings.TrimLeft(cell, " \u00a0\t\r\n\ufeff"); first != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(first)[0]) {
				t.Errorf("%q became the cell %q", title, cell)
			}
			if strings.ContainsAny(cell, "\t\r\x00") {
				t.Errorf("%q became the cell %q", title, cell)
			}
		}
	}
}

// hostileText is what a host may put into a title to get out of its place.
var hostileText = []string{
	"a|b", "a\n| b | c |", "`code` ``", "[x](javascript:alert(1))", "![x](http://evil/p.png)", "<script>alert(1)</script>", "</td>",
	"**bold** _it_ ~~no~~", "# head", "www.evil.example", "http://evil.example", "x@evil.example @team #1", "&lt;b&gt; &#60;", "\\|", "$$x$$",
	"```\n::error::x", "::error file=x::y", "%0A::error::", "]]>", "\x1b[2J", "\u202e",
}

func TestMarkdownShowsHostileTextAsText(t *testing.T) {
	for _, title := range hostileText {
		r := admin()
		r.Title = title
		text := made(t, "markdown", []Event{r})
		lines := strings.Split(text, "\n")
		i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "/admin") })
		if i < 0 || strings.Count(lines[i], "|") != 6 || len(lines) != 12 {
			t.Errorf("%q broke the table:\n%s", title, text)
			continue
		}
		cell := strings.Split(lines[i], "|")[5]
		if strings.ContainsAny(cell, "`[]<>*_~!@:\\$") || strings.Contains(strings.ToLower(cell), "www.") {
			t.Errorf("%q became the cell %q", title, cell)
		}
	}
}

func TestMarkdownFitsASummary(t *testing.T) {
	r := admin()
	r.Title, r.URL = strings.Repeat("<&|", 100), "http://h/"+strings.Repeat("<&|", 100)
	events := slices.Repeat([]Event{r}, 5000)
	if text := made(t, "markdown", events); len(text) > markdownBytes || !strings.Contains(text, "more, in the results") {
		t.Errorf("%d bytes, want at most %d and a word about the rest", len(text), markdownBytes)
	}
}

func TestAnnotationsAreTenLinesAtMost(t *testing.T) {
	var events []Event
	for i := range 30 {
		r := admin()
		r.Title = hostileText[i%len(hostileText)]
		r.Info = &Info{Name: fmt.Sprint("check, with: ", i, "\n::error::"), Severity: []string{"", "info", "low", "medium", "high", "critical"}[i%6]}
		events = append(events, r)
	}
	events = append(events, &Skipped{Host: "h:1", Reason: "dead", To: 5})
	lines := strings.Split(strings.TrimSuffix(made(t, "annotations", events), "\n"), "\n")
	if len(lines) != AnnotationsShown {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), AnnotationsShown, strings.Join(lines, "\n"))
	}
	for _, line := range lines {
		command, _, ok := strings.Cut(strings.TrimPrefix(line, "::"), "::")
		level, title, titled := strings.Cut(command, " title=")
		if !ok || !titled || !slices.Contains([]string{"error", "warning", "notice"}, level) || strings.ContainsAny(title, ":,\n") {
			t.Errorf("%q is no command with a level and a title", line)
		}
	}
	if !strings.HasPrefix(lines[1], "::error ") || !strings.Contains(lines[9], "and 22 more findings") {
		t.Errorf("want the worst first and a word about the rest:\n%s", strings.Join(lines, "\n"))
	}
}

func TestReportsReplaceAFileWhenTheyAreWhole(t *testing.T) {
	for format := range formats {
		path := filepath.Join(t.TempDir(), "report")
		if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
			t.Fatal(err)
		}
		var files Files
		if _, err := files.OpenWhole(path, format+" report"); err != nil {
			t.Fatal(err)
		}
		if err := files.Close(); err != nil || read(t, path) != "before" {
			t.Errorf("%s: a scan that could not begin left %q, %v", format, read(t, path), err)
		}
		out, err := files.OpenWhole(path, format+" report")
		if err != nil {
			t.Fatal(err)
		}
		run(t, everything(), formats[format](out))
		if got := read(t, path); got != made(t, format, everything()) {
			t.Errorf("%s: the file holds\n%s", format, got)
		}
		if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
			t.Errorf("%s: %v stand in the folder, want the report alone", format, entries)
		}
	}
}

// An answer may be megabytes long, and reports keep findings by the thousand.
func TestFindingsDoNotKeepWholeAnswers(t *testing.T) {
	r := admin()
	r.Matches = []Match{{MatchedAt: "http://h/", Request: "GET", Response: "answer", Curl: "curl", Extracted: []string{strings.Repeat("x", 1<<20)}}}
	f := NewFindings(10)
	f.Add(r)
	for _, kept := range f.Worst() {
		m := kept.Match
		if m.Request+m.Response+m.Curl != "" || len(kept.Result.Matches) > 0 || len(m.Extracted[0]) > 2*keptExtractText || m.MatchedAt != "http://h/" {
			t.Errorf("kept %+v of %+v", m, kept.Result)
		}
	}
	if len(r.Matches) != 1 || r.Matches[0].Response != "answer" {
		t.Error("the event was changed")
	}
}
