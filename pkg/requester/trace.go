package requester

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Exchange is one attempt to send a request, over one connection or, when the first had been closed, over two.
type Exchange struct {
	URL    string
	Method string // "" for a TLS handshake that was wanted for itself, TCP for a conversation, DNS for a question
	// Sent is the request as it was written to the connection, with everything that the client adds; a request over HTTP/2, which
	// has no such form, in the form of HTTP/1.1. It may hold secrets. nil = no connection came to stand, or Config.KeepSent is
	// not set.
	Sent     []byte
	Response *Response     // nil with an error
	Err      error         // as that of [Client.Do]
	Took     time.Duration // from the begin of the dial to the last byte read
}

// trace tells Config.Trace of an attempt that is over.
func (s *sending) trace(resp *Response, err error) {
	e := Exchange{URL: s.req.url(), Sent: s.copied, Response: resp, Err: err, Took: time.Since(s.booking.sent)}
	if s.req.Handshake == nil {
		e.Method = s.req.method()
	}
	s.client.cfg.Trace(e)
}

// noteSent keeps what is about to be written.
func (s *sending) noteSent(out []byte) {
	if s.client.cfg.KeepSent {
		s.copied = slices.Clone(out)
	}
}

// noteH2 keeps a request that goes over HTTP/2.
func (s *sending) noteH2(r *http.Request) *http.Request {
	if !s.client.cfg.KeepSent {
		return r
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/2.0\r\nHost: %s\r\n", r.Method, appendTarget(nil, s.req.Target), r.Host)
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		for _, value := range r.Header[name] {
			fmt.Fprintf(&b, "%s: %s\r\n", name, value)
		}
	}
	s.copied = append([]byte(b.String()+"\r\n"), s.req.Body...)
	return r
}
