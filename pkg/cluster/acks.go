package cluster

import (
	"sync"

	"github.com/redialscan/redial/pkg/report"
)

// acks lets go of messages when the handlers before it have flushed their events. It is the last handler of a [report.Multi], and
// add and await are safe for concurrent use with its methods.
type acks struct {
	conn *Conn

	mu      sync.Mutex
	handled uint64 // events
	flushed uint64 // of those
	wanted  uint64 // how many of them somebody waits for
	came    sync.Cond
	waiting []unflushed // in the order of their events
	seen    []string    // whose events were handled since the last flush
}

// unflushed is a message by where its acknowledgement goes.
type unflushed struct {
	after uint64 // the number of events that were emitted with its last one
	reply string
}

func newAcks(c *Conn) *acks {
	a := &acks{conn: c}
	a.came.L = &a.mu
	return a
}

// add takes a message when so many events were emitted in all. Those that it tells again were told by messages before it, which may not
// be flushed yet.
func (a *acks) add(after uint64, reply string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.flushed >= after:
		a.let(reply)
	case a.handled >= after:
		a.seen = append(a.seen, reply)
	default:
		a.waiting = append(a.waiting, unflushed{after, reply})
	}
}

// await returns when n events were handled, and says how many. There is one caller at a time.
func (a *acks) await(n uint64) uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.wanted = n; a.handled < n; {
		a.came.Wait()
	}
	return a.handled
}

// Start implements [report.Handler].
func (a *acks) Start() error { return nil }

// Event implements [report.Handler].
func (a *acks) Event(report.Event) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.handled++; a.handled == a.wanted {
		a.came.Signal()
	}
	for len(a.waiting) > 0 && a.waiting[0].after <= a.handled {
		a.seen = append(a.seen, a.waiting[0].reply)
		a.waiting = a.waiting[1:]
	}
	return nil
}

// Flush implements [report.Flusher].
func (a *acks) Flush() error {
	a.mu.Lock()
	seen := a.seen
	a.seen, a.flushed = nil, a.handled
	a.mu.Unlock()
	for _, reply := range seen {
		a.let(reply)
	}
	return nil
}

// let lets go of a message. A word that is lost comes to nothing: the message comes again, and is known then.
func (a *acks) let(reply string) { _ = a.conn.nc.Publish(reply, []byte("+ACK")) }

// Finish implements [report.Handler].
func (a *acks) Finish() error { return a.Flush() }
