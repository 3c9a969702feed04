package hosterrors

import "time"

// effect is what an outcome means for the state machine.
type effect uint8

const (
	neutral effect = iota
	succeeded
	failed
)

// settle books one outcome. On a healthy host a success or a neutral outcome ends at the first look.
func (c *Cache) settle(key string, who bearer, what effect, err error) {
	if what == succeeded && !c.answered.Load() {
		c.answered.Store(true)
	}
	for live := false; !live && !c.closed.Load(); {
		r := c.find(key)
		var w word
		if r != nil {
			w = r.load()
		}
		if w.calm() && what != failed {
			return
		}
		if w.gen() == 0 && what == failed {
			r = c.counters.touch(key)
		}
		_, live = c.change(key, r, err, func(m *machine, now time.Duration) bool {
			return c.step(m, who, what, now)
		})
	}
}

// step takes the machine through one outcome, and tells whether it was counted as a host error.
func (c *Cache) step(m *machine, who bearer, what effect, now time.Duration) bool {
	switch {
	case who.late(m.gen):
	case what == succeeded:
		m.succeed(now)
	case what == failed:
		return m.fail(&c.policy, c.MaxHostError, now)
	default:
		m.release()
	}
	return false
}

// change takes one record through step under its lock, and tells what came of it when the lock is free again.
// step reports whether err was counted. The answer is the machine after the step; live is false, and nothing
// has been done, when the record was taken out of the map meanwhile.
func (c *Cache) change(key string, r *record, err error, step func(*machine, time.Duration) bool) (m machine, live bool) {
	r.mu.Lock()
	if r.load().gone() {
		r.mu.Unlock()
		return machine{}, false
	}
	before := r.machineLocked()
	at := c.now()
	m = before
	wasErr := r.lastErr
	counted := step(&m, c.offset(at))
	if counted && err != nil {
		r.lastErr = err
	}
	if counted && c.lapses.length > 0 && c.answered.Load() {
		c.lapses.add(lapse{key: key, at: c.offset(at), before: before, after: m, err: wasErr})
	}
	lastErr := r.lastErr
	c.tallyLocked(before.state, m.state)
	r.storeLocked(m)
	if before.errors > 0 && m.errors == 0 && m.gen == 0 {
		c.counters.forgetLocked(key, r)
	}
	r.mu.Unlock()

	if m.errors > before.errors && c.verbose.Load() && c.logf != nil {
		c.logf("%s: host error %d in a row (limit %d): %v", key, m.errors, c.MaxHostError, err)
	}
	if before.state != m.state {
		c.announce(newTransition(key, before, m, at, m.cooldown(&c.policy), lastErr))
	}
	return m, true
}

// tallyLocked keeps the totals. It runs before the record shows its new state: whoever sees a host open has
// to see AnyTripped true.
func (c *Cache) tallyLocked(from, to State) {
	switch {
	case from == StateClosed && to != StateClosed:
		c.tripped.Store(true)
		c.quarantined.Add(1)
	case from != StateClosed && to == StateClosed:
		c.quarantined.Add(-1)
	}
	if to == StateHalfOpen && from != to {
		c.halfOpen.Add(1)
	} else if from == StateHalfOpen && from != to {
		c.halfOpen.Add(-1)
	}
}
