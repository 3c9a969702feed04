package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxLine is the longest line of an events file that a [Decoder] accepts, in bytes.
const MaxLine = 16 << 20

// ErrTorn is in the chain of the error for a last line that was cut short, as a
// crash or a full disk leaves it: it has no line end and is no whole object.
var ErrTorn = errors.New("last line is cut short, expected a whole JSON object and a line end")

// LineError says what is wrong with one line of an events file.
type LineError struct {
	Line   int   // from 1
	Offset int64 // of the line's first byte
	Err    error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap gives the cause.
func (e *LineError) Unwrap() error { return e.Err }

// Decoder reads an events file, line by line, in the memory of one line. It is not safe
// for concurrent use; the zero value is not usable.
//
// A file of a newer version may have fields that this one does not know. They are not in
// the events, and are no error, see [FormatVersion]; whoever copies a file copies its
// lines, [Decoder.Raw].
type Decoder struct {
	r     *bufio.Reader
	limit int    // MaxLine
	line  []byte // what is collected of a line longer than the reader's buffer
	raw   []byte // the line of the last event
	count int    // lines read
	next  int64  // offset of the line that comes next
	whole int64  // end of the last line that was whole
	err   error  // final: io.EOF or a read error
}

// NewDecoder reads events from r.
func NewDecoder(r io.Reader) *Decoder {
	return &Decoder{limit: MaxLine, r: bufio.NewReaderSize(r, 64<<10)}
}

// Whole is the offset behind the last line that was read and ended with a line
// end: where a file is cut before more is appended to it.
func (d *Decoder) Whole() int64 { return d.whole }

// Line is the number of the line that Next read last, from 1.
func (d *Decoder) Line() int { return d.count }

// Raw is the line of the event that Next returned last, without its line end. It is
// good until the next call of Next, and not to be changed.
func (d *Decoder) Raw() []byte { return d.raw }

// Next returns the next event, or io.EOF after the last one. A line that is bad gives
// a *[LineError], and the call after it goes on with the next line; a line that was
// cut short at the end of the file has [ErrTorn] in that error. Blank lines are passed over.
func (d *Decoder) Next() (Event, error) {
	for {
		if d.err != nil {
			return nil, d.err
		}
		start := d.next
		line, tooLong := d.readLine()
		if len(line) == 0 && !tooLong && d.err != nil {
			return nil, d.err
		}
		d.count++
		d.raw = nil
		ended := d.err == nil
		if ended {
			d.whole = d.next
		} else if !errors.Is(d.err, io.EOF) {
			return nil, d.err
		}
		if tooLong {
			return nil, d.bad(start, fmt.Errorf("longer than %d bytes", d.limit))
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		event, err := decodeEvent(line)
		if err != nil && !ended {
			err = ErrTorn
		}
		if err != nil {
			return nil, d.bad(start, err)
		}
		d.raw = line
		return event, nil
	}
}

func (d *Decoder) bad(start int64, err error) error {
	return &LineError{Line: d.count, Offset: start, Err: err}
}

// readLine reads up to and including a line end, and sets d.err when the input ends
// without one. Of a line that is too long nothing is kept.
func (d *Decoder) readLine() (line []byte, tooLong bool) {
	d.line = d.line[:0]
	for {
		part, err := d.r.ReadSlice('\n')
		d.next += int64(len(part))
		if err == nil && len(d.line) == 0 && len(part) <= d.limit && !tooLong {
			return part, false // no copy for what came in one piece
		}
		if tooLong = tooLong || len(d.line)+len(part) > d.limit; tooLong {
			d.line = nil
		} else {
			d.line = append(d.line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		d.err = err
		return d.line, tooLong
	}
}

// decodeEvent parses one object and checks what the types of its fields cannot say.
func decodeEvent(line []byte) (Event, error) {
	var head struct {
		Type *string `json:"type"`
	}
	name, ok := leadingType(line)
	if !ok {
		if err := json.Unmarshal(line, &head); err != nil {
			return nil, err
		}
		if head.Type == nil {
			return nil, errors.New(`no "type" field, expected an event`)
		}
		name = *head.Type
	}
	event := newEvent(name)
	if event == nil {
		if !json.Valid(line) {
			return nil, fmt.Errorf("event %q: not a JSON object", name)
		}
		return &Unknown{Name: name, Raw: bytes.Clone(line)}, nil
	}
	if err := json.Unmarshal(line, event); err != nil {
		return nil, fmt.Errorf("event %q: %w", name, err)
	}
	return event, checkEvent(event)
}

// leadingType finds the type where this package writes it, which saves parsing every line twice.
func leadingType(line []byte) (string, bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
	if !ok {
		return "", false
	}
	name, _, ok := bytes.Cut(rest, []byte{'"'})
	if !ok || bytes.IndexByte(name, '\\') >= 0 {
		return "", false
	}
	return string(name), true
}

// newEvent gives an empty event to decode into, nil for a type that is not known.
func newEvent(name string) Event {
	switch name {
	case TypeStarted:
		return new(Started)
	case TypeCheck:
		return new(Check)
	case TypeResult:
		return new(Result)
	case TypeSkipped:
		return new(Skipped)
	case TypeTransition:
		return new(Transition)
	case TypeThrottled:
		return new(Throttled)
	case TypeHeld:
		return new(Held)
	case TypePaused:
		return new(Paused)
	case TypeWaiting:
		return new(Waiting)
	case TypeSummary:
		return new(Summary)
	}
	return nil
}

func checkEvent(event Event) error {
	switch e := event.(type) {
	case *Result:
		if e.Target < 0 || e.Index < 0 {
			return fmt.Errorf("item %d of target %d, expected numbers from 0", e.Index, e.Target)
		}
	case *Skipped:
		if e.Target < 0 || e.From < 0 || e.To < e.From {
			return fmt.Errorf("items %d to %d of target %d, expected a range from 0", e.From, e.To, e.Target)
		}
		if e.Items != e.Count() {
			return fmt.Errorf("%d items, expected the %d that are named", e.Items, e.Count())
		}
	}
	return nil
}
