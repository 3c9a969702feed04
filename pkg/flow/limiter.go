package flow

import (
	"sync"
	"time"
)

// A Limiter applies one rule. Make it with New; the zero value is not usable.
//
// A Limiter is safe for concurrent use. It has one short lock of its own, which
// is never held while anything waits.
type Limiter struct {
	mu      sync.Mutex
	began   bool
	start   time.Time // the first now; moments are nanoseconds since then
	latest  int64     // the latest now
	maxWait int64     // the longest wait handed out; 0 where nobody waits
	line    *line     // the queue and warm-up modes
	window  *window   // Reject
}

// New makes a limiter for the rule r. A rule that cannot be used is a *RuleError,
// which names the field.
func New(r Rule) (*Limiter, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	if r.Mode == Reject {
		return &Limiter{window: newWindow(r.Rate)}, nil
	}
	l := &Limiter{line: newLine(r)}
	if r.Mode != WarmUp {
		l.maxWait = min(int64(r.MaxQueueWait), horizon)
		if l.maxWait == 0 {
			l.maxWait = horizon
		}
	}
	return l, nil
}

// Take asks for one request. See Grant for the answer.
func (l *Limiter) Take(now time.Time) Grant {
	l.mu.Lock()
	t, late := l.clockLocked(now)
	s := l.judgeLocked(t)
	wait := s.wait(t)
	if wait > l.maxWait {
		l.mu.Unlock()
		return Grant{Wait: time.Duration(wait - l.maxWait + late)}
	}
	l.bookLocked(s)
	l.mu.Unlock()
	return Grant{OK: true, Wait: time.Duration(wait + late), first: hold{l, s}}
}

// NextAdmit tells when a request could go that is asked for at now or later: now
// itself, or the moment of the next free slot. (The queue modes hand that slot out
// before, up to MaxQueueWait ahead of it.) It changes nothing.
func (l *Limiter) NextAdmit(now time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.began {
		return now
	}
	t, late := l.readLocked(now)
	return now.Add(time.Duration(l.judgeLocked(t).wait(t) + late))
}

// Idle reports whether the limiter is, from now on, the same as a new one: all
// that it remembers has faded. The owner may then forget it, so that limiters of
// millions of hosts need memory only for those that were busy lately. A Reject
// limiter is idle one interval after its last request, a Queue 1/T after its last
// slot, a warm-up when it is cold again. It changes nothing.
func (l *Limiter) Idle(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.began {
		return true
	}
	t, _ := l.readLocked(now)
	if l.window != nil {
		return l.window.idle(t)
	}
	return l.line.idle(t)
}

// slot is one place on the time line: its moment, and the permits that are stored
// before it is taken (the warm-up modes).
type slot struct {
	at     instant
	before float64
}

// wait is the time from t to the slot.
func (s slot) wait(t int64) int64 { return max(0, s.at.ceil()-t) }

// readLocked places now on the time line, and tells by how much it lags behind
// the latest one.
func (l *Limiter) readLocked(now time.Time) (t, late int64) {
	t = int64(now.Sub(l.start))
	t = min(max(t, -horizon/2), horizon/2)
	if t < l.latest {
		return l.latest, l.latest - t
	}
	return t, 0
}

func (l *Limiter) clockLocked(now time.Time) (t, late int64) {
	if !l.began {
		l.began, l.start = true, now
	}
	t, late = l.readLocked(now)
	l.latest = t
	return t, late
}

// judgeLocked finds the slot that a request would get at t, and changes nothing.
func (l *Limiter) judgeLocked(t int64) slot {
	if l.window != nil {
		return slot{at: instant{ns: l.window.earliest(t)}}
	}
	return l.line.earliest(t)
}

// bookLocked takes the slot that judgeLocked found.
func (l *Limiter) bookLocked(s slot) {
	if l.window != nil {
		l.window.book(s.at.ns)
		return
	}
	l.line.book(s)
}

func (l *Limiter) giveBack(s slot, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, _ := l.clockLocked(now)
	if l.window != nil {
		l.window.giveBack(s.at.ns)
		return
	}
	l.line.giveBack(s, t)
}
