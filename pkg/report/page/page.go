package page

import (
	"crypto/sha256"
	_ "embed" // of the template and what stands in it
	"encoding/base64"
	"html/template"
	"io"
	"time"

	"github.com/redialscan/redial/pkg/report"
)

// maxFindings is how many findings a page shows, the most severe ones.
const maxFindings = 2000

//go:embed page.html
var pageText string

//go:embed page.css
var styleText string

//go:embed page.js
var scriptText string

// Page is a report.Document: one HTML page of a scan. Make one with [New]; it is not safe for concurrent use.
type Page struct {
	findings *report.Findings
	overview *report.Overview
	curve    curve
	coverage coverage

	tracks    []*track // in the order of their first trip
	byHost    map[string]*track
	throttled map[string]bool
	pauses    int
}

// New makes an empty page.
func New() *Page {
	return &Page{
		findings: report.NewFindings(maxFindings), overview: report.NewOverview(),
		byHost: make(map[string]*track), throttled: make(map[string]bool),
	}
}

// Add implements report.Document.
func (p *Page) Add(e report.Event) {
	p.findings.Add(e)
	p.overview.Add(e)
	p.coverage.add(e)
	switch e := e.(type) {
	case *report.Started:
		if p.curve.begin.IsZero() {
			p.curve.begin = e.Time
		}
	case *report.Result:
		p.curve.add(e.Timestamp, e.Attempts, e.Failed, time.Duration(e.Time))
	case *report.Transition:
		p.move(e)
	case *report.Throttled:
		if len(p.throttled) < maxTracks {
			p.throttled[e.Host] = true
		}
	case *report.Paused:
		if !e.Resumed {
			p.pauses++
		}
	}
}

func (p *Page) move(m *report.Transition) {
	t := p.byHost[m.Host]
	if t == nil {
		if len(p.tracks) >= maxTracks {
			return
		}
		t = &track{host: m.Host}
		p.byHost[m.Host] = t
		p.tracks = append(p.tracks, t)
	}
	t.add(m)
}

// Write implements report.Document.
func (p *Page) Write(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"num":     number,
		"sum":     func(a, b float64) float64 { return a + b },
		"missing": func(r hostRow) string { return number(int64(r.Failed) + int64(r.Skipped)) },
	}).Parse(pageText)
	if err != nil {
		return err
	}
	v := p.view()
	v.Style, v.Script = template.CSS(styleText), template.JS(scriptText)
	// Nothing is loaded, nothing is sent, and only what stands in the page from the start may run.
	v.Policy = "default-src 'none'; base-uri 'none'; form-action 'none'; style-src '" + digest(styleText) + "'; script-src '" + digest(scriptText) + "'"
	return t.Execute(w, v)
}

// digest names a text in a content security policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
