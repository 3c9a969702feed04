package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// What a page of Markdown takes: GitHub refuses the summary of a step above 1 MiB as a whole.
const (
	markdownFindings = 1000
	markdownBytes    = 900 << 10
)

// Markdown is a [Document] for people who look at a pipeline: numbers, findings, what was left out and why. It fits the
// summary of a GitHub step. Nothing from a host is more than text in it: no link, no picture, no mention.
type Markdown struct {
	findings *Findings
	overview *Overview
}

// NewMarkdown makes an empty one.
func NewMarkdown() *Markdown {
	return &Markdown{findings: NewFindings(markdownFindings), overview: NewOverview()}
}

// Add implements [Document].
func (m *Markdown) Add(e Event) {
	m.findings.Add(e)
	m.overview.Add(e)
}

// Write implements [Document].
func (m *Markdown) Write(w io.Writer) error {
	sum := m.overview.Summary()
	var b bytes.Buffer
	title := "Scan finished"
	if sum.Interrupted != "" {
		title = "Scan interrupted" + sum.why(100, escapeMarkdown)
	}
	fmt.Fprintf(&b, "## %s after %s\n\n", title, roundTime(sum.Duration))
	b.WriteString("| hosts | items | done | failed | skipped | requests | findings |\n|---:|---:|---:|---:|---:|---:|---:|\n")
	fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d |\n", sum.hosts(), sum.Items, sum.Done, sum.Failed, sum.Skipped, sum.Sent, m.findings.Total())
	var rest bytes.Buffer
	writeMarkdownReasons(&rest, &sum)
	writeMarkdownHosts(&rest, &sum)
	m.writeFindings(&b, markdownBytes-rest.Len())
	b.Write(rest.Bytes())
	_, err := w.Write(b.Bytes())
	return err
}

func (m *Markdown) writeFindings(b *bytes.Buffer, limit int) {
	b.WriteString("\n### Findings\n\n")
	if m.findings.Total() == 0 {
		b.WriteString("None.\n")
		return
	}
	b.WriteString("| severity | check | where | status | what |\n|---|---|---|---:|---|\n")
	shown := int64(0)
	for _, f := range m.findings.Worst() {
		if b.Len() > limit-8<<10 { // more than a row takes
			break
		}
		check := f.Name()
		if name := f.Matcher(); name != "" {
			check += " (" + name + ")"
		}
		status := ""
		if f.Result.StatusCode > 0 {
			status = fmt.Sprint(f.Result.StatusCode)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", markdownCell(f.Severity(), 20), markdownCell(check, 100),
			markdownCell(f.URL(), 300), status, markdownCell(f.What(), 200))
		shown++
	}
	if more := m.findings.Total() - shown; more > 0 {
		fmt.Fprintf(b, "\nAnd %d more, in the results.\n", more)
	}
}

func writeMarkdownReasons(b *bytes.Buffer, sum *Summary) {
	if sum.Skipped == 0 {
		return
	}
	b.WriteString("\n### Skipped\n\n| reason | items |\n|---|---:|\n")
	for _, reason := range reasons(sum) {
		fmt.Fprintf(b, "| %s | %d |\n", markdownCell(reason, 50), sum.SkippedBy[reason])
	}
}

func writeMarkdownHosts(b *bytes.Buffer, sum *Summary) {
	if sum.QuarantinedHosts == 0 || len(sum.Quarantined) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### Quarantined hosts: %d\n\n", sum.QuarantinedHosts)
	b.WriteString("| host | state | trips | time | done | failed | skipped | last error |\n|---|---|---:|---:|---:|---:|---:|---|\n")
	for _, h := range sum.Quarantined {
		fmt.Fprintf(b, "| %s | %s | %d | %s | %d | %d | %d | %s |\n", markdownCell(h.Host, 100), markdownCell(h.State, 20),
			h.Trips, roundTime(h.Quarantine), h.Done, h.Failed, h.Skipped, markdownCell(h.LastError, 200))
	}
	if more := sum.QuarantinedHosts - int64(len(sum.Quarantined)); more > 0 {
		fmt.Fprintf(b, "\nAnd %d more.\n", more)
	}
}

func markdownCell(text string, width int) string { return escapeMarkdown(cut(text, width)) }

// escapeMarkdown makes text that Markdown shows as it is. Punctuation becomes character references: those are never
// taken for structure, neither as markup nor, with the colon and the at sign, as a bare link or a mention.
func escapeMarkdown(text string) string {
	var b strings.Builder
	for _, r := range Sanitize(text) {
		switch {
		case r > 0x7e || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(" ,;/%?-=()\"'", r):
			b.WriteRune(r)
		case r == '.' && !strings.HasSuffix(strings.ToLower(b.String()), "www"): // www. begins a link
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	return b.String()
}

// codeText is an id within back quotes.
func codeText(id string) string { return strings.ReplaceAll(Sanitize(id), "`", "'") }
