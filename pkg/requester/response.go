package requester

import (
	"context"
	"crypto/tls"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"

	"github.com/redialscan/redial/pkg/hosterrors"
)

// Response is the answer to a [Request]. It owns its memory: nothing of it is reused by the client.
type Response struct {
	Status    int
	Proto     string  // HTTP/1.0, HTTP/1.1 or HTTP/2.0
	Header    []Field // as received: order, case and duplicates kept (HTTP/2: lower case, sorted by name)
	Body      []byte  // decoded; nil unless asked for
	Truncated bool    // the body was longer than the limit
	// Length is the number of bytes of the decoded body; where the body was not read to its end or there is none
	// (HEAD), it is the declared Content-Length, or else what was read.
	Length int64
	IP     netip.Addr // the peer; invalid behind a proxy
	TLS    *TLSInfo   // nil without TLS; shared by the responses of one connection, not to be changed
	// Session is what the handshake agreed on, where the request was one for that; it is not to be changed.
	Session *tls.ConnectionState
	// Reply is the answer to a Query, and Body the same as text; it is not to be changed.
	Reply *dns.Msg
	Took  time.Duration // dial, TLS, head and body of all hops; without waits for a slot or a worker

	RetryAfter time.Duration // what an answer that may ask for less asked for, capped; 0 = nothing usable
	// Throttled says that the host asked for less, and was not served: the request may be sent once more, at Again or later.
	Throttled bool
	Again     time.Time

	FinalURL string // the URL that answered last; "" when no redirect was followed
	Hops     int    // redirects followed
	// Before is the answer that redirected here; nil for the first one, and where it was not asked for.
	Before          *Response
	RedirectSkipped string // key of a hop that was not sent: not admitted, or excluded
	RedirectErr     error  // why a hop to another host failed or is excluded; the response is then the one before it
}

// Get returns the first value of the named field, "" when there is none. Names are compared without case.
func (r *Response) Get(name string) string {
	return get(r.Header, name)
}

// TLSInfo is what a handshake told about the host.
type TLSInfo struct {
	Version   string // as in "TLS 1.3"
	Cipher    string
	Subject   string   // common name
	Names     []string // DNS names and addresses of the certificate
	Issuer    string   // common name
	NotBefore time.Time
	NotAfter  time.Time
}

// Turn is how a send waits without holding a worker. Its methods are called from the goroutine of the send, one at a time.
type Turn interface {
	// Wait gives the worker back until then. It returns early with an error when ctx ends.
	Wait(ctx context.Context, until time.Time) error
	// Dialed says that the dial is over: the slot for dials is exchanged for a worker. It does nothing when the
	// caller holds a worker already.
	Dialed(ctx context.Context) error
}

// NotAdmittedError says that a request was not sent, because its host is quarantined, held by the failure window or out of
// slots. It spends no attempt.
type NotAdmittedError struct {
	Key    string    // the host
	Until  time.Time // when it may be tried again
	Outage bool      // nothing is sent to any host, until an outage is over
}

func (e *NotAdmittedError) Error() string {
	return fmt.Sprintf("%s: %v", e.Key, hosterrors.ErrUnresponsiveHost)
}

// Unwrap returns [hosterrors.ErrUnresponsiveHost].
func (e *NotAdmittedError) Unwrap() error { return hosterrors.ErrUnresponsiveHost }

// h2Fields lists the fields as they came over the wire, in lower case. Their order is lost; sorted is at least always the same.
func h2Fields(header http.Header) []Field {
	fields := make([]Field, 0, len(header))
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			fields = append(fields, Field{strings.ToLower(name), value})
		}
	}
	return fields
}
