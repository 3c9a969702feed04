package report

// EventsFile is a [Handler] that writes every event, one JSON object a line, each with a
// type: the lossless form of a scan. A [Decoder] reads it back.
// A file is synced to the disk whenever it is flushed.
type EventsFile struct {
	out *Output
}

// NewEventsFile writes all events to out.
func NewEventsFile(out *Output) *EventsFile {
	out.sync = true
	return &EventsFile{out: out}
}

// Start implements [Handler].
func (f *EventsFile) Start() error { return f.out.start() }

// Event writes e.
func (f *EventsFile) Event(e Event) error {
	line, err := AppendEvent(f.out.buf, e)
	if err != nil {
		return f.out.fail(err)
	}
	f.out.buf = line
	return f.out.wrote()
}

// Flush implements [Flusher].
func (f *EventsFile) Flush() error { return f.out.flush() }

// Finish writes what is left and closes a file.
func (f *EventsFile) Finish() error { return f.out.close() }
