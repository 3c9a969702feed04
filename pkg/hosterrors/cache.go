package hosterrors

import (
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// ErrUnresponsiveHost is what a request that was not admitted fails with. For the breaker it is neutral: a
// skip says nothing new about the host.
var ErrUnresponsiveHost = errors.New("skipping as host is unresponsive")

// Cache is the breaker of one scan. Make one with NewWithConfig; the zero value does not work. All methods
// are safe for concurrent use.
//
// Keys are taken as given: the caller makes them canonical. A key is kept as long as its host has errors or
// has ever tripped.
type Cache struct {
	// MaxHostError and TrackError are the fields of Config. They may be changed before the first call of a
	// method, not later.
	MaxHostError int
	TrackError   []string

	policy policy
	start  time.Time
	now    func() time.Time
	logf   func(format string, args ...any)

	hosts       sync.Map // key string -> *record; a healthy host that never tripped has none
	closed      atomic.Bool
	tripped     atomic.Bool
	quarantined atomic.Int64
	halfOpen    atomic.Int64
	verbose     atomic.Bool
	observer    atomic.Pointer[func(Transition)]

	counters *counters // of the hosts that never tripped
	lapses   lapses
	answered atomic.Bool // some host has, once
}

// NewWithConfig makes a breaker. Zero fields of cfg take their defaults; a field that makes no sense is named
// in the error.
func NewWithConfig(cfg Config) (*Cache, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	c := &Cache{
		MaxHostError: cfg.MaxHostError,
		TrackError:   slices.Clone(cfg.TrackError),
		policy:       cfg.policy(),
		start:        cfg.Now(),
		now:          cfg.Now,
		logf:         cfg.Log,
		lapses:       lapses{length: cfg.UndoWindow},
	}
	var err error
	if c.counters, err = newCounters(&c.hosts, cfg.MaxHostsCount); err != nil {
		return nil, err
	}
	return c, nil
}

// Admit tells whether a request to the host may go now. Where the cooldown of an open host is over, exactly
// one of any number of concurrent callers gets true and is the probe. Every true is to be followed by one
// MarkSuccess or MarkFailed; a probe without an outcome is replaced after Config.ProbeTTL.
func (c *Cache) Admit(key string) bool {
	_, ok := c.admit(key)
	return ok
}

// admit also gives the generation that the admission belongs to.
func (c *Cache) admit(key string) (uint32, bool) {
	if c.closed.Load() {
		return 0, false
	}
	if !c.tripped.Load() {
		return 0, true
	}
	r := c.find(key)
	if r == nil {
		return 0, true
	}
	if w := r.load(); w.state() == StateClosed {
		return w.gen(), true
	}
	var ok bool
	m, _ := c.change(key, r, nil, func(m *machine, now time.Duration) bool {
		ok = m.admit(&c.policy, now)
		return false
	})
	return m.gen, ok
}

// Quarantined tells whether Admit would refuse the host because of its state. It changes nothing, and goes
// on answering after Close.
func (c *Cache) Quarantined(key string) bool {
	if !c.tripped.Load() {
		return false
	}
	r := c.find(key)
	if r == nil || r.load().state() == StateClosed {
		return false
	}
	m, now := c.snapshot(r)
	return m.quarantined(&c.policy, now)
}

// Never is the moment that NextAdmit gives for a host that is not tried again, the last one that fits into
// Unix nanoseconds.
func Never() time.Time { return time.Unix(0, math.MaxInt64) }

// NextAdmit is the moment from which the host may be tried: now or earlier means at once, and Never() means
// not again, because it is dead or the breaker is closed. While a probe is in flight it is the moment at
// which the probe would be given up; an outcome may bring it forward. It changes nothing.
func (c *Cache) NextAdmit(key string, now time.Time) time.Time {
	if c.closed.Load() {
		return Never()
	}
	r := c.find(key)
	if r == nil || r.load().state() == StateClosed {
		return now
	}
	m, _ := c.snapshot(r)
	switch at := m.nextAdmit(&c.policy); at {
	case atOnce:
		return now
	case never:
		return Never()
	default:
		if t := c.start.Add(at); t.Before(Never()) {
			return t
		}
		return Never()
	}
}

// MarkSuccess books that the host answered, whatever it said. On a closed host it clears the count, on a
// half-open one it stands for the probe; an open or dead host does not notice it.
func (c *Cache) MarkSuccess(key string) {
	c.settle(key, anybody, succeeded, nil)
}

// MarkFailed books how a request failed. Judge and TrackError decide what it means: a host error counts, an
// error that shows the host alive is a success, anything else (nil too) is neutral and only frees the slot of
// a probe. With ignoreTimeout a timeout while waiting for the response head is neutral.
func (c *Cache) MarkFailed(key string, err error, ignoreTimeout bool) {
	c.settle(key, anybody, c.effectOf(err, ignoreTimeout), err)
}

// Trip opens a closed host now, whatever its count, for the reason err. In any other state it does nothing.
func (c *Cache) Trip(key string, err error) {
	for live := false; !live && !c.closed.Load(); {
		v, _ := c.hosts.LoadOrStore(key, new(record))
		_, live = c.change(key, v.(*record), err, func(m *machine, now time.Duration) bool {
			return m.trip(now)
		})
	}
}

// State tells where the host stands. Open means that it tripped and was not tried since, also when its
// cooldown is over.
func (c *Cache) State(key string) State {
	if r := c.find(key); r != nil {
		return r.load().state()
	}
	return StateClosed
}

// LastError is the last host error of a host with a count, or of one that ever tripped; nil for others.
func (c *Cache) LastError(key string) error {
	r := c.find(key)
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lastErr
}

// AnyTripped tells whether any host has ever opened. While false, Quarantined is false for all.
func (c *Cache) AnyTripped() bool { return c.tripped.Load() }

// QuarantinedCount is the number of hosts that are not closed now.
func (c *Cache) QuarantinedCount() int { return int(c.quarantined.Load()) }

// HalfOpenCount is the number of hosts that are HalfOpen now.
func (c *Cache) HalfOpenCount() int { return int(c.halfOpen.Load()) }

// SetVerbose makes the breaker log every counted error, not only transitions.
func (c *Cache) SetVerbose(verbose bool) { c.verbose.Store(verbose) }

// Close ends the breaker: calls that begin afterwards admit nothing and count nothing. What was gathered can
// still be read. Closing again does nothing.
func (c *Cache) Close() { c.closed.Store(true) }

func (c *Cache) find(key string) *record {
	v, ok := c.hosts.Load(key)
	if !ok {
		return nil
	}
	return v.(*record)
}

// snapshot reads the clock under the record's lock, so that no later change can carry an earlier moment.
func (c *Cache) snapshot(r *record) (machine, time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.machineLocked(), c.offset(c.now())
}

// offset is limited to 73 years to either side, so that differences of two cannot overflow.
func (c *Cache) offset(t time.Time) time.Duration {
	const limit = 1 << 61
	return min(max(t.Sub(c.start), -limit), limit)
}
