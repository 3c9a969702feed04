package retry

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// What the scanner uses when its user says nothing.
const (
	DefaultBase = 500 * time.Millisecond
	DefaultMax  = 10 * time.Second
)

// Plan is Waits in units of time. The zero value has no wait at all: the first
// one that is needed is a *PolicyError. A Plan is read only, so it may be used
// from many goroutines if its Jitter may.
type Plan struct {
	Base   time.Duration // the wait after the first failure, above 0
	Max    time.Duration // no wait is longer, at least Base
	Jitter Jitter        // nil is RandomJitter
}

// Jitter returns what wait n gets on top of its nominal length, and false when
// it has no value for it. n counts from 1. A negative value is a bad policy.
type Jitter func(n int, nominal time.Duration) (extra time.Duration, ok bool)

// RandomJitter adds anything from nothing to the nominal wait again, evenly, so
// that items which failed together do not return together. Once the nominal
// wait has reached Plan.Max nothing is left to add. Safe for concurrent use.
func RandomJitter(_ int, nominal time.Duration) (time.Duration, bool) {
	return time.Duration(rand.Uint64N(uint64(max(nominal, 0)) + 1)), true
}

// FixedJitter adds values[n-1] to wait n and has nothing for waits beyond them.
// Without values it allows no wait at all; NoJitter is the one that adds
// nothing. Safe for concurrent use as long as nobody changes the values.
func FixedJitter(values ...time.Duration) Jitter {
	return func(n int, _ time.Duration) (time.Duration, bool) {
		if n < 1 || n > len(values) {
			return 0, false
		}
		return values[n-1], true
	}
}

// NoJitter leaves every wait at its nominal length.
func NoJitter(int, time.Duration) (time.Duration, bool) { return 0, true }

// Wait returns wait n, counted from 1: the one after attempt n failed. The
// error, if any, is a *PolicyError.
func (p Plan) Wait(n int) (time.Duration, error) {
	n = max(n, 1)
	if p.Base < 0 || p.Max < 0 {
		return 0, &PolicyError{Wait: n, Reason: fmt.Sprintf("base %v and bound %v, want neither below 0", p.Base, p.Max)}
	}
	nominal, err := nominalWait(n, uint64(p.Base), uint64(p.Max))
	if err != nil {
		return 0, err
	}
	jitter := p.Jitter
	if jitter == nil {
		jitter = RandomJitter
	}
	extra, ok := jitter(n, time.Duration(nominal))
	if !ok {
		return 0, missingJitter(n)
	}
	if extra < 0 {
		return 0, &PolicyError{Wait: n, Reason: fmt.Sprintf("jitter is %v, want 0 or more", extra)}
	}
	return time.Duration(addUpTo(nominal, uint64(extra), uint64(p.Max))), nil
}
