package requester

import (
	"math"
	"time"
)

// throttle is what is remembered of a host that asked for less. It is a policy: it takes now and answers; its caller waits.
// It is not safe for concurrent use, and the zero value holds nobody back.
//
// A wait that the host has named holds all that goes to it until then. Otherwise its rate is halved, at most once a
// second, and climbs back in steps, each after an answer:
//
//	rate
//	top  |                                               .-  over
//	     |     cut                                   .--'
//	goal |------|        .-----------------.--.--.--'      beyond the goal: after a quiet time, in strides that double
//	     |      |    .--'   up to the goal
//	half |      '--.'
//	     +----------------------------------------------> time
//
// The goal is a little less than what the host has been seen to take in the second before it complained. A host that then
// took next to nothing has shown no rate at all: the goal stays what it was, and the way to it is slow.
type throttle struct {
	rate   float64 // requests per second; 0 = only until counts
	top    float64 // at this rate it is over
	goal   float64 // what is aimed at before anything is tried beyond
	slow   bool    // the way up to the goal is long
	guess  bool    // the goal is made of a first burst
	stride float64 // the next step beyond the goal
	quiet  time.Duration
	until  time.Time // nothing is sent before
	next   time.Time // the next slot
	cut    time.Time // the last halving
	beg    time.Time // the last time that the host asked for less
	moved  time.Time // the last change of the rate
	used   time.Time // the last slot, or request of the host
}

const (
	slowest    = 1.0         // requests per second
	cutPause   = time.Second // between two halvings
	goalShare  = 0.85        // of what the host was seen to take in a whole second
	burstShare = 0.78        // of what it took in a first burst, which is more than it takes in the long run
	stormShare = 0.25        // a host that takes less than this share of what it is sent shows no rate
	burst      = 10          // answers of less than a second from which a rate may be guessed

	underWay  = 50 * time.Millisecond  // an answer that comes so soon after the first complaint was part of the burst
	settled   = 250 * time.Millisecond // without a complaint, before the first step up
	quickStep = 100 * time.Millisecond // between steps to a goal that is known, each a tenth of it
	slowStep  = time.Second            // between steps to one that is not, each a twentieth of it

	// What is tried beyond the goal: soon, when a first few answers are all that is known; else late and carefully. It is
	// tried in steps half as far apart as the quiet time before the first.
	weakQuiet, weakStride     = 2 * time.Second, 0.1
	strongQuiet, strongStride = time.Minute, 0.025
	longestQuiet              = 10 * time.Minute

	// throttleMemory is how long a host that gets nothing is still known to have asked for less.
	throttleMemory = 10 * time.Second
	// maxSlotWait is how far ahead slots are given out.
	maxSlotWait = time.Second
	// noRuleTop is the rate at which a host without a rule is no longer held back.
	noRuleTop = 1000.0
)

// hold keeps everything back until then, and says whether that is news: a decision, not one more answer of the same kind.
func (t *throttle) hold(now, until time.Time) bool {
	news := !t.until.After(now) || until.Sub(t.until) >= time.Second
	t.until, t.beg, t.used = later(t.until, until), now, later(t.used, now)
	return news
}

// halve takes a complaint without a wait. took is what the host has taken within the last second, known says that it did so
// for a second or more; top is the rate of its rule. It says whether the rate was changed.
func (t *throttle) halve(now time.Time, took int, known bool, top float64) bool {
	t.beg, t.used = now, later(t.used, now)
	if !t.cut.IsZero() && now.Sub(t.cut) < cutPause {
		return false
	}
	if top <= slowest {
		return false // its rule is slow enough
	}
	base, first := t.rate, t.rate == 0
	if first { // the complaint itself was a request too
		base = min(top, float64(took)+1)
		t.top, t.goal, t.quiet = top, 0, 0
	}
	shown := float64(took) >= stormShare*base
	share := goalShare
	if t.guess = first && !known; t.guess {
		share = burstShare
	}
	t.slow = !shown
	if shown {
		t.aim(share*min(float64(took), base), known || !first || took >= burst)
	} else if t.goal == 0 {
		t.aim(base, known)
	}
	t.rate = max(slowest, base/2)
	t.cut, t.moved = now, now
	t.next = later(t.next, now.Add(t.interval()))
	return first || t.rate != base
}

// aim sets the goal. A trial beyond the last one that failed is not soon made again.
func (t *throttle) aim(goal float64, known bool) {
	tried := t.goal > 0 && t.rate > t.goal
	t.goal = max(slowest, goal)
	switch {
	case !known:
		t.quiet = max(t.quiet, weakQuiet)
		t.stride = weakStride * t.goal
	case tried:
		t.quiet = min(max(2*t.quiet, strongQuiet), longestQuiet)
		t.stride = strongStride * t.goal
	default:
		t.quiet = max(t.quiet, strongQuiet)
		t.stride = strongStride * t.goal
	}
}

// answered takes an answer that is no complaint, and says whether the host is no longer held back.
func (t *throttle) answered(now time.Time) (over bool) {
	t.used = later(t.used, now)
	if t.rate == 0 {
		return false
	}
	if t.guess && now.Sub(t.cut) < underWay {
		t.goal += burstShare
	}
	if now.Sub(t.beg) < settled {
		return false
	}
	since := now.Sub(t.moved)
	switch {
	case t.rate < t.goal && t.slow:
		if since >= slowStep {
			t.climb(now, min(t.goal, t.rate+t.goal/20))
		}
	case t.rate < t.goal:
		if since >= quickStep {
			t.climb(now, min(t.goal, t.rate+t.goal/10))
		}
	case since >= t.quiet || t.rate > t.goal && since >= t.quiet/2:
		t.climb(now, t.rate+t.stride)
		t.stride *= 2
	}
	if t.rate < t.top {
		return false
	}
	*t = throttle{until: t.until, cut: t.cut, used: t.used}
	return true
}

func (t *throttle) climb(now time.Time, rate float64) { t.rate, t.moved = rate, now }

func (t *throttle) interval() time.Duration {
	return time.Duration(math.Ceil(float64(time.Second) / t.rate))
}

// nextAdmit is when the next request may go; now or earlier = at once.
func (t *throttle) nextAdmit(now time.Time) time.Time {
	at := later(now, t.until)
	if t.rate > 0 {
		at = later(at, t.next)
	}
	return at
}

// take takes the next slot. Not ok: none is given out so far ahead, and at is when to ask again.
func (t *throttle) take(now time.Time) (at time.Time, ok bool) {
	at = t.nextAdmit(now)
	if now.Before(t.until) {
		return t.until, false
	}
	if at.Sub(now) > maxSlotWait {
		return at.Add(-maxSlotWait), false
	}
	if t.rate > 0 {
		t.next = at.Add(t.interval())
	}
	t.used = later(t.used, at)
	return at, true
}

// giveBack undoes a take, if it was the last one. Another slot is lost: slower, and never faster.
func (t *throttle) giveBack(at time.Time) {
	if t.rate > 0 && t.next.Equal(at.Add(t.interval())) {
		t.next = at
	}
}

// idle says that nothing is left to remember.
func (t *throttle) idle(now time.Time) bool {
	return !t.until.After(now) && (t.rate == 0 || now.Sub(t.used) >= throttleMemory)
}
