package page

import (
	"math"
	"time"
)

const (
	maxSlots   = 120                    // columns of a chart
	firstWidth = 100 * time.Millisecond // of a column, before the scan turns out to be longer

	// Latencies are counted in classes whose bounds grow by the eighth root of two, which tells a percentile to within
	// 5 percent: from 1 µs to more than a day in 300 classes.
	classesPerOctave = 8
	classes          = 300
)

// curve is what happened over time, in columns of equal width. When the scan outgrows them, two become one.
type curve struct {
	begin time.Time
	width time.Duration
	slots []slot
}

type slot struct {
	attempts, failed int64
	latency          *[classes]uint32 // nil while nothing was answered
}

// add counts an item that ended: the requests that it took, and how long the last one was on its way (0: no answer).
func (c *curve) add(at time.Time, attempts int, failed bool, took time.Duration) {
	if c.begin.IsZero() {
		c.begin = at
	}
	if c.width == 0 {
		c.width = firstWidth
	}
	offset := max(0, at.Sub(c.begin))
	for offset/c.width >= maxSlots {
		c.fold()
	}
	i := int(offset / c.width)
	for len(c.slots) <= i {
		c.slots = append(c.slots, slot{})
	}
	s := &c.slots[i]
	s.attempts += int64(attempts)
	if failed {
		s.failed++
	}
	if took > 0 && !failed {
		if s.latency == nil {
			s.latency = new([classes]uint32)
		}
		s.latency[class(took)]++
	}
}

// fold makes one column of two.
func (c *curve) fold() {
	c.width *= 2
	var folded []slot
	for i, s := range c.slots {
		if i%2 == 0 {
			folded = append(folded, s)
			continue
		}
		last := &folded[len(folded)-1]
		last.attempts += s.attempts
		last.failed += s.failed
		last.latency = merge(last.latency, s.latency)
	}
	c.slots = folded
}

func merge(a, b *[classes]uint32) *[classes]uint32 {
	if a == nil {
		return b
	}
	if b != nil {
		for i, n := range b {
			a[i] += n
		}
	}
	return a
}

// all is the latency of the whole scan.
func (c *curve) all() *[classes]uint32 {
	sum := new([classes]uint32)
	for _, s := range c.slots {
		merge(sum, s.latency)
	}
	return sum
}

func class(d time.Duration) int {
	us := float64(d) / float64(time.Microsecond)
	if us <= 1 {
		return 0
	}
	return min(classes-1, int(math.Log2(us)*classesPerOctave))
}

// percentile is the latency that a share q of what was counted does not pass, 0 when nothing was.
func percentile(counts *[classes]uint32, q float64) time.Duration {
	if counts == nil {
		return 0
	}
	var total, below uint64
	for _, n := range counts {
		total += uint64(n)
	}
	if total == 0 {
		return 0
	}
	rank := uint64(math.Ceil(q * float64(total)))
	for i, n := range counts {
		if below += uint64(n); below >= max(rank, 1) {
			middle := (float64(i) + 0.5) / classesPerOctave
			return time.Duration(math.Exp2(middle) * float64(time.Microsecond))
		}
	}
	return 0
}

// rate is the requests per second of a column.
func (c *curve) rate(i int) float64 { return float64(c.slots[i].attempts) / c.width.Seconds() }
