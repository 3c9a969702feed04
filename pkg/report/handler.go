package report

import (
	"errors"
	"fmt"
)

// Handler takes the events of a scan. Its methods are called from one goroutine,
// never concurrently: Start once, before the first event; Event for each event
// in the order in which they were emitted; Finish once, after the last event or
// after a Start that failed elsewhere. A handler needs no locks of its own.
//
// An error of Start or Event is final for the handler: it gets no more events,
// and Finish once, so that it can let go of what it holds. Run remembers the error.
//
// A *Result is lent until Event returns: who keeps one keeps a copy, since its memory may be used again.
//
// A handler must not emit: the goroutine that would make room is its own.
type Handler interface {
	Start() error
	Event(Event) error
	Finish() error
}

// Flusher is a [Handler] that holds back output. Flush is called on the handlers'
// goroutine, within [FlushEvery] of the first event that was not flushed.
type Flusher interface {
	Flush() error
}

// OutputError says which output failed: a disk that is full, a pipe whose reader left.
type OutputError struct {
	Name string // what it is and where: "events file scan.events", "standard output"
	Err  error
}

func (e *OutputError) Error() string { return fmt.Sprintf("%s: %v", e.Name, e.Err) }

// Unwrap gives the cause.
func (e *OutputError) Unwrap() error { return e.Err }

// Multi is a [Handler] that passes events on to several others. One that fails is
// left out from then on; the others go on. Event and Flush of Multi itself never fail.
type Multi struct {
	members []member
	onError func(error)
}

type member struct {
	handler Handler
	flusher Flusher // nil when the handler holds nothing back
	err     error   // the first one; set: no more events
}

// NewMulti combines handlers, which are called in the order given. onError, when
// not nil, hears of a handler's first failure when it happens, on the handlers' goroutine.
func NewMulti(onError func(error), handlers ...Handler) *Multi {
	m := &Multi{onError: onError}
	for _, h := range handlers {
		f, _ := h.(Flusher)
		m.members = append(m.members, member{handler: h, flusher: f})
	}
	return m
}

// Start starts all. It fails when any of them does: a scan is not begun with an
// output missing.
func (m *Multi) Start() error {
	var errs []error
	for i := range m.members {
		if err := m.members[i].handler.Start(); err != nil {
			m.members[i].err = err
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Event passes e on to each handler that has not failed.
func (m *Multi) Event(e Event) error {
	for i := range m.members {
		if mem := &m.members[i]; mem.err == nil {
			m.note(mem, mem.handler.Event(e))
		}
	}
	return nil
}

// Flush flushes each handler that has not failed.
func (m *Multi) Flush() error {
	for i := range m.members {
		if mem := &m.members[i]; mem.err == nil && mem.flusher != nil {
			m.note(mem, mem.flusher.Flush())
		}
	}
	return nil
}

// Finish finishes all, the failed ones too, and returns the first error of each.
func (m *Multi) Finish() error {
	var errs []error
	for i := range m.members {
		mem := &m.members[i]
		if err := mem.handler.Finish(); mem.err == nil {
			m.note(mem, err)
		}
		if mem.err != nil {
			errs = append(errs, mem.err)
		}
	}
	return errors.Join(errs...)
}

func (m *Multi) note(mem *member, err error) {
	if err == nil {
		return
	}
	mem.err = err
	if m.onError != nil {
		m.onError(err)
	}
}
