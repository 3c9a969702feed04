package cmd

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// The exit statuses of redial. 2 and 3 outrank 1: a quarantine never turns a pipeline green.
const (
	StatusOK          = 0
	StatusFindings    = 1
	StatusUsage       = 2
	StatusIncomplete  = 3
	StatusHungUp      = 129 // 128 + SIGHUP
	StatusInterrupted = 130 // 128 + SIGINT
	StatusUnread      = 141 // 128 + SIGPIPE
	StatusTerminated  = 143 // 128 + SIGTERM
)

// exitStatusHelp stands in the help of redial and of the commands that scan.
const exitStatusHelp = `
EXIT STATUS
  0    complete
  1    --fail-on: a finding of that severity or a higher one
  2    wrong usage or configuration, or the scan could not run
  3    incomplete: an item of a host that answered was not done, or nothing
       answered at all, or an outage on this side outlasted --outage-timeout;
       with --max-skipped: more items failed or were skipped
  129  the terminal was closed
  130  interrupted (Ctrl-C)
  141  the reader of standard output has left, as head does
  143  terminated
`

// labExitStatusHelp: being stopped is how a lab ends.
const labExitStatusHelp = `
EXIT STATUS
  0    stopped by Ctrl-C or a termination signal
  2    wrong usage, or the lab could not start
`

// checksExitStatusHelp is for looking at templates.
const checksExitStatusHelp = `
EXIT STATUS
  0    every template can be run
  1    some cannot
  2    wrong usage, or no template was found
`

// plainExitStatusHelp is for commands that only say something.
const plainExitStatusHelp = `
EXIT STATUS
  0    done
  2    wrong usage
`

// StatusError is an end with an exit status of its own.
type StatusError struct {
	Status int
	Err    error // nil when there is nothing to say
}

func (e *StatusError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Status)
	}
	return e.Err.Error()
}

// Unwrap gives what there is to say.
func (e *StatusError) Unwrap() error { return e.Err }

// InterruptError is the cause of a context that a signal ended.
type InterruptError struct{ Signal os.Signal }

func (e *InterruptError) Error() string {
	switch e.Signal {
	case os.Interrupt:
		return "interrupted"
	case syscall.SIGTERM:
		return "terminated"
	case syscall.SIGHUP:
		return "stopped: the terminal was closed"
	case syscall.SIGPIPE:
		return "stopped: the reader of standard output has left"
	}
	return "stopped by " + e.Signal.String()
}

// Status is the exit status of a command that the signal stopped.
func (e *InterruptError) Status() int {
	switch e.Signal {
	case syscall.SIGTERM:
		return StatusTerminated
	case syscall.SIGHUP:
		return StatusHungUp
	case syscall.SIGPIPE:
		return StatusUnread
	}
	return StatusInterrupted
}

// statusOf gives the exit status of a command's error. What is not known is a command that could not run.
func statusOf(err error) int {
	if err == nil {
		return StatusOK
	}
	if interrupted, ok := errors.AsType[*InterruptError](err); ok {
		return interrupted.Status()
	}
	if status, ok := errors.AsType[*StatusError](err); ok {
		return status.Status
	}
	return StatusUsage
}
