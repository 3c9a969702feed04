package cluster

import "time"

// offset knows how far another clock is from ours, by answers that tell its time: each gives bounds, since the clock was read
// between the question and the answer, and the bounds of all of them together are narrow, however late single answers are.
// It is pure, and not safe for concurrent use. The zero value knows nothing.
type offset struct {
	epoch  string
	lo, hi time.Duration // theirs - ours lies between
	at     time.Duration // ours, when that was
}

// drift is how much two clocks may go apart, as a part of the time.
const drift = 100e-6

// learn takes an answer: asked and answered are of our clock, theirs is what it says.
func (o *offset) learn(epoch string, asked, answered, theirs time.Duration) {
	lo, hi := theirs-answered, theirs-asked
	if o.epoch == epoch {
		wider := o.widened(answered)
		lo, hi = max(lo, o.lo-wider), min(hi, o.hi+wider)
	}
	if lo > hi { // a clock has jumped: begin anew
		lo, hi = theirs-answered, theirs-asked
	}
	*o = offset{epoch: epoch, lo: lo, hi: hi, at: answered}
}

func (o *offset) widened(now time.Duration) time.Duration {
	return time.Duration(float64(max(0, now-o.at)) * drift)
}

// blur is how far ours may be mistaken at a time; maxBlur and more when nothing is known.
func (o *offset) blur(now time.Duration) time.Duration {
	if o.epoch == "" {
		return maxBlur + 1
	}
	return (o.hi-o.lo)/2 + o.widened(now) + 1 // of rounding
}

// ours is the moment of our clock at which theirs says so.
func (o *offset) ours(theirs time.Duration) time.Duration { return theirs - (o.lo + (o.hi-o.lo)/2) }
