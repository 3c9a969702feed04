package check

import (
	"slices"

	"github.com/redialscan/redial/pkg/requester"
)

// Match tells whether an answer is a finding: for each match flag that was given, one of its values matches, and no value of any filter flag
// does. page is what [ReadPage] made of resp.
//
// Texts and expressions are looked for in the decoded body, in the host's encoding, and in each header line as "Name: value", so that ^ and $
// are the ends of a line there.
func (f *Filter) Match(page *Page, resp *requester.Response) bool {
	if f == nil {
		return true
	}
	if f.hideNotFound && page.Status == 404 {
		return false
	}
	m, d := &f.match, &f.drop
	// What costs nothing decides first.
	if m.status != nil && !m.status.has(int64(page.Status)) || m.length != nil && !m.length.has(page.Length) ||
		d.status.has(int64(page.Status)) || d.length.has(page.Length) {
		return false
	}
	return (m.texts == nil || m.hasText(resp)) && (m.patterns == nil || m.hasPattern(resp)) &&
		(d.texts == nil || !d.hasText(resp)) && (d.patterns == nil || !d.hasPattern(resp))
}

func (r *rules) hasText(resp *requester.Response) bool {
	return anywhere(resp, func(text []byte) bool {
		return slices.ContainsFunc(r.texts, func(part string) bool { return containsFold(text, part) })
	})
}

func (r *rules) hasPattern(resp *requester.Response) bool {
	for _, pattern := range r.patterns {
		if anywhere(resp, pattern.Match) {
			return true
		}
	}
	return false
}

// anywhere reports whether found is true for a header line or the body.
func anywhere(resp *requester.Response, found func([]byte) bool) bool {
	var line []byte
	for i := range resp.Header {
		line = append(append(append(line[:0], resp.Header[i].Name...), ": "...), resp.Header[i].Value...)
		if found(line) {
			return true
		}
	}
	return found(resp.Body)
}
