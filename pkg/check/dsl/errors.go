package dsl

import (
	"errors"
	"fmt"
)

// MaxValue bounds the bytes of a value that an expression makes, and MaxDepth how deeply it may be nested.
const (
	MaxValue = 16 << 20
	MaxDepth = 200
)

// SyntaxError says where an expression cannot be read.
type SyntaxError struct {
	Source string
	Offset int // bytes from its start
	Want   string
}

func (e *SyntaxError) Error() string {
	near := e.Source[min(e.Offset, len(e.Source)):]
	if near == "" {
		return fmt.Sprintf("expected %s at the end of the expression", e.Want)
	}
	if len(near) > 24 {
		near = near[:24]
	}
	return fmt.Sprintf("expected %s at character %d, got %q", e.Want, e.Offset+1, near)
}

// FunctionError names a function that does not exist, or is used as it cannot be.
type FunctionError struct {
	Name string
	Err  error // nil: there is no such function here
	// Elsewhere says that other tools have the function, so that its name is no slip.
	Elsewhere bool
}

func (e *FunctionError) Error() string {
	switch {
	case e.Err == nil && e.Elsewhere:
		return fmt.Sprintf("function %s is not supported", e.Name)
	case e.Err == nil:
		return fmt.Sprintf("unknown function %s", e.Name)
	}
	return fmt.Sprintf("%s: %v", e.Name, e.Err)
}

// Unwrap gives what is wrong with the use of the function.
func (e *FunctionError) Unwrap() error { return e.Err }

// MissingError says that a variable has no value.
type MissingError struct{ Name string }

func (e *MissingError) Error() string { return fmt.Sprintf("variable %s has no value", e.Name) }

var errTooLong = fmt.Errorf("expected a value of at most %d bytes", MaxValue)

// errArguments is refined by what the function wants.
var errArguments = errors.New("unexpected arguments")

func wantArguments(want string) error { return fmt.Errorf("%w: expected %s", errArguments, want) }
