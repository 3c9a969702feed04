package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// sarifResults is the most results that GitHub code scanning takes from one run.
const sarifResults = 25_000

// SARIF is a [Document] in the Static Analysis Results Interchange Format 2.1.0, with what GitHub code scanning asks for:
// each check that found something is a rule, each finding a result. It is valid when nothing was found.
//
// A finding of a scan has no place in a source file, which a result must name. So the place is made of what stays the
// same from scan to scan: hosts/ADDRESS:PORT/PATH, line 1. The fingerprint is made of check, place and matcher, and of
// nothing that an answer may change.
type SARIF struct {
	findings *Findings
	overview *Overview
}

// NewSARIF makes an empty one.
func NewSARIF() *SARIF {
	return &SARIF{findings: NewFindings(sarifResults), overview: NewOverview()}
}

// Add implements [Document].
func (s *SARIF) Add(e Event) {
	s.findings.Add(e)
	s.overview.Add(e)
}

// Write implements [Document].
func (s *SARIF) Write(w io.Writer) error {
	sum := s.overview.Summary()
	run := sarifRun{
		Tool: sarifTool{Driver: sarifDriver{
			Name: "redial", InformationURI: homePage, Rules: []sarifRule{},
			Version: numeric(s.overview.Started().Version), SemanticVersion: semantic(s.overview.Started().Version),
		}},
		Invocations: []sarifInvocation{{
			Successful: sum.Interrupted == "", StartTime: sarifTime(s.overview.Began()), EndTime: sarifTime(sum.Time),
			Notifications: s.notes(&sum),
		}},
		ColumnKind:        "utf16CodeUnits",
		AutomationDetails: sarifAutomation{ID: "redial/"},
		Results:           []sarifResult{},
	}
	rules := make(map[string]int)
	seen := make(map[string]int)
	for _, f := range s.findings.Worst() {
		index, ok := rules[f.ID()]
		if !ok {
			index = len(rules)
			rules[f.ID()] = index
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, newSarifRule(f))
		}
		print := fingerprint(f)
		seen[print]++
		run.Results = append(run.Results, newSarifResult(f, index, print+":"+strconv.Itoa(seen[print])))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

// notes says what the results do not: what was left out of them, and what of the scan.
func (s *SARIF) notes(sum *Summary) []sarifNotification {
	notes := []sarifNotification{}
	note := func(level, format string, args ...any) {
		notes = append(notes, sarifNotification{Level: level, Message: sarifMessage{Text: Sanitize(fmt.Sprintf(format, args...))}})
	}
	if left := s.findings.Total() - int64(len(s.findings.Worst())); left > 0 {
		note("warning", "%d findings, of which the %d most severe are listed; a run has no room for more.", s.findings.Total(), s.findings.limit)
	}
	if sum.Interrupted != "" {
		note("error", "The scan stopped early: %s.", sum.Interrupted)
	}
	if sum.Failed+sum.Skipped > 0 {
		note("warning", "%d of %d items failed and %d were skipped%s: what they would have found is not known.",
			sum.Failed, sum.Items, sum.Skipped, inBrackets(reasonList(sum)))
	}
	return notes
}

// fingerprint names a finding in the same way in every scan.
func fingerprint(f Finding) string {
	sum := sha256.Sum256([]byte(f.ID() + "\x00" + artifact(f) + "\x00" + f.Matcher()))
	return hex.EncodeToString(sum[:16])
}

// numeric is a version that begins with a number, as the format wants it, also for the build of a checkout, which has none.
func numeric(version string) string {
	if version != "" && version[0] >= '0' && version[0] <= '9' {
		return version
	}
	return "0-" + cmp.Or(version, "unknown")
}

// semantic is a version of the form that the format calls semantic, nothing for another, such as that of a build of a checkout.
func semantic(version string) string {
	numbers, _, _ := strings.Cut(version, "-")
	numbers, _, _ = strings.Cut(numbers, "+")
	parts := strings.Split(numbers, ".")
	for _, part := range parts {
		if _, err := strconv.ParseUint(part, 10, 32); err != nil || len(parts) != 3 {
			return ""
		}
	}
	return version
}

// sarifTime is a moment as the schema wants it, nothing for none.
func sarifTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
