package flow

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Mode is what happens to a request that comes faster than the rule's rate. The
// zero value is Queue.
type Mode uint8

const (
	// Queue lets requests leave at even intervals of 1/Rate (a leaky bucket).
	Queue Mode = iota
	// WarmUp starts slow and speeds up under load; what comes too early is refused.
	WarmUp
	// WarmUpQueue has the pace of WarmUp and lets what comes too early wait.
	WarmUpQueue
	// Reject refuses what would make any interval hold more than Rate allows: no
	// second more than Rate, no ceil(Rate)/Rate seconds more than ceil(Rate). So a
	// steady stream gets the whole part of a rate such as 2.5 (and 1/Rate apart
	// below 1); take Queue for the exact average.
	Reject
)

// DefaultColdFactor is the usual ColdFactor of a warm-up: cold is three times
// slower than warm.
const DefaultColdFactor = 3.0

var modeNames = [...]string{Queue: "queue", WarmUp: "warm-up", WarmUpQueue: "warm-up-queue", Reject: "reject"}

// String gives the name that ParseMode reads.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return "Mode(" + strconv.Itoa(int(m)) + ")"
}

// ParseMode reads the name of a mode: queue, warm-up, warm-up-queue or reject.
// Any other text is a *RuleError.
func ParseMode(name string) (Mode, error) {
	for m, n := range modeNames {
		if n == name {
			return Mode(m), nil
		}
	}
	return 0, &RuleError{Field: "mode", Got: strconv.Quote(name), Want: "one of queue, warm-up, warm-up-queue, reject"}
}

// Rule says how fast requests may leave. The zero value is no valid rule, because
// it has no rate; where there is no limit there is no Limiter (nil in TakeBoth).
type Rule struct {
	// Rate is the threshold T in requests per second: finite and above 0.
	Rate float64
	// Mode is the behaviour; zero is Queue.
	Mode Mode
	// WarmUp is the time from cold to warm under full load. The warm-up modes
	// need one above 0; the others do not look at it.
	WarmUp time.Duration
	// ColdFactor is the interval when cold over the interval when warm. The
	// warm-up modes need one above 1 (see DefaultColdFactor); the others do not
	// look at it.
	ColdFactor float64
	// MaxQueueWait is the longest wait that Queue and WarmUpQueue hand out; a
	// request that would wait longer is refused. 0 is no bound.
	MaxQueueWait time.Duration
}

// RuleError names the field of a rule that cannot be used.
type RuleError struct {
	Field string // the field, as a person says it
	Got   string // its value
	Want  string // what was expected
}

func (e *RuleError) Error() string {
	return fmt.Sprintf("flow rule: %s is %s, want %s", e.Field, e.Got, e.Want)
}

func (r Rule) check() error {
	if !(r.Rate > 0) || math.IsInf(r.Rate, 0) {
		return &RuleError{Field: "rate", Got: number(r.Rate), Want: "a finite number of requests per second above 0"}
	}
	switch r.Mode {
	case WarmUp, WarmUpQueue:
		if r.WarmUp <= 0 {
			return &RuleError{Field: "warm-up", Got: r.WarmUp.String(), Want: "a duration above 0"}
		}
		// The upper bound keeps the curve's numbers finite; it is far from any use.
		if !(r.ColdFactor > 1 && r.ColdFactor <= 1e9) {
			return &RuleError{Field: "cold factor", Got: number(r.ColdFactor), Want: "a number above 1 and at most 1e9"}
		}
	case Queue, Reject:
	default:
		return &RuleError{Field: "mode", Got: r.Mode.String(), Want: "one of queue, warm-up, warm-up-queue, reject"}
	}
	if r.MaxQueueWait < 0 {
		return &RuleError{Field: "max queue wait", Got: r.MaxQueueWait.String(), Want: "a duration of 0 (no bound) or more"}
	}
	return nil
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
