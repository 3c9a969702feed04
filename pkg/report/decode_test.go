package report

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// readAll reads a whole events file, and goes on after bad lines.
func readAll(r io.Reader) (events []Event, bad []*LineError, d *Decoder, err error) {
	d = NewDecoder(r)
	events, bad, err = drainAll(d)
	return events, bad, d, err
}

func drainAll(d *Decoder) (events []Event, bad []*LineError, err error) {
	for {
		e, err := d.Next()
		var line *LineError
		switch {
		case errors.As(err, &line):
			bad = append(bad, line)
		case errors.Is(err, io.EOF):
			return events, bad, nil
		case err != nil:
			return events, bad, err
		default:
			events = append(events, e)
		}
	}
}

func TestEventsFileComesBack(t *testing.T) {
	written := everything()
	var first, second bytes.Buffer
	run(t, written, NewEventsFile(NewOutput("events", &first, false)))
	events, bad, d, err := readAll(iotest.OneByteReader(bytes.NewReader(first.Bytes())))
	if err != nil || len(bad) != 0 || len(events) != len(written) {
		t.Fatalf("%d events, bad lines %v, %v; want %d events", len(events), bad, err, len(written))
	}
	for i, e := range events {
		if reflect.TypeOf(e) != reflect.TypeOf(written[i]) || e.Type() != written[i].Type() {
			t.Errorf("event %d came back as %T (%s), want %T", i+1, e, e.Type(), written[i])
		}
	}
	if d.Whole() != int64(first.Len()) || d.Line() != len(written) {
		t.Errorf("whole %d, line %d; want %d and %d", d.Whole(), d.Line(), first.Len(), len(written))
	}
	run(t, events, NewEventsFile(NewOutput("events", &second, false)))
	again, _, _, err := readAll(&second)
	if err != nil || !reflect.DeepEqual(again, events) {
		t.Errorf("written and read again: %v, %v\nwant %v", again, err, events)
	}
	if got := events[3].(*Result); !reflect.DeepEqual(got, admin()) {
		t.Errorf("got %+v, want %+v", got, admin())
	}
	if s := events[18].(*Skipped); s.Count() != 50 || s.From != 1 || s.To != 50 || s.Again[0] != 0 {
		t.Errorf("what was left out came back as %+v", s)
	}
}

func TestBadLines(t *testing.T) {
	const good = `{"type":"waiting","hosts":1}`
	for _, tt := range []struct {
		name, input string
		events      int
		line        int // of the bad one, 0 for none
		offset      int64
		torn        bool
		whole       int64
	}{
		{name: "empty"},
		{name: "good", input: good + "\n", events: 1, whole: 29},
		{name: "blank lines and CRLF", input: "\n" + good + "\r\n \n", events: 1, whole: 33},
		{name: "whole, without its line end", input: good, events: 1},
		{name: "torn", input: good + "\n" + good[:20], events: 1, line: 2, offset: 29, torn: true, whole: 29},
		{name: "torn to zeros", input: good + "\n\x00\x00\x00", events: 1, line: 2, offset: 29, torn: true, whole: 29},
		{name: "broken in the middle", input: "{\n" + good + "\n", events: 1, line: 1, whole: 31},
		{name: "no object", input: "[1]\n", line: 1, whole: 4},
		{name: "null", input: "null\n", line: 1, whole: 5},
		{name: "no type", input: "{}\n", line: 1, whole: 3},
		{name: "type is a number", input: `{"type":1}` + "\n", line: 1, whole: 11},
		{name: "type comes later", input: `{"hosts":1,"type":"waiting"}` + "\n", events: 1, whole: 29},
		{name: "unknown but broken", input: `{"type":"new",` + "\n", line: 1, whole: 15},
		{name: "wrong field", input: `{"type":"waiting","hosts":"many"}` + "\n", line: 1, whole: 34},
		{name: "negative item", input: `{"type":"result","target":-1}` + "\n", line: 1, whole: 30},
		{name: "backward range", input: `{"type":"skipped","from":3,"to":1}` + "\n", line: 1, whole: 35},
		{name: "wrong count", input: `{"type":"skipped","from":1,"to":3,"items":5}` + "\n", line: 1, whole: 45},
	} {
		t.Run(tt.name, func(t *testing.T) {
			events, bad, d, err := readAll(strings.NewReader(tt.input))
			if err != nil || len(events) != tt.events || d.Whole() != tt.whole {
				t.Errorf("%d events, whole %d, %v; want %d events and %d", len(events), d.Whole(), err, tt.events, tt.whole)
			}
			if tt.line == 0 {
				if len(bad) != 0 {
					t.Errorf("unexpected %v", bad[0])
				}
				return
			}
			if len(bad) != 1 {
				t.Fatalf("%d bad lines, want 1", len(bad))
			}
			if bad[0].Line != tt.line || bad[0].Offset != tt.offset || errors.Is(bad[0], ErrTorn) != tt.torn {
				t.Errorf("got %v at %d, want line %d at %d, torn %t", bad[0], bad[0].Offset, tt.line, tt.offset, tt.torn)
			}
		})
	}
}

// A field of a newer version is no error; who wants it has the line.
func TestUnknownFieldsArePassedOver(t *testing.T) {
	const newer = `{"type":"waiting","hosts":3,"mood":{"good":true}}`
	d := NewDecoder(strings.NewReader("\n" + newer + " \r\n{]\n"))
	e, err := d.Next()
	if w, ok := e.(*Waiting); err != nil || !ok || w.Hosts != 3 || string(d.Raw()) != newer {
		t.Errorf("%+v, %v, line %q; want 3 hosts and the line as it is", e, err, d.Raw())
	}
	if _, err := d.Next(); err == nil || d.Raw() != nil {
		t.Errorf("%v, line %q; want an error and no line", err, d.Raw())
	}
}

func TestLineLengthIsBounded(t *testing.T) {
	const head, tail = `{"type":"paused","reason":"`, "\"}\n"
	// Below, at and above the buffer of the reader, which is 64 KiB.
	for _, limit := range []int{100, 64 << 10, 200_000} {
		fits := head + strings.Repeat("x", limit-len(head)-len(tail)) + tail
		over := head + strings.Repeat("x", limit-len(head)-len(tail)+1) + tail
		d := NewDecoder(strings.NewReader(fits + over + fits + strings.Repeat("x", 3*limit)))
		d.limit = limit
		events, bad, err := drainAll(d)
		if err != nil || len(events) != 2 || len(bad) != 2 {
			t.Fatalf("limit %d: %d events, bad %v, %v; want the second and the last line refused", limit, len(events), bad, err)
		}
		if bad[0].Line != 2 || bad[0].Offset != int64(limit) || bad[1].Line != 4 || errors.Is(bad[1], ErrTorn) {
			t.Errorf("limit %d: bad lines %v and %v", limit, bad[0], bad[1])
		}
	}
	// A lying file without any line end is held to the limit too.
	d := NewDecoder(io.LimitReader(zeros{}, MaxLine+1))
	if _, bad, err := drainAll(d); err != nil || len(bad) != 1 || d.line != nil {
		t.Errorf("bad %v, %v, %d bytes kept; want one line that is too long, and nothing", bad, err, len(d.line))
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestReadErrorIsFinal(t *testing.T) {
	broken := errors.New("input/output error")
	d := NewDecoder(io.MultiReader(strings.NewReader("{\"type\":\"waiting\"}\n{\"ty"), iotest.ErrReader(broken)))
	if _, err := d.Next(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := d.Next(); !errors.Is(err, broken) {
			t.Errorf("got %v, want %v", err, broken)
		}
	}
}

// Whatever is read can be written, and then reads the same for ever.
func FuzzDecoder(f *testing.F) {
	var seed bytes.Buffer
	for _, e := range everything() {
		line, err := AppendEvent(nil, e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
		seed.Write(line)
	}
	f.Add(seed.Bytes())
	f.Add([]byte("{\"type\":\"later\",\"x\":\"\xff\u009b\"}\n{\"ty"))
	f.Fuzz(func(t *testing.T, input []byte) {
		events, _, d, err := readAll(bytes.NewReader(input))
		if err != nil || d.Whole() > int64(len(input)) {
			t.Fatalf("%v, whole %d of %d", err, d.Whole(), len(input))
		}
		for _, e := range events {
			line, err := AppendEvent(nil, e)
			if err != nil {
				t.Fatalf("%#v was read and cannot be written: %v", e, err)
			}
			if bytes.IndexByte(line, '\n') != len(line)-1 {
				t.Fatalf("%q is not one line", line)
			}
			back, bad, _, err := readAll(bytes.NewReader(line))
			if err != nil || len(bad) != 0 || len(back) != 1 {
				t.Fatalf("%q does not read back: %v %v", line, bad, err)
			}
			again, err := AppendEvent(nil, back[0])
			if err != nil || !bytes.Equal(line, again) {
				t.Fatalf("%q became %q, %v", line, again, err)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	line := appendResultEvent(nil, admin())
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := decodeEvent(line); err != nil {
			b.Fatal(err)
		}
	}
}
