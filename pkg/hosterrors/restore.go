package hosterrors

import (
	"errors"
	"time"
)

// Memory is what an earlier breaker has told of one host, for Restore.
type Memory struct {
	Key    string
	State  State
	Errors int32
	Trips  int32
	// Left is what was left of the cooldown of an open host. A half-open one is taken for open with nothing left: the
	// outcome of its probe is not known.
	Left time.Duration
	// Seq is that of the last Transition; those to come go on from it.
	Seq uint64
	// LastError is the text of the last host error, "" for none.
	LastError string
}

// Restore makes a host of an earlier breaker stand where it stood. It is for a breaker that has seen nothing of the host yet,
// and tells no observer: nothing has changed.
func (c *Cache) Restore(h Memory) {
	v, _ := c.hosts.LoadOrStore(h.Key, new(record))
	r := v.(*record)
	r.mu.Lock()
	defer r.mu.Unlock()
	m := machine{
		state: h.State, trips: max(0, h.Trips), errors: min(max(0, h.Errors), maxErrorCount), gen: max(1, uint32(h.Seq)),
	}
	now := c.offset(c.now())
	left := h.Left
	if m.state == StateHalfOpen {
		m.state, left = StateOpen, 0
	}
	m.openedAt = now
	if m.state == StateOpen {
		cooldown := m.cooldown(&c.policy)
		m.openedAt = now - cooldown + min(max(0, left), cooldown)
	}
	if h.LastError != "" {
		r.lastErr = errors.New(h.LastError)
	}
	c.tallyLocked(StateClosed, m.state)
	r.storeLocked(m)
}
