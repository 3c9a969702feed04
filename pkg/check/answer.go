package check

import (
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/redialscan/redial/pkg/check/dsl"
	"github.com/redialscan/redial/pkg/requester"
)

// answer is a response as matchers and extractors see it. Everything that costs memory is made when it is first asked for.
type answer struct {
	req    *requester.Request
	resp   *requester.Response
	url    string // what answered: of a redirect that was followed, where it led
	body   string
	head   string // "" = not made yet
	folded map[string]string
	trees  map[string]document
	facts  map[string]any // of another protocol than HTTP
}

func newAnswer(req *requester.Request, resp *requester.Response, maxSize int) *answer {
	switch {
	case resp.Session != nil:
		return newCertificate(req, resp)
	case resp.Reply != nil:
		return newRecords(req, resp)
	}
	body := resp.Body
	if maxSize > 0 && len(body) > maxSize {
		body = body[:maxSize]
	}
	url := resp.FinalURL
	if url == "" {
		url = requestURL(req)
	}
	return &answer{
		req: req, resp: resp, url: url,
		// A response owns its body and nobody writes to it any more, so the text may share its memory.
		body: unsafe.String(unsafe.SliceData(body), len(body)),
	}
}

// header is the head as text: the status line and the fields in the spelling and order of net/http, for which templates are written,
// whatever the host's were.
func (a *answer) header() string {
	if a.head != "" {
		return a.head
	}
	fields := make([]requester.Field, len(a.resp.Header))
	for i, f := range a.resp.Header {
		fields[i] = requester.Field{Name: textproto.CanonicalMIMEHeaderKey(f.Name), Value: f.Value}
	}
	slices.SortStableFunc(fields, func(a, b requester.Field) int { return strings.Compare(a.Name, b.Name) })
	var b strings.Builder
	b.WriteString(a.resp.Proto + " " + strconv.Itoa(a.resp.Status) + " " + http.StatusText(a.resp.Status) + "\r\n")
	for _, f := range fields {
		b.WriteString(f.Name + ": " + f.Value + "\r\n")
	}
	b.WriteString("\r\n")
	a.head = b.String()
	return a.head
}

// maxRaw bounds the response that a finding tells, in bytes.
const maxRaw = 64 << 10

// raw is the answer as text, for a finding.
func (a *answer) raw() string {
	text := a.header()
	return text + a.body[:min(len(a.body), max(0, maxRaw-len(text)))]
}

// told are request and response for a finding, and a command that sends the request. A certificate was not asked for in words.
func (a *answer) told() (request, response, command string) {
	switch {
	case a.facts == nil:
		return requestText(a.req), a.raw(), curl(a.req)
	case a.req.Handshake != nil:
		return "", "", ""
	}
	said, _ := a.fact("request")
	heard, _ := a.fact("raw")
	request, response = dsl.String(said), dsl.String(heard)
	return request[:min(len(request), maxRaw)], response[:min(len(response), maxRaw)], ""
}

// value gives what an answer has under a name.
func (a *answer) value(name string) (any, bool) {
	if a.facts != nil {
		return a.fact(name)
	}
	switch name {
	case "", "body":
		return a.body, true
	case "header", "all_headers":
		return a.header(), true
	case "all":
		return a.body + a.header(), true
	case "response", "raw":
		return a.header() + a.body, true
	case "request":
		return requestText(a.req), true
	case "status_code":
		return float64(a.resp.Status), true
	case "content_length":
		return float64(a.resp.Length), true
	case "duration":
		return a.resp.Took.Seconds(), true
	case "host":
		return requestURL(a.req), true
	case "matched":
		return a.url, true
	case "type":
		return protocolHTTP, true
	case "ip":
		return a.resp.IP.String(), a.resp.IP.IsValid()
	}
	return a.field(name)
}

// fact is what an answer of another protocol has under a name.
func (a *answer) fact(name string) (any, bool) {
	if v, ok := a.facts[name]; ok {
		return v, true
	}
	switch name {
	case "", "body", "response", "raw", "all":
		return a.body, true
	case "request":
		text := requestText(a.req)
		return text, text != ""
	case "duration":
		return a.resp.Took.Seconds(), true
	case "host", "matched":
		return a.url, true
	case "ip":
		return a.resp.IP.String(), a.resp.IP.IsValid()
	}
	return nil, false
}

// status is what matchers of that type compare: of a reply of a DNS server its code.
func (a *answer) status() int {
	if a.resp.Reply != nil {
		return a.resp.Reply.Rcode
	}
	return a.resp.Status
}

// field looks a name up among header fields and cookies. Fields of one name are joined with a space.
func (a *answer) field(name string) (any, bool) {
	found, n := "", 0
	for i := range a.resp.Header {
		if f := &a.resp.Header[i]; sameField(f.Name, name) {
			if n++; n > 1 {
				found += " "
			}
			found += f.Value
		}
	}
	if n > 0 {
		return found, true
	}
	for i := range a.resp.Header {
		f := &a.resp.Header[i]
		if !strings.EqualFold(f.Name, "Set-Cookie") {
			continue
		}
		if c, err := http.ParseSetCookie(f.Value); err == nil && sameField(c.Name, name) {
			return c.Value, true
		}
	}
	return nil, false
}

// sameField compares the name of a header field with that of a variable: in lower case, with underscores.
func sameField(header, name string) bool {
	if len(header) != len(name) {
		return false
	}
	for i := range len(name) {
		c := header[i]
		switch {
		case c == '-':
			c = '_'
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		}
		if d := name[i]; c != d && !(d == '-' && c == '_') {
			return false
		}
	}
	return true
}

// isOfResponse knows the names that every answer has, and those with the number of a request behind them.
func isOfResponse(name string) bool {
	switch name {
	case "body", "header", "all_headers", "all", "response", "raw", "status_code", "content_length", "duration", "host", "matched", "ip":
		return true
	}
	protocol, _, _ := strings.Cut(name, "_")
	return isNumbered(name) || protocol != name && slices.Contains(protocols[:], protocol)
}

// numbered takes a name such as body_2 apart.
func numbered(name string) (base string, n int, ok bool) {
	at := strings.LastIndexByte(name, '_')
	if at <= 0 || !isDigits(name[at+1:]) {
		return name, 0, false
	}
	n, err := strconv.Atoi(name[at+1:])
	return name[:at], n, err == nil && n > 0
}

func isNumbered(name string) bool {
	_, _, ok := numbered(name)
	return ok && !isRandomText(name)
}
