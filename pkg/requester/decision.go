package requester

import "time"

// DecisionKind says what was decided about a host.
type DecisionKind uint8

const (
	// Waits: the host has named a time before which nothing is sent to it.
	Waits DecisionKind = iota
	// Slowed: the host's rate was halved.
	Slowed
	// Restored: the host is no longer held back by what it asked for.
	Restored
	// Held: the host has reached the limit of its failure window.
	Held
)

// Decision is a change in how a host is paced, told once and not for each request that it concerns.
type Decision struct {
	At     time.Time
	Key    string // the host
	Kind   DecisionKind
	Status int       // of the answer that led to it; 0 for Restored and Held
	Rate   float64   // requests per second from now on; set for Slowed
	Until  time.Time // nothing is sent before, at least; set for Waits and Held
	Err    error     // the failure that led to it; set for Held
}
