package page

import (
	"cmp"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/redialscan/redial/pkg/report"
)

// How many rows of a table stand open; the rest is folded, and beyond shownHosts and shownChecks left out.
const (
	openFindings = 100
	openHosts    = 40
	openChecks   = 20
	shownHosts   = 5000
	shownChecks  = 2000
)

// view is what the template shows. Texts are as they came, but for what steers a terminal or the direction of text.
type view struct {
	Policy string
	Style  template.CSS
	Script template.JS

	Title, Began, Took, Version, Interrupted string
	Inputs                                   []string
	Options                                  [][2]string

	Hosts, Items, Done, Failed, Skipped, Sent, Findings int64
	Severities                                          []countRow
	Share                                               [3]float64 // of 1000: done, failed, skipped
	Reasons, Failures                                   []countRow

	FindingRows folded[findingRow]
	Tracks      folded[hostRow]
	Tripped     int64
	Ticks       []string
	Hints       []hint
	Checks      folded[checkRow]
	Charts      []chart
}

// folded is a table of which the first rows stand open.
type folded[row any] struct {
	Open, Rest []row
	Left       int64 // rows that are not in the page
}

func fold[row any](rows []row, open, shown int, total int64) folded[row] {
	rows = rows[:min(len(rows), shown)]
	n := min(len(rows), open)
	return folded[row]{Open: rows[:n], Rest: rows[n:], Left: max(0, total-int64(len(rows)))}
}

type findingRow struct {
	Severity, Name, Matcher, URL, Link, What string
	Status                                   int
}

type hostRow struct {
	Host, State, Away, Error string
	Trips                    int
	Done, Failed, Skipped    uint32
	Line                     []stretch
	Story                    string // the same in words
}

type checkRow struct {
	Name, What                      string
	Done, Failed, Skipped, Findings int64
}

func (p *Page) view() *view {
	sum := p.overview.Summary()
	began := p.overview.Began()
	end := sum.Time // a scan that was resumed has begun earlier than its summary says
	if !end.After(began) {
		end = began.Add(time.Duration(sum.Duration))
	}
	started := p.overview.Started()
	v := &view{
		Title: "redial scan", Began: began.UTC().Format("2006-01-02 15:04:05 UTC"), Took: humanDuration(end.Sub(began)),
		Version: clean(started.Version), Interrupted: clean(sum.Interrupted),
		Hosts: sum.Hosts, Items: sum.Items, Done: sum.Done, Failed: sum.Failed, Skipped: sum.Skipped, Sent: sum.Sent,
		Findings: p.findings.Total(), Reasons: largest(cleanKeys(sum.SkippedBy)), Failures: p.coverage.failures(10),
		Tripped: max(sum.QuarantinedHosts, int64(len(p.tracks))),
	}
	for _, in := range started.Inputs {
		v.Inputs = append(v.Inputs, clean(in.Name))
	}
	for name, value := range started.Options {
		v.Options = append(v.Options, [2]string{clean(name), clean(value)})
	}
	slices.SortFunc(v.Options, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	if sum.Items > 0 {
		for i, n := range []int64{sum.Done, sum.Failed, sum.Skipped} {
			v.Share[i] = 1000 * float64(n) / float64(sum.Items)
		}
	}
	for i := range v.Failures {
		v.Failures[i].Name = clean(v.Failures[i].Name)
	}
	p.viewFindings(v)
	p.viewTracks(v, began, end)
	p.viewChecks(v)
	v.Charts = p.charts(end)
	e := evidence{
		begin: began, end: end, options: started.Options, tracks: p.tracks, throttled: len(p.throttled), pauses: p.pauses,
		answered: func(host string) bool { return p.overview.Host(host).Done > 0 },
		p99:      percentile(p.curve.all(), 0.99),
	}
	v.Hints = e.hints()
	return v
}

// clean makes control characters visible; the template does what HTML needs.
func clean(text string) string {
	const most = 500
	text = report.Sanitize(text)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// webLink is an address that leads to a web page, "" for every other text.
func webLink(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	if strings.ContainsFunc(u.Host, func(r rune) bool {
		return r < '0' && r != '-' && r != '.' && r != '%' || r > 'z' || strings.ContainsRune("<>?@\\^`;=", r)
	}) {
		return ""
	}
	return u.String()
}

func cleanKeys(counts map[string]int64) map[string]int64 {
	out := make(map[string]int64, len(counts))
	for name, n := range counts {
		out[clean(name)] += n
	}
	return out
}

func (p *Page) viewFindings(v *view) {
	var rows []findingRow
	for _, f := range p.findings.Worst() {
		r := findingRow{
			Severity: clean(f.Severity()), Name: clean(f.Name()), Matcher: clean(f.Matcher()), URL: clean(f.URL()), Status: f.Result.StatusCode,
			What: clean(f.What()),
		}
		r.Link = webLink(f.URL())
		rows = append(rows, r)
	}
	for _, severity := range []string{"critical", "high", "medium", "low", "info"} {
		if n := p.findings.OfRank(report.SeverityRank(severity)); n > 0 {
			v.Severities = append(v.Severities, countRow{severity, n})
		}
	}
	v.FindingRows = fold(rows, openFindings, maxFindings, v.Findings)
}

func (p *Page) viewChecks(v *view) {
	p.coverage.settle()
	var rows []checkRow
	for i, n := range p.coverage.checks {
		row := checkRow{Done: n.done, Failed: n.failed, Skipped: n.skipped, Findings: n.findings}
		switch c := p.findings.Check(i); {
		case i == maxChecks:
			row.Name = "all further checks"
		case c != nil:
			row.Name = clean(cmp.Or(c.Name, c.ID))
			row.What = clean(strings.TrimSpace(c.Method + " " + c.Path))
		default:
			row.Name = fmt.Sprintf("check %d", i)
		}
		rows = append(rows, row)
	}
	total := int64(len(rows))
	slices.SortStableFunc(rows, func(a, b checkRow) int {
		return cmp.Or(cmp.Compare(b.Failed+b.Skipped, a.Failed+a.Skipped), cmp.Compare(b.Findings, a.Findings))
	})
	v.Checks = fold(rows, openChecks, shownChecks, total)
}
