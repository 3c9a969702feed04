package hosterrors

import (
	"sync"
	"time"
)

// maxLapses bounds what Undo can take back. Beyond it the oldest is forgotten, which leaves its host as it is.
const maxLapses = 1 << 17

// lapse is one host error, or one move to open, that may yet turn out to be nobody's fault.
type lapse struct {
	key    string
	at     time.Duration
	before machine
	after  machine
	err    error // the last error before
}

// answeredBefore tells that the host has answered between the lapse and the state that it is in now.
func (l *lapse) answeredBefore(now *machine) bool {
	return now.errors != l.after.errors || now.trips != l.after.trips ||
		now.state == StateClosed && l.after.state != StateClosed
}

// lapses are those of the last while, in the order in which they came. A zero length keeps none.
type lapses struct {
	length time.Duration

	mu     sync.Mutex
	list   []lapse
	gone   int // entries at the front that are too old
	latest time.Duration
}

func (l *lapses) add(e lapse) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.latest = max(l.latest, e.at) // a clock that steps back stands still here
	e.at = l.latest
	l.list = append(l.list, e)
	for l.gone < len(l.list) && (l.latest-l.list[l.gone].at > l.length || len(l.list)-l.gone > maxLapses) {
		l.list[l.gone] = lapse{}
		l.gone++
	}
	if l.gone > len(l.list)/2 {
		kept := copy(l.list, l.list[l.gone:])
		clear(l.list[kept:])
		l.list, l.gone = l.list[:kept], 0
	}
}

// takeFrom removes all, and gives of each key those since the moment, without what a success has answered.
func (l *lapses) takeFrom(since time.Duration) map[string][2]*lapse {
	l.mu.Lock()
	list := l.list[l.gone:]
	l.list, l.gone = nil, 0
	l.mu.Unlock()
	spans := make(map[string][2]*lapse)
	for i := range list {
		e := &list[i]
		if e.at < since {
			continue
		}
		span, known := spans[e.key]
		if !known || span[1].answeredBefore(&e.before) {
			span[0] = e
		}
		span[1] = e
		spans[e.key] = span
	}
	return spans
}

// Undo takes back all host errors since the moment, because an outage on our side was to blame for them: each
// host that failed since then, and has not answered after it, gets the count, the trips and the cooldown that
// it had before. One that tripped meanwhile is closed, whatever it was before, and outstanding tickets of it
// count for nothing; the observer hears of it as a Transition that is Undone. It returns how many hosts were
// closed so.
//
// It reaches back as far as Config.UndoWindow, and not to before the first success of any host: as long as
// nothing has ever answered, there is nothing to tell an outage by. Requests that fail while Undo runs may be
// counted after it.
func (c *Cache) Undo(since time.Time) (closed int) {
	for key, span := range c.lapses.takeFrom(c.offset(since)) {
		if r := c.find(key); r != nil && c.restore(key, r, span[0], span[1]) {
			closed++
		}
	}
	return closed
}

// restore puts one host back to where it stood before the first lapse, unless it has answered since the last,
// and tells whether that closed it.
func (c *Cache) restore(key string, r *record, first, last *lapse) bool {
	r.mu.Lock()
	before, at := r.machineLocked(), c.now()
	if r.load().gone() || last.answeredBefore(&before) {
		r.mu.Unlock()
		return false
	}
	m := before
	m.undo(&first.before, first.at)
	r.lastErr = first.err
	c.tallyLocked(before.state, m.state)
	r.storeLocked(m)
	if before.errors > 0 && m.errors == 0 && m.gen == 0 {
		c.counters.forgetLocked(key, r)
	}
	r.mu.Unlock()
	if before.state == StateClosed {
		return false
	}
	t := newTransition(key, before, m, at, 0, nil)
	t.Undone = true
	c.announce(t)
	return true
}

// undo puts a host back to what it was before an outage that began at some moment, but for its quarantine, which is over.
func (m *machine) undo(before *machine, began time.Duration) {
	m.held = before.heldUntil(began)
	if m.state != StateClosed {
		m.state, m.probing = StateClosed, false
		m.gen++
	}
	m.errors, m.trips = before.errors, before.trips
}
