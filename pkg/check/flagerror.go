package check

import "fmt"

// FlagError is the value of a flag that cannot be used.
type FlagError struct {
	Flag  string // with its dashes, as in "--match-status"
	Value string // as it was given
	Err   error  // what was expected
}

// Error gives: --flag "value": reason, expected this.
func (e *FlagError) Error() string {
	return fmt.Sprintf("%s %.200q: %v", e.Flag, e.Value, e.Err)
}

// Unwrap gives the reason.
func (e *FlagError) Unwrap() error { return e.Err }

// ListError is a list of paths that cannot be used: a line of it, or, with Line 0, the file itself.
type ListError struct {
	File string
	Line int // counted from 1
	Err  error
}

// Error gives "file:line: reason, expected this".
func (e *ListError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}

// Unwrap gives the reason.
func (e *ListError) Unwrap() error { return e.Err }
