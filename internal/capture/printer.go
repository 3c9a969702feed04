package capture

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
)

// MaxShown is how many bytes of a request or a response are shown.
const MaxShown = 16 << 10

// Printer shows exchanges as curl -v does: > before each line that was sent, < before each that came, * before what is said
// of them. Make one with [NewPrinter]. It is safe for concurrent use, and writes each exchange in one piece.
type Printer struct {
	mu                  sync.Mutex
	w                   io.Writer
	requests, responses bool
}

// NewPrinter shows requests, responses or both on w. Errors of w are passed over: there is nobody to tell.
func NewPrinter(w io.Writer, requests, responses bool) *Printer {
	return &Printer{w: w, requests: requests, responses: responses}
}

// Show writes one exchange.
func (p *Printer) Show(e requester.Exchange) {
	var b bytes.Buffer
	if p.requests {
		showRequest(&b, e)
	}
	if p.responses || e.Err != nil { // a request without the reason of its failure helps nobody
		showResponse(&b, e)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = p.w.Write(b.Bytes())
}

func showRequest(b *bytes.Buffer, e requester.Exchange) {
	switch {
	case e.Method == "":
		fmt.Fprintf(b, "* TLS handshake with %s\n", report.Sanitize(e.URL))
	case e.Sent == nil && e.Err == nil:
		fmt.Fprintf(b, "* nothing was said to %s\n", report.Sanitize(e.URL))
	case e.Sent == nil:
		fmt.Fprintf(b, "* %s %s was not sent\n", report.Sanitize(e.Method), report.Sanitize(e.URL))
	default:
		fmt.Fprintf(b, "* request to %s\n", report.Sanitize(e.URL))
		showMessage(b, '>', e.Sent)
	}
}

func showResponse(b *bytes.Buffer, e requester.Exchange) {
	took := e.Took.Round(time.Millisecond)
	if e.Err != nil {
		fmt.Fprintf(b, "* no response from %s after %s: %s\n", report.Sanitize(e.URL), took, report.Sanitize(e.Err.Error()))
		return
	}
	r := e.Response
	if e.Method == "" {
		fmt.Fprintf(b, "* handshake with %s done after %s\n", report.Sanitize(e.URL), took)
		return
	}
	fmt.Fprintf(b, "* response of %s after %s\n", report.Sanitize(e.URL), took)
	showMessage(b, '<', appendResponse(nil, r))
	if r.Truncated {
		b.WriteString("* the body is longer than what is read of one\n")
	}
}

// appendResponse writes a response in the form of HTTP/1.1, with its body decoded; one of another protocol as it came.
func appendResponse(dst []byte, r *requester.Response) []byte {
	if r.Proto == "" { // no HTTP
		return append(dst, r.Body...)
	}
	dst = fmt.Appendf(dst, "%s %d\r\n", r.Proto, r.Status)
	for _, f := range r.Header {
		dst = append(append(append(dst, f.Name...), ": "...), f.Value...)
		dst = append(dst, "\r\n"...)
	}
	dst = append(dst, "\r\n"...)
	return append(dst, r.Body...)
}

// showMessage writes a message line by line: the head without its secrets, then the body, up to MaxShown bytes.
func showMessage(b *bytes.Buffer, mark byte, message []byte) {
	shown := message[:min(len(message), MaxShown)]
	for end := len(shown); len(shown) < len(message) && end > len(shown)-utf8.UTFMax; { // not in the middle of a letter
		if end--; utf8.RuneStart(message[end]) {
			shown = shown[:end]
			break
		}
	}
	head, first, hidden := true, true, false
	for line := range bytes.Lines(shown) {
		text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
		if text == "" && head {
			head = false
			fmt.Fprintf(b, "%c\n", mark)
			continue
		}
		switch name, value, ok := strings.Cut(text, ":"); {
		case !head || first:
		case hidden && (text[0] == ' ' || text[0] == '\t'): // a value that is folded over lines
			text = " " + masked
		default:
			if hidden = ok && IsSecret(strings.TrimSpace(name)); hidden {
				text = name + ": " + maskValue(strings.TrimSpace(name), value)
			}
		}
		first = false
		fmt.Fprintf(b, "%c %s\n", mark, report.Sanitize(text))
	}
	if rest := len(message) - len(shown); rest > 0 {
		fmt.Fprintf(b, "* %d more bytes\n", rest)
	}
}
