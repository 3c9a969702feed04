package flow

import (
	"math"
	"math/bits"
)

// horizon is the last moment on a limiter's time line, 73 years after its start,
// in nanoseconds. Moments stop there instead of overflowing.
const horizon = int64(1) << 61

// instant is a moment or a length in nanoseconds with a binary fraction, because
// the interval of most rates is no whole number of nanoseconds and the rounding
// of each would add up over a long scan.
type instant struct {
	ns   int64
	frac uint64 // in 2^-64 nanoseconds
}

func nanos(f float64) instant {
	if f >= float64(horizon) {
		return instant{ns: horizon}
	}
	whole, frac := math.Modf(f)
	return instant{ns: int64(whole), frac: uint64(frac * (1 << 64))}
}

// intervalOf is 1/rate seconds. The fraction comes from the remainder of the
// division, because the quotient itself has few bits left for it.
func intervalOf(rate float64) instant {
	whole := math.Floor(1e9 / rate)
	if whole >= float64(horizon) {
		return instant{ns: horizon}
	}
	rest := math.FMA(-whole, rate, 1e9)
	if rest < 0 { // the quotient was rounded up to the whole number
		return instant{ns: int64(whole)}
	}
	return instant{ns: int64(whole)}.plus(nanos(rest / rate))
}

func (a instant) plus(b instant) instant {
	frac, carry := bits.Add64(a.frac, b.frac, 0)
	ns := a.ns + b.ns + int64(carry)
	if ns >= horizon {
		return instant{ns: horizon}
	}
	return instant{ns: ns, frac: frac}
}

func (a instant) less(b instant) bool {
	return a.ns < b.ns || a.ns == b.ns && a.frac < b.frac
}

// ceil is the first whole nanosecond that is not before a.
func (a instant) ceil() int64 {
	if a.frac != 0 {
		return a.ns + 1
	}
	return a.ns
}

// until is the length from a to the whole nanosecond t.
func (a instant) until(t int64) float64 {
	return float64(t-a.ns) - float64(a.frac)/(1<<64)
}
