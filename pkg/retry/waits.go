package retry

import (
	"errors"
	"fmt"
)

// ErrBadPolicy is wrapped by every PolicyError.
var ErrBadPolicy = errors.New("bad retry policy")

// PolicyError tells why a plan has no such wait. It comes up when that wait is
// needed and not before: a call that succeeds at once never sees it.
type PolicyError struct {
	Wait   int    // number of the missing wait, 1 for the one after the first attempt
	Reason string // what is wrong and what was expected
}

func (e *PolicyError) Error() string {
	return fmt.Sprintf("%v: no wait %d: %s", ErrBadPolicy, e.Wait, e.Reason)
}

// Unwrap returns ErrBadPolicy.
func (e *PolicyError) Unwrap() error { return ErrBadPolicy }

// Waits returns the waits after the first count failures, in whatever unit the
// caller counts. Wait i is base doubled i-1 times, plus jitter[i-1], and never
// more than most; no step overflows. When a wait is missing (base is 0, base is
// above most, or jitter is too short) it returns the waits before that one and
// a *PolicyError. A count of 0 or less needs no wait and so has no error.
func Waits(count int, base, most uint64, jitter []uint64) ([]uint64, error) {
	var waits []uint64
	for n := 1; n <= count; n++ {
		nominal, err := nominalWait(n, base, most)
		if err != nil {
			return waits, err
		}
		if n > len(jitter) {
			return waits, missingJitter(n)
		}
		waits = append(waits, addUpTo(nominal, jitter[n-1], most))
	}
	return waits, nil
}

func missingJitter(n int) error {
	return &PolicyError{Wait: n, Reason: "its jitter value is missing, want one a wait"}
}

// nominalWait is wait n before its jitter.
func nominalWait(n int, base, most uint64) (uint64, error) {
	if base == 0 {
		return 0, &PolicyError{Wait: n, Reason: "base is 0, want more"}
	}
	if base > most {
		return 0, &PolicyError{Wait: n, Reason: fmt.Sprintf("base %d is above the bound %d, want at most that", base, most)}
	}
	// Shifting the bound down instead of the base up cannot lose a bit; from 64
	// doublings on it is 0, which every base is above.
	doublings := n - 1
	if base > most>>doublings {
		return most, nil
	}
	return base << doublings, nil
}

// addUpTo is nominal + jitter, or most where the sum would pass it. It needs
// nominal <= most.
func addUpTo(nominal, jitter, most uint64) uint64 {
	if jitter > most-nominal {
		return most
	}
	return nominal + jitter
}
