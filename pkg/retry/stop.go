package retry

// Stop names the rule that ended the attempts. The zero value means that none did.
type Stop uint8

const (
	StopNone       Stop = iota // not stopped: go again, or it succeeded
	StopExhausted              // Policy.Attempts are used up
	StopPermanent              // the failure is permanent, or the request may not be repeated
	StopDeadline               // the next attempt would start at or after the deadline
	StopBadPolicy              // the plan has no such wait; Decision.Err says why
	StopCancelled              // the work was called off
	StopScanBudget             // the whole scan has retried enough for now
)

var stopNames = [...]string{
	StopNone:       "none",
	StopExhausted:  "exhausted",
	StopPermanent:  "permanent",
	StopDeadline:   "deadline",
	StopBadPolicy:  "bad policy",
	StopCancelled:  "cancelled",
	StopScanBudget: "scan budget",
}

// String returns the words that a log line or an event carries.
func (s Stop) String() string {
	if int(s) < len(stopNames) {
		return stopNames[s]
	}
	return "unknown"
}
