package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// maxTitle bounds what a page's title may take of a line of text, in runes.
const maxTitle = 200

// TextOptions say how results look as text. The zero value is plain, findings only.
type TextOptions struct {
	Color      bool // escape sequences of our own; those of hosts never pass
	ShowFailed bool // items that failed are results too
	// Fields are the names of what follows the URL, in this order, see [Fields]; nil is status, length, title, server and where
	// it leads to, for the built-in probe. The line of a check's match has none of these, and Fields after its own parts.
	Fields []string
	// MoreFields follow Fields, or what stands there without any.
	MoreFields []string
}

// Text is a [Handler] that writes results for people, one a line, as httpx does:
//
//	http://127.0.0.1:8080/admin [200] [1234] [Title] [nginx]
//
// and the matches of a check as nuclei does, each on a line:
//
//	[git-config:core] [medium] http://127.0.0.1:8080/.git/config ["bare = false"]
//
// What a host did not send is left out.
type Text struct {
	out     *Output
	opt     TextOptions
	ofLine  []Field
	ofMatch []Field
}

// NewText writes results as text to out.
func NewText(out *Output, opt TextOptions) *Text {
	t := &Text{out: out, opt: opt, ofLine: Fields()[:usualFields]}
	if opt.Fields != nil {
		t.ofLine = fields(opt.Fields)
		t.ofMatch = t.ofLine
	}
	more := fields(opt.MoreFields)
	t.ofLine, t.ofMatch = slices.Concat(t.ofLine, more), slices.Concat(t.ofMatch, more)
	return t
}

// Start implements [Handler].
func (t *Text) Start() error { return t.out.start() }

// Event writes a result, and passes over every other event.
func (t *Text) Event(e Event) error {
	r, ok := e.(*Result)
	if !ok || !shown(r, t.opt.ShowFailed) {
		return nil
	}
	if len(r.Matches) == 0 || r.Failed {
		t.out.buf = t.appendLine(t.out.buf, r)
		return t.out.wrote()
	}
	for i := range r.Matches {
		t.out.buf = t.appendMatch(t.out.buf, r, &r.Matches[i])
	}
	return t.out.wrote()
}

// Flush implements [Flusher].
func (t *Text) Flush() error { return t.out.flush() }

// Finish writes what is left and closes a file.
func (t *Text) Finish() error { return t.out.close() }

// shown reports whether an item is printed: a finding, or a failure that was asked for.
func shown(r *Result, showFailed bool) bool {
	if r.Failed {
		return showFailed
	}
	return r.Matched
}

// Colours of the parts of a line, as numbers of the SGR escape sequence.
const (
	colorGreen   = "32"
	colorYellow  = "33"
	colorRed     = "31"
	colorMagenta = "35"
	colorCyan    = "36"
	colorBlue    = "34"
)

func (t *Text) appendLine(dst []byte, r *Result) []byte {
	url := r.URL
	if url == "" { // the scheme was never settled
		url = hideUserinfo(r.Input)
	}
	dst = appendSanitized(dst, url)
	if r.Failed {
		dst = t.appendPart(dst, colorRed, "FAILED")
		return append(t.appendPart(dst, "", r.Error), '\n')
	}
	dst = t.appendFields(dst, t.ofLine, r)
	if r.RedirectSkipped != "" {
		dst = t.appendPart(dst, colorYellow, "redirect skipped: "+r.RedirectSkipped)
	}
	return append(dst, '\n')
}

// appendMatch appends the line of one match.
func (t *Text) appendMatch(dst []byte, r *Result, m *Match) []byte {
	id := r.Check
	if name := cmp.Or(m.MatcherName, m.ExtractorName); name != "" {
		id += ":" + name
	}
	dst = t.appendBracketed(dst, colorGreen, id)
	dst = t.appendPart(dst, colorBlue, cmp.Or(m.Type, r.Protocol))
	if r.Info != nil {
		dst = t.appendPart(dst, severityColor(r.Info.Severity), r.Info.Severity)
	}
	dst = append(dst, ' ')
	dst = appendSanitized(dst, cmp.Or(m.MatchedAt, r.URL, hideUserinfo(r.Input)))
	if len(m.Extracted) > 0 {
		quoted := make([]string, len(m.Extracted))
		for i, text := range m.Extracted {
			quoted[i] = strconv.Quote(text)
		}
		dst = t.appendPart(dst, colorCyan, strings.Join(quoted, ","))
	}
	return append(t.appendFields(dst, t.ofMatch, r), '\n')
}

func severityColor(severity string) string {
	switch SeverityRank(severity) {
	case 5, 4:
		return colorRed
	case 3:
		return colorYellow
	case 2:
		return colorGreen
	}
	return colorBlue
}

// appendPart appends " [text]", nothing for an empty text.
func (t *Text) appendPart(dst []byte, color, text string) []byte {
	if text == "" {
		return dst
	}
	return t.appendBracketed(append(dst, ' '), color, text)
}

func (t *Text) appendBracketed(dst []byte, color, text string) []byte {
	dst = append(dst, '[')
	colored := t.opt.Color && color != ""
	if colored {
		dst = append(dst, "\x1b["+color+"m"...)
	}
	dst = appendCut(dst, text, maxTitle)
	if colored {
		dst = append(dst, "\x1b[0m"...)
	}
	return append(dst, ']')
}

func statusColor(code int) string {
	switch {
	case code >= 500:
		return colorMagenta
	case code >= 400:
		return colorRed
	case code >= 300:
		return colorYellow
	}
	return colorGreen
}
