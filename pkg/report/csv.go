package report

import (
	"cmp"
	"encoding/csv"
	"strconv"
	"strings"
	"time"
)

// CSV is a [Handler] that writes a table: a row for each finding, each failed item, and each target of which items were
// skipped; outcome tells which. A spreadsheet takes no cell for a formula, whatever a host has sent.
type CSV struct {
	out    *WholeFile
	w      *csv.Writer
	checks map[int]*Check
}

// NewCSV writes a table to out.
func NewCSV(out *WholeFile) *CSV {
	w := csv.NewWriter(out)
	w.UseCRLF = true // as RFC 4180 has it
	return &CSV{out, w, make(map[int]*Check)}
}

// Start writes the names of the columns.
func (c *CSV) Start() error {
	return c.row("outcome", "time", "severity", "check", "name", "matcher", "url", "host", "ip", "method", "status", "length", "title",
		"server", "content_type", "location", "final_url", "extracted", "duration_ms", "attempts", "items", "reason", "error")
}

// Event writes the rows of a result, or of what was skipped.
func (c *CSV) Event(e Event) error {
	switch e := e.(type) {
	case *Check:
		c.checks[e.Index] = e
	case *Result:
		f := Finding{Result: e, Check: checkOf(c.checks, e)}
		switch {
		case e.Failed:
			return c.result("failed", f)
		case !e.Matched:
			return nil
		case len(e.Matches) == 0:
			return c.result("finding", f)
		}
		for i := range e.Matches {
			f.Match = &e.Matches[i]
			if err := c.result("finding", f); err != nil {
				return err
			}
		}
	case *Skipped:
		return c.row("skipped", csvTime(e.Time), "", "", "", "", cmp.Or(e.URL, hideUserinfo(e.Input)), e.Host, "", "", "", "", "",
			"", "", "", "", "", "", "", strconv.FormatInt(e.Count(), 10), e.Reason, e.LastError)
	}
	return nil
}

func (c *CSV) result(outcome string, f Finding) error {
	r := f.Result
	severity, status, length, took := "", "", "", ""
	if outcome == "finding" {
		severity = f.Severity()
	}
	if r.StatusCode > 0 {
		status = strconv.Itoa(r.StatusCode)
		length = strconv.FormatInt(max(0, r.ContentLength), 10)
	}
	if r.Time > 0 {
		took = strconv.FormatFloat(time.Duration(r.Time).Seconds()*1000, 'f', 3, 64)
	}
	return c.row(outcome, csvTime(r.Timestamp), severity, f.ID(), f.Name(), f.Matcher(), f.URL(), f.Key(), r.HostIP, r.Method, status,
		length, r.Title, r.WebServer, r.ContentType, r.Location, r.FinalURL, strings.Join(f.Extracted(), "; "), took,
		strconv.Itoa(r.Attempts), "1", "", r.Error)
}

func (c *CSV) row(cells ...string) error {
	for i, cell := range cells {
		cells[i] = csvCell(cell)
	}
	if err := c.w.Write(cells); err != nil {
		return c.out.fail(err)
	}
	return nil
}

// Finish puts the file in its place.
func (c *CSV) Finish() error {
	c.w.Flush()
	return c.out.Commit()
}

// csvCell makes a cell that is text: what a spreadsheet would take for the begin of a formula stands behind an apostrophe,
// which shows it as text. That holds for the wide forms of the signs too, which some programs read as the narrow ones,
// and for signs behind blanks.
func csvCell(text string) string {
	text = Sanitize(text)
	switch first := strings.TrimLeft(text, " \u00a0\u3000"); {
	case first == "":
	case strings.ContainsRune("=+-@＝＋－＠", []rune(first)[0]):
		return "'" + text
	}
	return text
}

func csvTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
