package requester

import (
	"bufio"
	"context"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/redialscan/redial/pkg/hosterrors"
)

// conn is one HTTP/1.1 connection. Only the send that took it out of its gate uses it, but for the lock's fields.
type conn struct {
	net.Conn           // what requests are written to
	wire      net.Conn // the same without TLS
	secure    bool     // TLS to the host
	ip        netip.Addr
	tls       *TLSInfo
	viaProxy  bool // requests go in absolute form to an HTTP proxy
	used      bool // a response has come over it
	idleSince time.Time

	raw    syscall.RawConn // of a connection in the clear that was used; nil where there is none
	coarse bool            // see asking
	armed  time.Time       // its deadline while it is coarse; guarded by mu

	mu      sync.Mutex
	busy    context.Context // of the send that uses it now; nil while idle
	watched <-chan struct{} // Done of the context that stop belongs to
	stop    func() bool
}

// longAgo makes every pending read and write return at once.
var longAgo = time.Unix(1, 0)

// begin arms the connection for one exchange: all of it ends at deadline, or when ctx does. The watch on the context
// outlives the exchange, since the next one mostly has the same context and a new watch costs three allocations.
func (c *conn) begin(ctx context.Context, deadline time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchLocked(ctx)
	return c.armLocked(deadline)
}

// beginCoarse is begin for an exchange that moves its deadline by itself (asking).
func (c *conn) beginCoarse(ctx context.Context, now, deadline time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchLocked(ctx)
	if c.armed.Sub(now) >= coarseLeft && !c.armed.After(deadline) && ctx.Err() == nil {
		return nil
	}
	if coarse := now.Add(coarseDeadline); coarse.Before(deadline) {
		deadline = coarse
	}
	c.armed = deadline
	return c.armLocked(deadline)
}

// arm moves the deadline of the exchange that goes on.
func (c *conn) arm(deadline time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armed = deadline
	return c.armLocked(deadline)
}

func (c *conn) armLocked(deadline time.Time) error {
	if c.busy.Err() != nil {
		deadline = longAgo
	}
	return c.SetDeadline(deadline)
}

func (c *conn) watchLocked(ctx context.Context) {
	c.busy = ctx
	if done := ctx.Done(); done != c.watched {
		c.unwatchLocked()
		if done != nil {
			c.watched, c.stop = done, context.AfterFunc(ctx, c.abort)
		}
	}
}

// abort runs when a watched context has ended, perhaps long after the exchange that it belonged to.
func (c *conn) abort() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy != nil && c.busy.Err() != nil {
		_ = c.SetDeadline(longAgo)
	}
}

// unarm takes the deadline away, which may have passed while the connection was idle.
func (c *conn) unarm() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armed = time.Time{}
	return c.SetDeadline(time.Time{})
}

// end says that the exchange is over and the connection idle.
func (c *conn) end(now time.Time) {
	if !c.used && c.Conn == c.wire {
		c.raw = rawOf(c.wire)
		c.coarse = c.raw != nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy, c.idleSince, c.used = nil, now, true
}

// handOver ends our own use of the connection's deadlines: HTTP/2 minds them by itself.
func (c *conn) handOver() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unwatchLocked()
	c.busy = nil
	return c.SetDeadline(time.Time{})
}

func (c *conn) unwatchLocked() {
	if c.stop != nil {
		c.stop()
	}
	c.watched, c.stop = nil, nil
}

// shut closes the connection without a TLS goodbye, for which a host that does not read could keep us waiting.
func (c *conn) shut() {
	c.mu.Lock()
	c.unwatchLocked()
	c.mu.Unlock()
	_ = c.wire.Close()
}

// desk holds the buffers of one send. Idle connections have none, so that thousands of them cost little.
type desk struct {
	ask  asking
	br   *bufio.Reader // of ask
	out  []byte        // request as sent
	head []byte
	body []byte
}

const (
	readBuffer  = 4 << 10
	keepScratch = 64 << 10 // larger scratch buffers are left to the collector
)

var desks = sync.Pool{New: func() any { return &desk{br: bufio.NewReaderSize(nil, readBuffer)} }}

func (d *desk) release() {
	d.ask.end()
	for _, buf := range []*[]byte{&d.out, &d.head, &d.body} {
		if cap(*buf) > keepScratch {
			*buf = nil
		}
	}
	desks.Put(d)
}

// maxInterim bounds the 1xx responses before the real one.
const maxInterim = 16

// outcome is what one exchange came to.
type outcome struct {
	head    head
	payload payload
	err     error // typed
	// silent: no byte of a response came. With nothing set, the connection did not take a single byte of the request.
	silent  bool
	nothing bool
	reuse   bool
}

// exchange sends what lies in d.out and reads the response. Success is booked once the head is there, before the body.
func (c *conn) exchange(ctx context.Context, start, deadline time.Time, d *desk, want wanted, book *booking) outcome {
	t := trouble{phase: hosterrors.PhaseHead, fresh: !c.used, after: want.timeout}
	if err := c.arrange(ctx, start, deadline); err != nil {
		return outcome{err: t.explain(ctx, err), silent: true, nothing: true}
	}
	d.ask.begin(c, d.out, deadline, book.client)
	d.br.Reset(&d.ask)
	h, err := c.readHeads(d, want, &t)
	writeErr := d.ask.writeErr
	if err != nil {
		if writeErr != nil && !t.answered {
			err = writeErr
		}
		return outcome{err: t.explain(ctx, err), silent: !t.answered, nothing: writeErr != nil && d.ask.sent == 0}
	}
	if c.viaProxy && h.status == 407 {
		return outcome{err: &hosterrors.ProxyError{Status: h.status}}
	}
	book.success()
	out := outcome{head: h}
	t.phase = hosterrors.PhaseBody
	if want.noBody(&h) {
		out.payload.length = max(h.length, 0)
	} else {
		reader := bodyReader{br: d.br, scratch: d.body[:0], limit: want.maxBody, keep: want.body}
		out.payload, err = reader.read(&h)
		d.body = reader.scratch
		if err != nil {
			out.err = t.explain(ctx, err)
			return out
		}
	}
	// Bytes that nobody asked for would be taken for the next response.
	out.reuse = writeErr == nil && !h.close && !out.payload.open && h.status >= 200 && d.br.Buffered() == 0
	return out
}

// arrange sets the deadline of an exchange.
func (c *conn) arrange(ctx context.Context, now, deadline time.Time) error {
	if c.coarse {
		return c.beginCoarse(ctx, now, deadline)
	}
	return c.begin(ctx, deadline)
}

// readHeads reads heads until one that is not interim.
func (c *conn) readHeads(d *desk, want wanted, t *trouble) (head, error) {
	for range maxInterim {
		answered, err := awaitHead(d.br)
		t.answered = t.answered || answered
		if err != nil {
			return head{}, err
		}
		var text string
		if text, d.head, err = readHead(d.br, d.head, want.maxHead); err != nil {
			return head{}, err
		}
		h, err := parseHead(text)
		if err != nil || h.status >= 200 || h.status == 101 {
			return h, err
		}
	}
	return head{}, protocolf("expected a final response after %d interim ones", maxInterim)
}

// wanted is what an exchange must know of its request.
type wanted struct {
	timeout  time.Duration
	maxHead  int
	maxBody  int
	bodiless bool // HEAD
	body     bool
}

func (w *wanted) noBody(h *head) bool { return w.bodiless || !h.hasBody() }
