package report

import (
	"strconv"
	"time"
)

// Field is a part of a result that a line of text can have.
type Field struct {
	Name  string   // as it is told to people
	Also  []string // what users of httpx call it
	color string
	of    func(*Result) string // "" leaves it out
}

// Fields are all fields that [TextOptions] takes, in the order of their use.
func Fields() []Field {
	return []Field{
		{"url", []string{"u"}, "", func(*Result) string { return "" }}, // every line begins with it
		{"status", []string{"sc", "status-code", "status_code"}, "", func(r *Result) string { return positive(r.StatusCode) }},
		{"length", []string{"cl", "content-length", "content_length"}, colorMagenta, length},
		{"title", nil, colorCyan, func(r *Result) string { return r.Title }},
		{"server", []string{"webserver", "web-server"}, colorBlue, func(r *Result) string { return r.WebServer }},
		{"location", nil, "", leadsTo},
		{"type", []string{"ct", "content-type", "content_type"}, "", func(r *Result) string { return r.ContentType }},
		{"ip", []string{"host-ip", "host_ip"}, "", func(r *Result) string { return r.HostIP }},
		{"time", []string{"rt", "response-time"}, "", took},
		{"method", nil, "", func(r *Result) string { return r.Method }},
		{"words", []string{"wc", "word-count"}, "", func(r *Result) string { return ofProbe(r, r.Words) }},
		{"lines", []string{"lc", "line-count"}, "", func(r *Result) string { return ofProbe(r, r.Lines) }},
		{"host", nil, "", func(r *Result) string { return r.Host }},
		{"port", nil, "", func(r *Result) string { return r.Port }},
		{"scheme", nil, "", func(r *Result) string { return r.Scheme }},
		{"path", nil, "", func(r *Result) string { return r.Path }},
		{"input", nil, "", func(r *Result) string { return hideUserinfo(r.Input) }},
		{"attempts", nil, "", func(r *Result) string { return positive(r.Attempts) }},
		{"subject", []string{"tls-subject", "tls_subject"}, "", func(r *Result) string { return r.TLSSubject }},
	}
}

// usualFields stand in a line when nobody says otherwise.
const usualFields = 6

// fields looks names up; one that is not known is passed over: [Fields] is what to check them against.
func fields(names []string) []Field {
	var found []Field
	for _, name := range names {
		for _, f := range Fields() {
			if f.Name == name {
				found = append(found, f)
			}
		}
	}
	return found
}

func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// ofProbe is a number of what the built-in probe counts; a check counts nothing.
func ofProbe(r *Result, n int) string {
	if len(r.Matches) > 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func length(r *Result) string {
	if r.ContentLength < 0 {
		return ""
	}
	return strconv.FormatInt(r.ContentLength, 10)
}

func leadsTo(r *Result) string {
	switch {
	case r.Location != "":
		return "-> " + r.Location
	case r.FinalURL != "" && r.FinalURL != r.URL:
		return "-> " + r.FinalURL
	}
	return ""
}

// took rounds to what a person can use.
func took(r *Result) string {
	if r.Time <= 0 {
		return ""
	}
	return time.Duration(r.Time).Round(100 * time.Microsecond).String()
}

// appendFields appends the parts of a line that were asked for.
func (t *Text) appendFields(dst []byte, chosen []Field, r *Result) []byte {
	for _, f := range chosen {
		color := f.color
		if f.Name == "status" {
			color = statusColor(r.StatusCode)
		}
		dst = t.appendPart(dst, color, f.of(r))
	}
	return dst
}
