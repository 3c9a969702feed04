package hosterrors

import (
	"iter"
	"time"
)

// Host is what the breaker knows of one host at one moment. It is a plain value.
type Host struct {
	Key      string
	State    State
	Errors   int32         // host errors in a row
	Trips    int32         // failed probes since the host last answered
	Cooldown time.Duration // how long it stays open each time, at present
	OpenedAt time.Time     // when it was last found unresponsive: the last move to Open or Dead; zero if never
	// Quarantined is the time spent out of Closed, all times together and up to now.
	Quarantined time.Duration
	LastError   error
}

// Hosts iterates over every host that ever tripped, which includes all that are not closed now, in no
// particular order. Each host is read at the moment it is reached; no lock is held while the caller looks at
// it, so the loop may call the breaker.
func (c *Cache) Hosts() iter.Seq[Host] {
	return func(yield func(Host) bool) {
		c.hosts.Range(func(key, value any) bool {
			r := value.(*record)
			if r.load().gen() == 0 {
				return true
			}
			return yield(c.describe(key.(string), r))
		})
	}
}

// Host is what the breaker knows of one host; a closed one without errors when it never heard of it.
func (c *Cache) Host(key string) Host {
	r := c.find(key)
	if r == nil {
		return Host{Key: key}
	}
	return c.describe(key, r)
}

// LastCall tells whether the host is quarantined and one more failed probe makes it dead. Whoever picks the
// probe may then choose one that no payload can spoil.
func (c *Cache) LastCall(key string) bool {
	r := c.find(key)
	if r == nil || c.policy.maxTrips <= 0 {
		return false
	}
	m, _ := c.snapshot(r)
	return (m.state == StateOpen || m.state == StateHalfOpen) && int(m.trips)+1 >= c.policy.maxTrips
}

func (c *Cache) describe(key string, r *record) Host {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.machineLocked()
	h := Host{
		Key:         key,
		State:       m.state,
		Errors:      m.errors,
		Trips:       m.trips,
		Cooldown:    m.cooldown(&c.policy),
		Quarantined: m.heldUntil(c.offset(c.now())),
		LastError:   r.lastErr,
	}
	if m.gen != 0 {
		h.OpenedAt = c.start.Add(m.openedAt)
	}
	return h
}
