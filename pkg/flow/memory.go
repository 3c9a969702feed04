package flow

import "time"

// Memory is what a limiter tells another one of the same rule, in another process, to go on from. All times are relative to
// the moment at which it was told. Slots that were given back are not among it, and Reject tells only how many requests it
// remembers, so that the other one is slower for a moment and never faster.
type Memory struct {
	Next   time.Duration `json:"next"`             // the next slot; Reject: the last request
	Stored float64       `json:"stored,omitempty"` // permits in the bucket then, in the warm-up modes
	Recent int           `json:"recent,omitempty"` // requests that Reject remembers
}

// Memory tells what is remembered at now. Not ok: nothing, see Idle.
func (l *Limiter) Memory(now time.Time) (m Memory, ok bool) {
	if l.Idle(now) {
		return Memory{}, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t, _ := l.readLocked(now)
	if w := l.window; w != nil {
		if w.n > 0 {
			m.Next = time.Duration(w.last(1) - t)
		}
		for m.Recent < w.n && w.last(int64(m.Recent)+1)+w.span > t {
			m.Recent++
		}
		return m, m.Recent > 0
	}
	return Memory{Next: time.Duration(l.line.next.ceil() - t), Stored: l.line.stored}, true
}

// Recall makes a new limiter go on from what another one has told. What makes no sense under its rule is brought into its
// bounds.
func (l *Limiter) Recall(m Memory, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, _ := l.clockLocked(now)
	next := t + min(max(int64(m.Next), -horizon/4), horizon/4)
	if w := l.window; w != nil {
		for range min(int64(max(0, m.Recent)), max(w.perSpan, w.perSecond)) {
			w.book(min(next, t))
		}
		return
	}
	l.line.next = instant{ns: next}
	if l.line.curve != nil && m.Stored >= 0 {
		l.line.stored = min(m.Stored, l.line.curve.max)
	}
}
