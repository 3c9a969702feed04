package hosterrors

import "fmt"

// State is where a host stands. The zero value is StateClosed: a host never heard of is healthy.
type State int32

const (
	// StateClosed lets every request through and counts host errors in a row.
	StateClosed State = iota
	// StateOpen lets nothing through until the cooldown is over.
	StateOpen
	// StateHalfOpen has let one request through, or is about to, to see whether the host is back.
	StateHalfOpen
	// StateDead lets nothing through for the rest of the scan.
	StateDead
)

// String gives the state as it is shown to people: closed, open, half-open or dead.
func (s State) String() string {
	switch s {
	case StateClosed:
		return "closed"
	case StateOpen:
		return "open"
	case StateHalfOpen:
		return "half-open"
	case StateDead:
		return "dead"
	}
	return fmt.Sprintf("state %d", int32(s))
}

// ParseState reads what String gives.
func ParseState(text string) (State, error) {
	for _, s := range [...]State{StateClosed, StateOpen, StateHalfOpen, StateDead} {
		if s.String() == text {
			return s, nil
		}
	}
	return StateClosed, fmt.Errorf("state %.40q, expected closed, open, half-open or dead", text)
}
