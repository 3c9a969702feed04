package requester

import "time"

// meter counts what a host has answered within the last second, in tenths of it. The zero value has counted nothing.
// It is not safe for concurrent use.
type meter struct {
	counts [meterTicks]uint32
	tick   int64     // of the newest count, in ticks since began
	began  time.Time // the first count of those that follow each other within a second
	last   time.Time // the newest count
}

const (
	meterTicks = 10
	meterTick  = time.Second / meterTicks
	// meterMemory is how long a host that falls silent is still known to have answered.
	meterMemory = 5 * time.Second
)

func (m *meter) add(now time.Time) {
	if now.Sub(m.last) >= time.Second {
		m.counts, m.began, m.tick = [meterTicks]uint32{}, now, 0
	}
	m.advance(now)
	m.counts[m.tick%meterTicks]++
	m.last = now
}

// count is the number of answers within the last second.
func (m *meter) count(now time.Time) int {
	if now.Sub(m.last) >= time.Second {
		return 0
	}
	m.advance(now)
	n := 0
	for _, c := range m.counts {
		n += int(c)
	}
	return n
}

// advance clears the ticks that have passed since the newest one.
func (m *meter) advance(now time.Time) {
	tick := int64(now.Sub(m.began) / meterTick)
	for m.tick < tick {
		m.tick++
		m.counts[m.tick%meterTicks] = 0
	}
}

// full says that the host has answered for a whole second or more, so that the count is a rate and not a first burst.
func (m *meter) full(now time.Time) bool {
	return !m.last.IsZero() && now.Sub(m.last) < time.Second && now.Sub(m.began) >= time.Second
}

// idle says that nothing is left to remember.
func (m *meter) idle(now time.Time) bool { return m.last.IsZero() || now.Sub(m.last) >= meterMemory }
