package flow

import (
	"slices"
	"sync"
	"time"
)

const (
	// SlotLife is how long after its moment a slot of a Leased may still be used.
	SlotLife = 20 * time.Millisecond
	// askAgain is when to look again for slots that have not come yet.
	askAgain = 5 * time.Millisecond
	// leaseAhead is how far ahead slots are wanted, so that the next ones are there before the last one is used.
	leaseAhead = 50 * time.Millisecond
	// demandMemory is how long a request that found no slot is taken to wait for one.
	demandMemory = 100 * time.Millisecond
)

// Leased is the pace of many processes together, as one of them has it: slots are moments that whoever keeps the pace has
// given to this process alone. Each is used once, not before its moment, and not later than SlotLife after it, so that a
// second holds no more requests than slots of 1.02 seconds.
//
//	given by Add        |  |  |  |  |  |        |  |  |
//	                    ----------------------------------> time
//	used up to            '--'                             20 ms late at most
//
// It is for requests as a Limiter is, see [TakeLeased], and says by Wanted how many slots to ask for. The zero value has no
// slots yet and is ready. It is safe for concurrent use, and like a Limiter it neither waits nor reads a clock.
type Leased struct {
	mu   sync.Mutex
	runs []run // none is empty
	// What became of the slots since the last Add tells how many are wanted of the next one.
	used, lost int
	short      bool      // somebody found none
	asked      time.Time // when somebody last asked
	more       int       // how many to ask for, beyond the first
}

// run is a number of slots, one every so often.
type run struct {
	next  time.Time
	every time.Duration
	left  int
}

// last is the moment of the last slot of a run.
func (r *run) last() time.Time { return r.next.Add(time.Duration(r.left-1) * r.every) }

// Add takes in n more slots, the first one at a moment and the others every so often after it. They need not follow those
// that came before. A negative every is 0.
func (l *Leased) Add(first time.Time, every time.Duration, n int) {
	if n <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs = append(l.runs, run{first, max(0, every), n})
	want := l.more + 1
	switch {
	case l.lost > 0: // for want of requests, or because this process did not get to run; the second is over soon
		want = max(l.used+l.used/2+1, want/4)
	case l.short:
		want = min(2*want, 2*n)
	}
	l.more = max(1, want) - 1
	l.used, l.lost, l.short = 0, 0, false
}

// Wanted is how many slots to ask for now, 0 where nobody has asked for one lately or the next ones are held already. It
// follows what was used: it doubles while requests find no slot, and falls to half as many again as were used when slots
// went by.
func (l *Leased) Wanted(now time.Time) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expireLocked(now)
	if l.asked.IsZero() || now.Sub(l.asked) >= demandMemory {
		return 0
	}
	for i := range l.runs {
		if !l.runs[i].last().Before(now.Add(leaseAhead)) {
			return 0
		}
	}
	return l.more + 1
}

// Ready tells from when a request may ask for a slot, where it may do so lead before the slot's moment, and how many may
// do so now. Where there is no slot it is a guess: slots come when they are given. Asking shows that there is a request.
func (l *Leased) Ready(now time.Time, lead time.Duration) (at time.Time, room int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expireLocked(now)
	l.noteLocked(now)
	at = now.Add(askAgain)
	until := now.Add(lead)
	for i := range l.runs {
		r := &l.runs[i]
		if from := r.next.Add(-lead); i == 0 || from.Before(at) {
			at = from
		}
		if r.next.After(until) {
			continue
		}
		due := r.left
		if r.every > 0 {
			due = min(due, int(until.Sub(r.next)/r.every)+1)
		}
		room += due
	}
	l.short = l.short || len(l.runs) == 0
	return at, room
}

func (l *Leased) noteLocked(now time.Time) {
	if now.After(l.asked) {
		l.asked = now
	}
}

// takeLocked takes the first slot that a request which leaves at a moment, or at the slot's own when that is later, is not too
// late for.
func (l *Leased) takeLocked(now, leaves time.Time) (at time.Time, ok bool) {
	l.expireLocked(now)
	l.short = l.short || len(l.runs) == 0
	best := -1
	var skip int
	for i := range l.runs {
		r := &l.runs[i]
		past := r.expired(leaves)
		if past >= r.left {
			continue
		}
		if first := r.next.Add(time.Duration(past) * r.every); best < 0 || first.Before(at) {
			best, skip, at = i, past, first
		}
	}
	if best < 0 {
		return time.Time{}, false
	}
	r := &l.runs[best]
	after := run{at.Add(r.every), r.every, r.left - skip - 1}
	switch r.left = skip; { // what is skipped is still there for a request that leaves sooner
	case skip == 0 && after.left == 0:
		l.runs = slices.Delete(l.runs, best, best+1)
	case skip == 0:
		*r = after
	case after.left > 0:
		l.runs = append(l.runs, after)
	}
	l.used++
	return at, true
}

// expired is how many slots at the head of a run are of no use at a moment.
func (r *run) expired(now time.Time) int {
	late := now.Sub(r.next) - SlotLife
	switch {
	case late <= 0:
		return 0
	case r.every == 0:
		return r.left
	}
	return min(r.left, int((late-1)/r.every)+1)
}

// expireLocked drops the slots that have gone by.
func (l *Leased) expireLocked(now time.Time) {
	kept := l.runs[:0]
	for _, r := range l.runs {
		past := r.expired(now)
		l.lost += past
		if r.left -= past; r.left > 0 {
			r.next = r.next.Add(time.Duration(past) * r.every)
			kept = append(kept, r)
		}
	}
	l.runs = kept
}

// giveBack takes back a slot that was not used.
func (l *Leased) giveBack(at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used = max(0, l.used-1)
	l.runs = append(l.runs, run{at, 0, 1})
}
