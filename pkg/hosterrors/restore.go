package hosterrors

import (
	"errors"
	"iter"
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

// Memories is what this breaker can tell to another one: of every host that ever tripped, in no particular order. Each host
// is read at the moment it is reached, and no lock is held while the caller looks at it.
func (c *Cache) Memories() iter.Seq[Memory] {
	return func(yield func(Memory) bool) {
		c.hosts.Range(func(key, value any) bool {
			r := value.(*record)
			r.mu.Lock()
			m, err := r.machineLocked(), r.lastErr
			r.mu.Unlock()
			if m.gen == 0 {
				return true
			}
			told := Memory{Key: key.(string), State: m.state, Errors: m.errors, Trips: m.trips, Seq: uint64(m.gen)}
			if m.state == StateOpen {
				told.Left = max(0, m.openedAt+m.cooldown(&c.policy)-c.offset(c.now()))
			}
			if err != nil {
				told.LastError = err.Error()
			}
			return yield(told)
		})
	}
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
