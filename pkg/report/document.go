package report

import "io"

// Document is a report that is written in one go, after the last event.
type Document interface {
	Add(Event)
	Write(io.Writer) error
}

// NewDocument makes a [Handler] of a document and the file that it goes to.
func NewDocument(out *WholeFile, d Document) Handler { return &document{out, d} }

type document struct {
	out *WholeFile
	Document
}

func (d *document) Start() error { return d.out.err }

func (d *document) Event(e Event) error {
	d.Add(e)
	return nil
}

func (d *document) Finish() error {
	if err := d.Write(d.out); err != nil {
		_ = d.out.fail(err)
	}
	return d.out.Commit()
}
