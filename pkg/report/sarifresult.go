package report

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

func newSarifResult(f Finding, rule int, print string) sarifResult {
	r := f.Result
	out := sarifResult{
		RuleID: Sanitize(f.ID()), RuleIndex: rule, Level: sarifLevel(f.Severity()),
		Message: sarifMessage{Text: findingText(f)},
		Locations: []sarifLocation{{Physical: sarifPhysical{
			Artifact: sarifArtifact{URI: artifact(f)},
			Region:   sarifRegion{StartLine: 1, StartColumn: 1, EndLine: 1, EndColumn: 2},
		}}},
		Fingerprints: map[string]string{"primaryLocationLineHash": print},
	}
	if r.Scheme == "http" || r.Scheme == "https" {
		out.Request = &sarifRequest{Protocol: "HTTP", Target: cut(f.URL(), 4096), Method: Sanitize(r.Method)}
	}
	if r.StatusCode > 0 {
		out.Response = &sarifResponse{StatusCode: r.StatusCode, Protocol: "HTTP"}
	}
	return out
}

// findingText is one finding as a sentence.
func findingText(f Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s at %s", cut(f.Name(), 200), cut(f.URL(), 1000))
	var facts []string
	fact := func(name, value string) {
		if value != "" {
			facts = append(facts, name+" \""+cut(value, 200)+`"`)
		}
	}
	fact("matcher", f.Matcher())
	if f.Result.StatusCode > 0 {
		facts = append(facts, "status "+strconv.Itoa(f.Result.StatusCode))
	}
	fact("title", f.Result.Title)
	fact("server", f.Result.WebServer)
	for _, text := range f.Extracted() {
		fact("extracted", text)
	}
	b.WriteString(inBrackets(strings.Join(facts, ", ")))
	return sentence(b.String())
}

// artifact is the place of a finding as a relative URI: what the scan asked, without what may differ the next time.
func artifact(f Finding) string {
	key, path := f.Key(), f.Result.Path
	if u, err := url.Parse(f.URL()); err == nil && u.Host != "" && f.Match != nil && f.Match.MatchedAt != "" {
		path = u.EscapedPath()
		if u.RawQuery != "" {
			path += "?" + u.RawQuery
		}
		if u.Host != "" && u.Port() != "" {
			key = strings.ToLower(u.Host)
		}
	}
	if key == "" {
		key = f.URL()
	}
	var b strings.Builder
	b.WriteString("hosts/" + escapeSegment(key))
	for segment := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		b.WriteString("/" + escapeSegment(segment))
	}
	return strings.TrimSuffix(b.String(), "/")
}

// escapeSegment makes a segment of a path that means itself, and is none of the dots that a reader resolves.
func escapeSegment(segment string) string {
	if segment == "." || segment == ".." {
		return strings.ReplaceAll(segment, ".", "%252E")
	}
	var b strings.Builder
	for i := range len(segment) {
		c := segment[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~:@!$&'()*+,;=", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
