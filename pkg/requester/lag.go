package requester

import (
	"context"
	"sync"
	"time"
)

const (
	// lagStep is how often the lag is measured.
	lagStep = 50 * time.Millisecond
	// lagSlots of one second each are kept; a request that began before them is judged by those that are.
	lagSlots = 64
	// starvedShare of a time limit, as lag, makes the end of that limit say nothing of the host.
	starvedShare = 10
)

// lagMeter keeps how late the timers of this process fired, the worst of each second. It is safe for concurrent use; the
// zero value has measured nothing.
type lagMeter struct {
	mu    sync.Mutex
	began time.Time // seconds are counted from here
	last  time.Time // when it was measured last
	slots [lagSlots]lagSlot
}

type lagSlot struct {
	second int64
	worst  time.Duration
}

// note books that a timer which was due at some time fired at another.
func (m *lagMeter) note(due, fired time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.began.IsZero() {
		m.began = fired
	}
	m.last = fired
	late := fired.Sub(due)
	if late <= 0 {
		return
	}
	// All the seconds in which it did not get to run were bad ones.
	for s := max(0, m.second(due)); s <= m.second(fired); s++ {
		slot := &m.slots[s%lagSlots]
		if slot.second != s {
			*slot = lagSlot{second: s}
		}
		slot.worst = max(slot.worst, late)
	}
}

// worst is the greatest lag from a moment up to now, the one that goes on at this very moment included. 0 when nobody
// measures.
func (m *lagMeter) worst(from, now time.Time) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.began.IsZero() {
		return 0
	}
	worst := max(0, now.Sub(m.last)-lagStep)
	last := m.second(now)
	for s := max(0, m.second(from), last-lagSlots+1); s <= last; s++ {
		if slot := m.slots[s%lagSlots]; slot.second == s {
			worst = max(worst, slot.worst)
		}
	}
	return worst
}

func (m *lagMeter) second(t time.Time) int64 { return int64(t.Sub(m.began) / time.Second) }

// MeasureLag measures how late this process gets to run, until ctx ends. While it runs, a time limit that passes in a
// time of great lag fails with a *hosterrors.StarvedError, which no host is blamed for.
func (c *Client) MeasureLag(ctx context.Context) {
	timer := time.NewTimer(lagStep)
	defer timer.Stop()
	for {
		due := time.Now().Add(lagStep)
		timer.Reset(lagStep)
		select {
		case <-timer.C:
			c.lag.note(due, time.Now())
		case <-ctx.Done():
			return
		}
	}
}
