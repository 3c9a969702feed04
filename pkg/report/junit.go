package report

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// junitPassed is the most items without a finding that get a test case of their own; CI servers refuse far longer files.
const junitPassed = 100_000

// JUnit is a [Handler] that writes the XML that CI servers read: an item is a test case of its host. A finding is a
// failure, an item that could not be run an error; what was skipped of a target is one skipped case.
// The cases are written as they come, in the memory of one.
type JUnit struct {
	out      *WholeFile
	overview *Overview
	checks   map[int]*Check
	passed   int64
	most     int64 // of those that passed, how many are listed

	tests, failures, errors, skipped int64
}

// NewJUnit writes test cases to out.
func NewJUnit(out *WholeFile) *JUnit {
	return &JUnit{out: out, overview: NewOverview(), checks: make(map[int]*Check), most: junitPassed}
}

// Start leaves room for the numbers, which are known at the end.
func (j *JUnit) Start() error {
	_, err := j.out.Write(j.head())
	return err
}

// Event writes the test case of an item.
func (j *JUnit) Event(e Event) error {
	j.overview.Add(e)
	switch e := e.(type) {
	case *Check:
		j.checks[e.Index] = e
	case *Result:
		return j.result(e)
	case *Skipped:
		j.skipped++
		name := strconv.FormatInt(e.Count(), 10) + " items"
		if e.Count() == 1 {
			name = "1 item"
		}
		why := e.Reason
		if e.State != "" && e.State != e.Reason {
			why += ", " + e.State
		}
		if e.Trips > 0 {
			why += fmt.Sprintf(" after %d trips", e.Trips)
		}
		if e.LastError != "" {
			why += ": " + e.LastError
		}
		target := cmp.Or(e.URL, hideUserinfo(e.Input))
		return j.testcase(e.Host, target+" ("+name+")", 0, junitDetail{"skipped", "", why, ""})
	}
	return nil
}

type junitDetail struct{ element, kind, message, text string }

func (j *JUnit) result(r *Result) error {
	f := Finding{Result: r, Check: j.checks[r.Index]}
	name := strings.TrimSpace(f.ID() + " " + r.Method + " " + hideUserinfo(cmp.Or(r.URL, r.Input)))
	seconds := time.Duration(r.Time).Seconds()
	switch {
	case r.Failed:
		j.errors++
		return j.testcase(hostKey(r), name, seconds, junitDetail{"error", "failed", r.Error, ""})
	case !r.Matched:
		if j.passed++; j.passed > j.most {
			return nil
		}
		return j.testcase(hostKey(r), name, seconds, junitDetail{})
	}
	// One case, however many matches: a case passes or fails once.
	j.failures++
	found := []Finding{f}
	for i := range r.Matches {
		found = append(found[:i], Finding{Result: r, Check: f.Check, Match: short(&r.Matches[i])})
	}
	message := f.Name() + " at " + found[0].URL()
	var text strings.Builder
	for _, f := range found {
		line := []string{f.URL()}
		for _, part := range []string{f.Matcher(), f.What()} {
			if part != "" {
				line = append(line, part)
			}
		}
		text.WriteString(cut(strings.Join(line, "  "), 2000) + "\n")
	}
	return j.testcase(hostKey(r), name, seconds, junitDetail{"failure", cmp.Or(f.Severity(), "finding"), message, text.String()})
}

func (j *JUnit) testcase(host, name string, seconds float64, d junitDetail) error {
	j.tests++
	var b bytes.Buffer
	fmt.Fprintf(&b, "    <testcase classname=\"%s\" name=\"%s\" time=\"%.3f\"", xmlText(host, 500), xmlText(name, 2000), seconds)
	if d.element == "" {
		b.WriteString("/>\n")
	} else {
		fmt.Fprintf(&b, ">\n      <%s", d.element)
		if d.kind != "" {
			fmt.Fprintf(&b, " type=\"%s\"", xmlText(d.kind, 100))
		}
		fmt.Fprintf(&b, " message=\"%s\"", xmlText(d.message, 1000))
		if d.text == "" {
			b.WriteString("/>\n")
		} else {
			b.WriteString(">")
			for line := range strings.Lines(d.text) {
				b.WriteString(xmlText(strings.TrimSuffix(line, "\n"), 2000) + "\n")
			}
			fmt.Fprintf(&b, "      </%s>\n", d.element)
		}
		b.WriteString("    </testcase>\n")
	}
	_, err := j.out.Write(b.Bytes())
	return err
}

// Finish writes the numbers and puts the file in its place.
func (j *JUnit) Finish() error {
	if more := j.passed - j.most; more > 0 {
		// The error stays with the file, which tells it when it is committed.
		_ = j.testcase("redial", fmt.Sprintf("%d more items without a finding", more), 0, junitDetail{})
	}
	_, _ = j.out.Write([]byte("  </testsuite>\n</testsuites>\n"))
	_ = j.out.overwrite(j.head(), 0)
	return j.out.Commit()
}

// head is always of the same length: a number is as wide as any can be, and what is left of its room stands as blanks
// behind its attribute.
func (j *JUnit) head() []byte {
	sum := j.overview.Summary()
	numbers := func(suite bool) string {
		var b strings.Builder
		attribute := func(name, value string, width int) {
			fmt.Fprintf(&b, " %-*s", len(name)+3+width, name+`="`+value+`"`)
		}
		for _, n := range []struct {
			name string
			v    int64
		}{{"tests", j.tests}, {"failures", j.failures}, {"errors", j.errors}} {
			attribute(n.name, strconv.FormatInt(n.v, 10), 19)
		}
		if suite {
			attribute("skipped", strconv.FormatInt(j.skipped, 10), 19)
			attribute("timestamp", j.overview.Began().UTC().Format("2006-01-02T15:04:05"), 19)
		}
		attribute("time", fmt.Sprintf("%.3f", time.Duration(sum.Duration).Seconds()), 19)
		return b.String()
	}
	return fmt.Appendf(nil, "%s<testsuites name=\"redial\"%s>\n  <testsuite name=\"redial\"%s>\n", xml.Header, numbers(false), numbers(true))
}

// xmlText is text for an attribute or an element: sanitized, since XML has no way to name most control characters.
func xmlText(text string, width int) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(cut(text, width))) // a buffer takes everything
	return b.String()
}
