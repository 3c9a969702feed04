package retry

import (
	"fmt"
	"math"
	"sync/atomic"
)

// What the scanner uses when its user says nothing.
const (
	DefaultBudgetPercent = 10
	DefaultBudgetFloor   = 10
)

// Budget bounds the retries of a whole scan by a share of the requests that it
// sent so far, first attempts and retries alike. Without it a target in trouble
// gets its load multiplied by the number of attempts, at the worst moment.
//
// A nil *Budget refuses nothing and counts nothing. All methods are safe for
// concurrent use and take no lock.
type Budget struct {
	percent float64
	floor   int64
	sent    atomic.Int64
	retries atomic.Int64
}

// NewBudget allows percent of the requests sent so far as retries, and floor of
// them in any case, so that a small scan can retry at all. percent may be above
// 100; it must be finite, and neither may be negative. NewBudget(0, 0) allows
// no retry; who wants no bound uses a nil *Budget.
func NewBudget(percent float64, floor int) (*Budget, error) {
	if math.IsNaN(percent) || math.IsInf(percent, 0) || percent < 0 {
		return nil, fmt.Errorf("retry budget of %v percent: want a number of 0 or more", percent)
	}
	if floor < 0 {
		return nil, fmt.Errorf("retry budget of at least %d: want 0 or more", floor)
	}
	return &Budget{percent: percent, floor: int64(floor)}, nil
}

// Sent counts a request that is being sent, whether a first attempt or a retry.
func (b *Budget) Sent() {
	if b != nil {
		b.sent.Add(1)
	}
}

// Take takes one retry, or returns false when the share is used up.
func (b *Budget) Take() bool {
	if b == nil {
		return true
	}
	for {
		taken := b.retries.Load()
		if taken >= b.allowance() {
			return false
		}
		if b.retries.CompareAndSwap(taken, taken+1) {
			return true
		}
	}
}

// Refund gives back a retry that was taken and then not sent: its work was
// cancelled, or its host was given up first. One Refund for one Take.
func (b *Budget) Refund() {
	if b != nil {
		b.retries.Add(-1)
	}
}

// Retries returns how many retries are taken and not refunded, and how many may
// be at most with what was sent so far.
func (b *Budget) Retries() (taken, allowed int64) {
	if b == nil {
		return 0, math.MaxInt64
	}
	return b.retries.Load(), b.allowance()
}

// allowance only grows, so that reading it before the swap in Take can refuse
// too early but never allow too much.
func (b *Budget) allowance() int64 {
	// Multiplied first: 10 % of 110 is 11 and not 10.999.
	share := float64(b.sent.Load()) * b.percent / 100
	if share >= math.MaxInt64 {
		return math.MaxInt64
	}
	return max(int64(share), b.floor)
}
