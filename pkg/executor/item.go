package executor

import (
	"fmt"
	"time"
)

// Item is one check against one target, as a run receives it.
type Item[T any] struct {
	Target T
	Check  int // index of the check, from 0 to Checks-1; -1 in the plain probe of a host
	// Attempt counts the runs that this one adds to the item's budget, from 1. Runs that were nobody's fault, and those
	// given back because the host was at fault, are not in it.
	Attempt int
	// Sends counts every run of the item, this one included.
	Sends int
	// Free counts the repeats that a run asked for outside the attempts (Outcome.Free).
	Free int
	// Repeat says that an earlier run asked for this one, within the attempts, and that its host was not parked since.
	Repeat bool
	// Began is when the item ran first: this run, for a first one.
	Began time.Time
	// Probe says that the run decides whether its quarantined host has recovered.
	Probe bool
}

// Kind says how a run ended.
type Kind uint8

const (
	// Done: the item is finished and its host has answered.
	Done Kind = iota
	// Moot: the item is finished without a word of its host, because there was nothing to ask it for, or somebody else was asked.
	Moot
	// HostError: the host is at fault. With Outcome.At set the item goes again then; without, it is out of attempts.
	HostError
	// Neutral: nobody's fault. The item goes again after a second at least, without losing an attempt.
	Neutral
	// NotAdmitted: nothing was sent. The item goes again at Outcome.At, without losing an attempt.
	NotAdmitted
	// Retry: the host has answered, but the item is to be sent again at Outcome.At.
	Retry
	// CheckError: the item failed for a reason of its own.
	CheckError
	// Abandon: the item and all that its host has left are skipped, for Outcome.Reason.
	Abandon
)

// String gives the kind's name in lower case.
func (k Kind) String() string {
	switch k {
	case Done:
		return "done"
	case Moot:
		return "moot"
	case HostError:
		return "host error"
	case Neutral:
		return "neutral"
	case NotAdmitted:
		return "not admitted"
	case Retry:
		return "retry"
	case CheckError:
		return "check error"
	case Abandon:
		return "abandon"
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Outcome is what a run says of its item and of its host. The zero value is an item that is done.
type Outcome[T any] struct {
	Kind Kind
	Err  error     // why, for every kind but Done and Moot
	At   time.Time // when the item may go again; see the kinds
	// Answered says that the host has answered, in a Neutral or a CheckError; Done and Retry imply it.
	Answered bool
	// Free keeps a Retry out of the attempts; it is counted in Item.Free instead.
	Free bool
	// Spent says that the item of a HostError must not run again, whoever was at fault: it may have had its effect.
	Spent bool
	// Reason is why the host is abandoned.
	Reason Reason
	// Target, when not nil, replaces the item's target from now on: its scheme has been settled, say. Where Config.Host
	// gives another host for it, the target moves there with all that it has left.
	Target *T
}

// Reason says why items were skipped.
type Reason string

const (
	// Quarantined: the host was still quarantined when the scan ended, or hosts are not called again.
	Quarantined Reason = "quarantined"
	// Dead: the host failed its last probe.
	Dead Reason = "dead"
	// BacklogFull: there was no room to remember the target or its parked host.
	BacklogFull Reason = "backlog-full"
	// Interrupted: the scan was cancelled.
	Interrupted Reason = "interrupted"
	// Outage: nothing got through to any host any more, for longer than the scan waits.
	Outage Reason = "outage"
	// NoRoute: there is no route to the host from here.
	NoRoute Reason = "no-route"
	// HostTimeout: the host has had its time, Config.HostTimeout.
	HostTimeout Reason = "host-timeout"
	// Excluded: the host's name stands for an address that is not to be sent to.
	Excluded Reason = "excluded"
)

// Skipped is what was left out of one target: the checks From <= check < To, whose turn had not come, and those in Again,
// which ran without an outcome that counts.
type Skipped[T any] struct {
	Host     string
	Target   T
	From, To int
	Again    []int
	Reason   Reason
	Err      error // the last error of the host that the executor saw, nil when none
}

// Failure is an item that failed for good.
type Failure[T any] struct {
	Item Item[T]
	Host string
	Err  error
}

// Items counts what was skipped.
func (s Skipped[T]) Items() int { return s.To - s.From + len(s.Again) }

// PanicError is the failure of an item whose run panicked.
type PanicError struct {
	Value any
	Stack []byte
}

// Error names the value; the stack is left to whoever logs it.
func (e *PanicError) Error() string { return fmt.Sprintf("the check panicked: %v", e.Value) }
