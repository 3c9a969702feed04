package cluster

import (
	"sync"

	"github.com/redialscan/redial/pkg/report"
)

// acks lets go of chunks when the handlers before it have flushed their events. It is the last handler of a [report.Multi], and
// add is safe for concurrent use with its methods.
type acks struct {
	conn *Conn

	mu      sync.Mutex
	waiting []unflushed // in the order of their events
	seen    []string    // whose events were handled since the last flush
}

// unflushed is a chunk by where its acknowledgement goes. Its last event stands for all of them.
type unflushed struct {
	last  report.Event
	reply string
}

func newAcks(c *Conn) *acks { return &acks{conn: c} }

// add takes a chunk before its events are emitted, or with last nil one that has none to emit: what it tells was told by chunks
// before it, which may not be flushed yet.
func (a *acks) add(last report.Event, reply string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if last == nil && len(a.waiting) == 0 {
		a.seen = append(a.seen, reply)
		return
	}
	a.waiting = append(a.waiting, unflushed{last, reply})
}

// Start implements [report.Handler].
func (a *acks) Start() error { return nil }

// Event implements [report.Handler].
func (a *acks) Event(e report.Event) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.waiting) == 0 || a.waiting[0].last != e {
		return nil
	}
	n := 1
	for n < len(a.waiting) && a.waiting[n].last == nil {
		n++
	}
	for _, u := range a.waiting[:n] {
		a.seen = append(a.seen, u.reply)
	}
	a.waiting = a.waiting[n:]
	return nil
}

// Flush implements [report.Flusher].
func (a *acks) Flush() error {
	a.mu.Lock()
	seen := a.seen
	a.seen = nil
	a.mu.Unlock()
	for _, reply := range seen {
		_ = a.conn.nc.Publish(reply, []byte("+ACK")) // one that is lost comes again, and is known then
	}
	return nil
}

// Finish implements [report.Handler].
func (a *acks) Finish() error { return a.Flush() }
