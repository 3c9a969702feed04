package target

import "fmt"

// LineError is a line that is no target. The lines after it are read all the
// same.
type LineError struct {
	File string // the name of the source
	Line int    // counted from 1
	Text string // the beginning of the line; *** stands for all that may be userinfo
	Err  error  // what is wrong with it and what was expected
}

// Error gives "file:line: reason, expected this".
func (e *LineError) Error() string {
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}

// Unwrap gives the reason.
func (e *LineError) Unwrap() error {
	return e.Err
}

// SourceError is a source that cannot be read, or not as a list of targets. It
// ends the Reader.
type SourceError struct {
	File string
	Err  error
}

// Error gives "file: reason, expected this".
func (e *SourceError) Error() string {
	return fmt.Sprintf("%s: %v", e.File, e.Err)
}

// Unwrap gives the reason.
func (e *SourceError) Unwrap() error {
	return e.Err
}
