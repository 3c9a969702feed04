package requester

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"time"

	"github.com/redialscan/redial/pkg/failurewindow"
	"github.com/redialscan/redial/pkg/flow"
	"github.com/redialscan/redial/pkg/hosterrors"
)

// Defaults of [Config]; a zero field takes them.
const (
	DefaultTimeout       = 15 * time.Second
	DefaultDialTimeout   = 5 * time.Second
	DefaultMaxRetryAfter = 60 * time.Second
	DefaultMaxBody       = 4 << 20
	DefaultMaxHead       = 1 << 20
	DefaultMaxIdle       = 4096
	DefaultIdleTimeout   = 60 * time.Second
	DefaultLookups       = 100
)

// Config says how a [Client] sends. The zero value sends without breaker, window or pace, with the defaults above.
// It is read once, by [New].
type Config struct {
	Breaker *hosterrors.Cache     // nil = every host is admitted
	Window  *failurewindow.Window // nil = off
	Scan    flow.Rule             // pace of all hosts together; the zero rule is none
	Host    flow.Rule             // pace of each host; the zero rule is none
	// Pace is that of all hosts together where somebody else keeps it, in place of Scan; nil = Scan.
	Pace *flow.Leased

	// DialTimeout bounds the look-up of a name and, after it, the connect to all its addresses. It is lowered to
	// Timeout when it is zero; a given value above Timeout is refused.
	DialTimeout time.Duration
	// Timeout bounds what follows the connect: TLS handshake, response head and body together.
	Timeout time.Duration
	// MaxRetryAfter caps what a Retry-After may ask for.
	MaxRetryAfter time.Duration
	// ThrottleStatus are the status codes by which hosts ask for less, besides 429 and 503.
	ThrottleStatus []int
	// Observe hears of each change in how a host is paced, on the goroutine that caused it and outside all locks; nil =
	// nobody does.
	Observe func(Decision)

	// Trace hears of each attempt when it is over, on the goroutine of the send, which waits for it; nil = nobody does.
	// What it gets is not to be changed.
	Trace    func(Exchange)
	KeepSent bool // it gets what was sent too

	// OutageTimeout is how long an outage may last, see Client.Watch; 0 = outages are not looked for. The breaker's UndoWindow
	// is to be OutageWindow at least.
	OutageTimeout time.Duration

	// Strained is called for each send that failed because this process has too much in flight: its time limit passed while
	// it did not get to run (see Client.MeasureLag), or descriptors or ports ran out. nil = nobody wants to know.
	Strained func(error)

	MaxBody     int           // bytes of a body that are read, and bytes to which it is decompressed
	MaxHead     int           // bytes of a response head
	MaxIdle     int           // idle connections of all hosts together; negative = none are kept
	IdleTimeout time.Duration // an idle connection older than this is not used again

	UserAgent   string  // "" = redial's own name and version
	RandomAgent bool    // a browser's name, drawn anew for each request
	Version     string  // redial's version in the default User-Agent; "" = the version of the build
	Header      []Field // sent with every request, before the request's own fields

	Proxy     string   // http://, https:// or socks5:// URL, with credentials if needed; "" = none
	Resolvers []string // address:port of DNS servers, asked in turn; nil = the system's
	// LookupConcurrency is how many names are looked up at once, each with two sockets at most.
	LookupConcurrency int
	IPVersion         int // 4 or 6 = only that family; 0 = both

	// Refuse names what must never be sent to; nil = nothing. It is asked for the host of every request and redirect hop, and
	// for every address that a name stands for, before it is dialed. A request that is refused fails with
	// hosterrors.ErrExcluded; a hop ends its chain. The proxy is not asked for: it was named on purpose, and resolves
	// the names of what is behind it by itself.
	Refuse func(host string, port uint16) bool

	// Permit is asked last, right before bytes leave: before each dial and each write to a connection. False ends the send as if
	// it were cancelled, see WithdrawnError, and so does a send that fails after Permit has come to say no. It is called from
	// many goroutines and does not wait; nil = always.
	Permit func(now time.Time) bool

	Verify  bool              // verify certificates; a scanner mostly looks at hosts whose certificates are wrong
	Certs   []tls.Certificate // client certificates
	SNI     string            // server name in the handshake instead of the host's
	NoHTTP2 bool              // do not offer HTTP/2

	// Dial replaces the network, for tests and for embedding. It gets host:port as written, names unresolved, so that Refuse is
	// not asked for what they stand for.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// complete fills the zero fields in and refuses what makes no sense.
func (cfg *Config) complete() error {
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	for _, d := range []struct {
		name  string
		value *time.Duration
		usual time.Duration
	}{
		{"Timeout", &cfg.Timeout, DefaultTimeout},
		{"DialTimeout", &cfg.DialTimeout, min(DefaultDialTimeout, cfg.Timeout)},
		{"MaxRetryAfter", &cfg.MaxRetryAfter, DefaultMaxRetryAfter},
		{"IdleTimeout", &cfg.IdleTimeout, DefaultIdleTimeout},
	} {
		if *d.value == 0 {
			*d.value = d.usual
		}
		if *d.value <= 0 {
			return fmt.Errorf("expected a %s above 0, got %v", d.name, *d.value)
		}
	}
	if cfg.DialTimeout > cfg.Timeout {
		return fmt.Errorf("expected a DialTimeout of at most the Timeout (%v), got %v", cfg.Timeout, cfg.DialTimeout)
	}
	for _, n := range []struct {
		name  string
		value *int
		usual int
	}{
		{"MaxBody", &cfg.MaxBody, DefaultMaxBody},
		{"MaxHead", &cfg.MaxHead, DefaultMaxHead},
		{"LookupConcurrency", &cfg.LookupConcurrency, DefaultLookups},
	} {
		if *n.value == 0 {
			*n.value = n.usual
		}
		if *n.value < 0 {
			return fmt.Errorf("expected a %s above 0, got %d", n.name, *n.value)
		}
	}
	if cfg.MaxIdle == 0 {
		cfg.MaxIdle = DefaultMaxIdle
	}
	if cfg.IPVersion != 0 && cfg.IPVersion != 4 && cfg.IPVersion != 6 {
		return fmt.Errorf("expected the IPVersion 4, 6 or 0 for both, got %d", cfg.IPVersion)
	}
	if !isVisible(cfg.UserAgent) {
		return fmt.Errorf("expected a UserAgent without control characters, got %q", cfg.UserAgent)
	}
	return checkFields(cfg.Header)
}
