package hosterrors

import "time"

// Transition is one change of a host's state. It is a plain value.
type Transition struct {
	Key      string
	From, To State
	Errors   int32         // host errors in a row, after the change
	Trips    int32         // failed probes in a row, after the change
	Cooldown time.Duration // how long the host stays open; set for a move to Open only
	Err      error         // the last host error; nil for a recovery
	Undone   bool          // a move to Closed by Undo, not because the host answered
	At       time.Time     // the breaker's clock at the change
	// Seq grows with each change of one key, not always by one. Observers run outside locks and may see two
	// changes of a key out of order: the one with the greater Seq is the later.
	Seq uint64
}

// SetObserver has fn called for each change of state, on the goroutine that caused it and outside all locks,
// so fn may call any method of the breaker, and may be called by several goroutines at a time. It replaces
// the observer set before; nil removes it. A change under way may still reach the old one.
func (c *Cache) SetObserver(fn func(Transition)) {
	if fn == nil {
		c.observer.Store(nil)
		return
	}
	c.observer.Store(&fn)
}

func newTransition(key string, before, after machine, at time.Time, cooldown time.Duration, err error) Transition {
	t := Transition{
		Key:    key,
		From:   before.state,
		To:     after.state,
		Errors: after.errors,
		Trips:  after.trips,
		Err:    err,
		At:     at,
		Seq:    uint64(after.gen),
	}
	if t.To == StateOpen {
		t.Cooldown = cooldown
	}
	if t.To == StateClosed {
		t.Err = nil
	}
	return t
}

// announce tells the log and the observer. No lock may be held.
func (c *Cache) announce(t Transition) {
	if t.From == StateClosed {
		c.counters.untrack(t.Key)
	}
	if c.logf != nil {
		c.logTransition(t)
	}
	if fn := c.observer.Load(); fn != nil {
		(*fn)(t)
	}
}

func (c *Cache) logTransition(t Transition) {
	switch t.To {
	case StateOpen:
		c.logf("%s: opened for %v after %d host errors and %d failed probes: %v", t.Key, t.Cooldown, t.Errors, t.Trips, t.Err)
	case StateHalfOpen:
		c.logf("%s: probing, last error: %v", t.Key, t.Err)
	case StateClosed:
		if t.Undone {
			c.logf("%s: closed again, the outage was not its fault", t.Key)
			return
		}
		c.logf("%s: recovered", t.Key)
	case StateDead:
		c.logf("%s: dead after %d failed probes: %v", t.Key, t.Trips, t.Err)
	}
}
