package report

// JSONL is a [Handler] that writes results for programs: one JSON object a line, with
// the names of httpx, and nothing but results, so that jq .url works on every line.
type JSONL struct {
	out        *Output
	showFailed bool
}

// NewJSONL writes results as JSON lines to out, with showFailed those of items that failed too.
func NewJSONL(out *Output, showFailed bool) *JSONL {
	return &JSONL{out: out, showFailed: showFailed}
}

// Start implements [Handler].
func (j *JSONL) Start() error { return j.out.start() }

// Event writes a result, and passes over every other event.
func (j *JSONL) Event(e Event) error {
	r, ok := e.(*Result)
	if !ok || !shown(r, j.showFailed) {
		return nil
	}
	j.out.buf = appendResult(j.out.buf, r)
	return j.out.wrote()
}

// Flush implements [Flusher].
func (j *JSONL) Flush() error { return j.out.flush() }

// Finish writes what is left and closes a file.
func (j *JSONL) Finish() error { return j.out.close() }
