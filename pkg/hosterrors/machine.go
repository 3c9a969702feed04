package hosterrors

import (
	"math"
	"time"
)

// maxErrorCount is where a count of errors stops: the packed form of a host has this much room, and a limit
// above it is as good as none.
const maxErrorCount = 1<<28 - 1

// machine is the state of one host: a plain value without lock or clock, so that a copy is a complete
// snapshot. Moments are offsets from one fixed start, the same for all calls.
//
// The generation counts everything that makes earlier requests irrelevant: each change of state, and each
// change of who holds the probe. It is 0 exactly as long as the host has never tripped.
type machine struct {
	state    State
	probing  bool // half-open only: a probe is in flight
	errors   int32
	trips    int32
	gen      uint32
	openedAt time.Duration // last move to open
	probeAt  time.Duration // when the probe in flight was let through
	held     time.Duration // time out of closed, up to openedAt
}

// admit decides whether a request may go now, and makes it the probe where one is due.
func (m *machine) admit(p *policy, now time.Duration) bool {
	if m.state == StateClosed || m.quarantined(p, now) {
		return m.state == StateClosed
	}
	m.state, m.probing, m.probeAt = StateHalfOpen, true, now
	m.gen++
	return true
}

// quarantined tells whether admit would refuse, without changing anything. A clock that stepped back makes the
// differences negative, which keeps a host open and a probe alive.
func (m *machine) quarantined(p *policy, now time.Duration) bool {
	switch m.state {
	case StateClosed:
		return false
	case StateOpen:
		return now-m.openedAt < m.cooldown(p)
	case StateHalfOpen:
		return m.probing && now-m.probeAt < p.probeTTL
	}
	return true
}

// Answers of nextAdmit that are no moments.
const (
	atOnce = time.Duration(math.MinInt64)
	never  = time.Duration(math.MaxInt64)
)

// nextAdmit is the moment from which admit would say yes if nothing happens until then.
func (m *machine) nextAdmit(p *policy) time.Duration {
	switch {
	case m.state == StateOpen:
		return addCapped(m.openedAt, m.cooldown(p))
	case m.state == StateHalfOpen && m.probing:
		return addCapped(m.probeAt, p.probeTTL)
	case m.state == StateDead:
		return never
	}
	return atOnce
}

// addCapped is at + d, or never where that does not fit. d is not negative.
func addCapped(at, d time.Duration) time.Duration {
	if at > never-d {
		return never
	}
	return at + d
}

// succeed books that the host answered.
func (m *machine) succeed(now time.Duration) {
	switch m.state {
	case StateClosed:
		m.errors = 0
	case StateHalfOpen:
		m.hold(now)
		m.state, m.probing, m.errors, m.trips = StateClosed, false, 0, 0
		m.gen++
	}
}

// fail books a host error, the limit-th of which in a row opens the host, and reports whether it counted:
// while open or dead only a probe decides, and there is none.
func (m *machine) fail(p *policy, limit int, now time.Duration) bool {
	switch m.state {
	case StateClosed:
		m.countError()
		if int(m.errors) >= limit {
			m.open(now)
		}
		return true
	case StateHalfOpen:
		m.countError()
		if m.trips < math.MaxInt32 {
			m.trips++
		}
		m.hold(now)
		m.open(now)
		if p.maxTrips > 0 && int(m.trips) >= p.maxTrips {
			m.state = StateDead
		}
		return true
	}
	return false
}

// release books an outcome that says nothing about the host: the slot of a probe is free again.
func (m *machine) release() {
	if m.state == StateHalfOpen && m.probing {
		m.probing = false
		m.gen++
	}
}

// trip opens a closed host at once.
func (m *machine) trip(now time.Duration) bool {
	if m.state != StateClosed {
		return false
	}
	m.open(now)
	return true
}

func (m *machine) open(now time.Duration) {
	m.state, m.probing, m.openedAt = StateOpen, false, now
	m.gen++
}

func (m *machine) countError() {
	m.errors = min(m.errors+1, maxErrorCount)
}

// hold adds the quarantine that ends now to the sum. A clock that stepped back adds nothing.
func (m *machine) hold(now time.Duration) {
	m.held += max(0, now-m.openedAt)
}

// heldUntil is the time spent out of closed up to now.
func (m *machine) heldUntil(now time.Duration) time.Duration {
	if m.state == StateClosed {
		return m.held
	}
	return m.held + max(0, now-m.openedAt)
}

// cooldown is the wait that belongs to the trips so far: the base, doubled by each failed probe up to the cap.
func (m *machine) cooldown(p *policy) time.Duration {
	d := p.cooldown
	for range m.trips {
		if d > p.maxCooldown/2 {
			return p.maxCooldown
		}
		d *= 2
	}
	return d
}
