package report

import (
	"bytes"
	"io"
	"os"
)

// outputBuffer is how much is gathered before it is written on its own account.
const outputBuffer = 64 << 10

// Output is where a handler writes: whole lines, gathered in a buffer. Make one with
// [NewOutput] or [Files.Open]; it belongs to one handler and is not safe for concurrent use.
type Output struct {
	name      string
	w         io.Writer
	immediate bool
	file      *os.File // nil: not ours to close
	regular   bool     // file can be cut and synced
	keep      bool     // what is in the file stays
	sync      bool     // what is flushed survives a power cut too
	buf       []byte
	whole     int64 // bytes written, which end with a line
	err       error // the first one; set: nothing is written any more
}

// NewOutput writes to w, which stays open at the end. name stands in errors ("standard output").
// With immediate, as for a terminal, each line is written at once.
func NewOutput(name string, w io.Writer, immediate bool) *Output {
	return &Output{name: name, w: w, immediate: immediate}
}

// start empties a file: not earlier, so that a scan that cannot begin destroys nothing.
func (o *Output) start() error {
	if o.regular && !o.keep {
		return o.fail(o.file.Truncate(0))
	}
	return nil
}

// wrote is called after a line was appended to buf.
func (o *Output) wrote() error {
	if o.immediate || len(o.buf) >= outputBuffer {
		return o.write()
	}
	return o.err
}

// flush writes the buffer out, to the disk where that was asked for.
func (o *Output) flush() error {
	if err := o.write(); err != nil {
		return err
	}
	if o.sync && o.regular {
		return o.fail(o.file.Sync())
	}
	return nil
}

func (o *Output) write() error {
	if o.err != nil || len(o.buf) == 0 {
		return o.err
	}
	n, err := o.w.Write(o.buf)
	if err != nil {
		o.cutTornLine(n)
		return o.fail(err)
	}
	o.whole += int64(n)
	o.buf = o.buf[:0]
	return nil
}

// cutTornLine takes back the part of a line that still found room on a full disk, so that
// what is left is valid. Its own failure is not worth more than the one that is being told.
func (o *Output) cutTornLine(n int) {
	if o.regular {
		_ = o.file.Truncate(o.whole + int64(bytes.LastIndexByte(o.buf[:n], '\n')+1))
	}
}

// close writes what is left and closes the file. A second call does nothing.
func (o *Output) close() error {
	err := o.flush()
	if o.file == nil {
		return err
	}
	closeErr := o.file.Close()
	o.file, o.regular = nil, false
	return o.fail(closeErr)
}

// fail remembers the first error, names the output in it, and returns it from then on.
func (o *Output) fail(err error) error {
	if err != nil && o.err == nil {
		o.err = &OutputError{Name: o.name, Err: err}
	}
	return o.err
}
