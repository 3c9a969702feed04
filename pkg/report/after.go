package report

// NewAfter makes a [Handler] that gets the events of an earlier run before those of this one: when it is started, earlier is
// to pass them on. So a file that is written anew agrees with the events of both.
func NewAfter(h Handler, earlier func(pass func(Event) error) error) Handler {
	after := &after{Handler: h, earlier: earlier}
	if f, ok := h.(Flusher); ok {
		return &flushingAfter{after, f}
	}
	return after
}

type after struct {
	Handler
	earlier func(pass func(Event) error) error
}

// Start starts the handler and tells it what was before.
func (a *after) Start() error {
	if err := a.Handler.Start(); err != nil {
		return err
	}
	return a.earlier(a.Event)
}

type flushingAfter struct {
	*after
	Flusher
}
