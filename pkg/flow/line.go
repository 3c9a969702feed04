package flow

import "slices"

// maxFreed bounds the cancelled slots that a line keeps for others.
const maxFreed = 64

// line is the schedule of the queue and warm-up modes: slots one after the other,
// each followed by the interval that it costs.
type line struct {
	interval instant // 1/T
	curve    *curve  // nil without warm-up
	next     instant // the first moment for a new slot
	stored   float64 // permits in the bucket at next
	freed    []slot  // cancelled slots before next, ascending
}

func newLine(r Rule) *line {
	l := &line{interval: intervalOf(r.Rate)}
	if r.Mode != Queue {
		l.curve = newCurve(r)
		l.stored = l.curve.max
	}
	return l
}

// earliest is the first slot that a request can have at t.
func (l *line) earliest(t int64) slot {
	if len(l.freed) > 0 {
		if i := l.reusable(t); i < len(l.freed) {
			return l.freed[i]
		}
	}
	// A request in the very nanosecond in which the slot's moment falls is on
	// time: it keeps the fraction, or the fractions lost would add up.
	if l.next.ceil() >= t {
		return slot{l.next, l.stored}
	}
	return slot{instant{ns: t}, l.storedAt(t)}
}

// reusable is the place of the first freed slot that is not past at t.
func (l *line) reusable(t int64) int {
	i := 0
	for i < len(l.freed) && l.freed[i].at.ceil() < t {
		i++
	}
	return i
}

// book takes a slot that earliest has found.
func (l *line) book(s slot) {
	if len(l.freed) > 0 {
		// What lies before the slot is past, and a freed one was paid for.
		reused := s.at.less(l.next)
		l.freed = slices.DeleteFunc(l.freed, func(f slot) bool { return !s.at.less(f.at) })
		if reused {
			return
		}
	}
	l.next = l.after(s)
	l.stored = max(0, s.before-1)
}

func (l *line) giveBack(s slot, t int64) {
	if l.after(s) != l.next {
		if s.at.ceil() >= t {
			l.keep(s)
		}
		return
	}
	l.next, l.stored = s.at, s.before
	// Slots cancelled earlier may have become the newest by this one's end.
	for n := len(l.freed); n > 0 && l.after(l.freed[n-1]) == l.next; n-- {
		l.next, l.stored = l.freed[n-1].at, l.freed[n-1].before
		l.freed = l.freed[:n-1]
	}
}

func (l *line) keep(s slot) {
	if len(l.freed) == maxFreed {
		if s.at.less(l.freed[0].at) {
			return
		}
		l.freed = slices.Delete(l.freed, 0, 1)
	}
	i := len(l.freed)
	for i > 0 && s.at.less(l.freed[i-1].at) {
		i--
	}
	l.freed = slices.Insert(l.freed, i, s)
}

// after is the end of the slot s: the first moment for the one that follows.
func (l *line) after(s slot) instant {
	end := s.at.plus(l.interval)
	if l.curve != nil {
		if extra := l.curve.extra(s.before); extra > 0 {
			end = end.plus(nanos(extra))
		}
	}
	return end
}

// storedAt is the number of stored permits at t, at or after next.
func (l *line) storedAt(t int64) float64 {
	if l.curve == nil {
		return 0
	}
	return l.curve.cooled(l.stored, l.next.until(t))
}

func (l *line) idle(t int64) bool {
	if l.next.ceil() > t {
		return false
	}
	return l.curve == nil || l.storedAt(t) >= l.curve.max
}
