package report

import (
	"fmt"
	"io"
	"strings"
)

// AnnotationsShown is how many annotations GitHub shows of a step, of each kind.
const AnnotationsShown = 10

// Annotations is a [Handler] that ends with workflow commands, which GitHub Actions shows as annotations of a run: the
// worst findings, and what was left out; at most [AnnotationsShown] lines in all.
type Annotations struct {
	w        io.Writer
	findings *Findings
	overview *Overview
}

// NewAnnotations writes to w, which GitHub reads: standard output or standard error.
func NewAnnotations(w io.Writer) *Annotations {
	return &Annotations{w: w, findings: NewFindings(AnnotationsShown), overview: NewOverview()}
}

// Start implements [Handler].
func (a *Annotations) Start() error { return nil }

// Event implements [Handler].
func (a *Annotations) Event(e Event) error {
	a.findings.Add(e)
	a.overview.Add(e)
	return nil
}

// Finish writes the lines.
func (a *Annotations) Finish() error {
	sum := a.overview.Summary()
	room := AnnotationsShown
	var b strings.Builder
	if left := sum.Failed + sum.Skipped; left > 0 || sum.Interrupted != "" {
		room--
		text := fmt.Sprintf("%d of %d items failed or were skipped%s", left, sum.Items, inBrackets(reasonList(&sum)))
		if sum.Interrupted != "" {
			text += ": " + sum.Interrupted
		}
		writeAnnotation(&b, "warning", "Not everything was scanned", text)
	}
	worst := a.findings.Worst()
	total := a.findings.Total()
	if total > int64(room) {
		room--
	}
	worst = worst[:min(len(worst), room)]
	for _, f := range worst {
		title := f.Name()
		if name := f.Matcher(); name != "" {
			title += ": " + name
		}
		if severity := f.Severity(); severity != "" {
			title += " (" + severity + ")"
		}
		text := f.URL()
		if about := f.What(); about != "" {
			text += ": " + about
		}
		writeAnnotation(&b, annotationLevel(f.Severity()), title, text)
	}
	if more := total - int64(len(worst)); more > 0 {
		writeAnnotation(&b, "notice", "More findings", fmt.Sprintf("and %d more findings", more))
	}
	if _, err := io.WriteString(a.w, b.String()); err != nil {
		return &OutputError{Name: "annotations", Err: err}
	}
	return nil
}

func annotationLevel(severity string) string {
	if level := sarifLevel(severity); level != "note" {
		return level
	}
	return "notice"
}

// writeAnnotation writes one command. Sanitizing leaves no line ends; the escapes are those of GitHub's own toolkit.
func writeAnnotation(b *strings.Builder, level, title, text string) {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	fmt.Fprintf(b, "::%s title=%s::%s\n", level, property.Replace(cut(title, 200)), data.Replace(cut(text, 1000)))
}
