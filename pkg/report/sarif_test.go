package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"
)

// alerts names what GitHub would take for the same alert again.
func alerts(t *testing.T, events []Event) []string {
	t.Helper()
	var log sarifLog
	if err := json.Unmarshal([]byte(made(t, "sarif", events)), &log); err != nil {
		t.Fatal(err)
	}
	var all []string
	for i, r := range log.Runs[0].Results {
		uri := r.Locations[0].Physical.Artifact.URI
		if log.Runs[0].Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("result %d names the rule %q by the index of another", i, r.RuleID)
		}
		if u, err := url.Parse(uri); err != nil || u.IsAbs() || strings.HasPrefix(uri, "/") || path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") && !strings.Contains(uri, "//") {
			t.Errorf("the location %q is no relative path, %v", uri, err)
		}
		all = append(all, r.RuleID+" "+uri+" "+r.Fingerprints["primaryLocationLineHash"])
	}
	return all
}

func TestSARIFNamesAFindingTheSameEachTime(t *testing.T) {
	events := everything()
	first := alerts(t, events)
	slices.Reverse(events[3:9]) // another order, and other answers
	for _, e := range events {
		if r, ok := e.(*Result); ok {
			r.Title, r.Timestamp, r.ContentLength = "another day", noon.AddDate(0, 0, 1), 7
		}
	}
	if again := alerts(t, events); !slices.Equal(first, again) {
		t.Errorf("the second time\n%s\nthe first time\n%s", strings.Join(again, "\n"), strings.Join(first, "\n"))
	}
	slices.Sort(first)
	if len(slices.Compact(slices.Clone(first))) != len(first) || len(first) != 6 {
		t.Errorf("two findings have one name, or some are missing:\n%s", strings.Join(first, "\n"))
	}
}

func TestSARIFPlacesAreRelativeAndTellApart(t *testing.T) {
	var events []Event
	paths := []string{"/", "/a", "/a/", "/a?x=1", "/../a", "/./a", "//a", "/%2e%2e/b", "/a b", "/a\\b", "/ä", "/\x00", "/a#b", "/" + strings.Repeat("p/", 40)}
	for _, p := range paths {
		for _, host := range []string{"127.0.0.1", "::1", "example.com"} {
			r := admin()
			r.Path, r.Host, r.URL = p, host, "http://"+host+":8080"+p
			events = append(events, r)
		}
	}
	if got := alerts(t, events); len(got) != len(events) {
		t.Errorf("%d alerts of %d findings", len(got), len(events))
	}
}

func TestSARIFKeepsTheLimitOfARun(t *testing.T) {
	const limit = 20
	report := NewSARIF()
	if report.findings.limit != 25_000 {
		t.Errorf("%d results at most, want the 25,000 that GitHub takes", report.findings.limit)
	}
	report.findings = NewFindings(limit)
	worse := admin()
	worse.Check, worse.Info = "bad", &Info{Severity: "critical"}
	for _, e := range append(slices.Repeat([]Event{admin()}, 2*limit+5), worse, &Summary{}) {
		report.Add(e)
	}
	var out bytes.Buffer
	var log sarifLog
	if err := errors.Join(report.Write(&out), json.Unmarshal(out.Bytes(), &log)); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if len(run.Results) != limit || run.Results[0].RuleID != "bad" || run.Results[0].Level != "error" {
		t.Errorf("%d results, the first of %q; want %d with the worst first", len(run.Results), run.Results[0].RuleID, limit)
	}
	if notes := run.Invocations[0].Notifications; len(notes) != 1 || !strings.HasPrefix(notes[0].Message.Text, "46 findings, of which the 20 most severe") {
		t.Errorf("the notes say %+v", notes)
	}
}

// A build of a checkout has no number, and the format wants one.
func TestSARIFVersionsBeginWithANumber(t *testing.T) {
	for version, want := range map[string]string{"dev": "0-dev", "": "0-unknown", "1.2.3": "1.2.3", "0.0.0-20261130-abc": "0.0.0-20261130-abc"} {
		var log sarifLog
		text := made(t, "sarif", []Event{&Started{Time: noon, Format: FormatVersion, Version: version}})
		if err := json.Unmarshal([]byte(text), &log); err != nil || log.Runs[0].Tool.Driver.Version != want {
			t.Errorf("%q: %v, %+v; want the version %s", version, err, log.Runs, want)
		}
	}
}
