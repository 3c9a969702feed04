package packing

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/redialscan/redial/pkg/report"
)

const room = 4 << 20

// lines are events as an events file has them, with times of one zone.
func lines(t interface{ Fatal(...any) }, events []report.Event) string {
	var all []byte
	for _, e := range events {
		if r, ok := e.(*report.Result); ok {
			shown := *r
			shown.Timestamp = r.Timestamp.UTC()
			e = &shown
		}
		var err error
		if all, err = report.AppendEvent(all, e); err != nil {
			t.Fatal(err)
		}
	}
	return string(all)
}

// read reads lines back.
func read(t interface{ Fatal(...any) }, text string) (events []report.Event) {
	d := report.NewDecoder(strings.NewReader(text))
	for {
		e, err := d.Next()
		if errors.Is(err, io.EOF) {
			return events
		}
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
}

func pack(t interface{ Fatal(...any) }, p *Packer, events ...report.Event) []byte {
	for _, e := range events {
		if err := p.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	return p.Take()
}

// unpack gives the events that were packed; none with an error.
func unpack(data []byte, weight int) (all []report.Event, err error) {
	err = Unpack(data, weight, func(e report.Event) error {
		if r, ok := e.(*report.Result); ok { // it is lent
			kept := *r
			e = &kept
		}
		all = append(all, e)
		return nil
	})
	if err != nil {
		all = nil
	}
	return all, err
}

func page(target int64, index int) *report.Result {
	path := fmt.Sprintf("/p%d", index)
	return &report.Result{
		Target: target, Index: index, Timestamp: time.Unix(1_900_000_000, int64(index)*1_234_567), Matched: true,
		URL: fmt.Sprintf("http://127.0.0.%d:8080%s", target, path), Path: path, Host: fmt.Sprintf("127.0.0.%d", target), Port: "8080",
		Scheme: "http", Method: "GET", StatusCode: 200, Title: "A page", ContentLength: 120 + int64(index%3), Attempts: 1, Check: "probe",
		Time: report.Duration(time.Duration(300+index) * time.Microsecond),
	}
}

// Whatever is packed comes out as it would by its lines, however results follow each other.
func TestEventsComeBack(t *testing.T) {
	text := rapid.OneOf(
		rapid.SampledFrom([]string{"", "a", "/p1", "/p12", "http://h/p12", "ä/p1", "\xa4/p1", "\xff", "u:p@h", strings.Repeat("x", maxText+1)}),
		rapid.StringN(0, 5, -1))
	rapid.Check(t, func(t *rapid.T) {
		var p Packer
		for range 2 { // a packer begins anew
			var events []report.Event
			for range rapid.IntRange(0, 20).Draw(t, "events") {
				r := page(rapid.Int64Range(0, 3).Draw(t, "target"), rapid.IntRange(0, 1000).Draw(t, "index"))
				for i, into := range texts(r) {
					if rapid.IntRange(0, 5).Draw(t, "differs") == 0 {
						*into = text.Draw(t, fmt.Sprint("text ", i))
					}
				}
				n := numbers(r)
				n[rapid.IntRange(0, numberFields-1).Draw(t, "number")] = rapid.Int64().Draw(t, "value")
				setNumbers(r, &n)
				r.Failed, r.Matched = rapid.Bool().Draw(t, "failed"), rapid.Bool().Draw(t, "matched")
				switch rapid.IntRange(0, 9).Draw(t, "more") {
				case 0:
					r.Matches = []report.Match{{MatchedAt: "x", Extracted: []string{"y"}}}
				case 1:
					r.Info = &report.Info{Name: "n"}
				case 2:
					r.Timestamp = time.Time{}
				case 3:
					events = append(events, &report.Skipped{Host: "h:80", Reason: "dead", To: 3, Items: 3})
				}
				events = append(events, r)
			}
			got, err := unpack(pack(t, &p, events...), room)
			if err != nil {
				t.Fatal(err)
			}
			if want := lines(t, read(t, lines(t, events))); lines(t, got) != want {
				t.Fatalf("packed:\n%sunpacked:\n%s", want, lines(t, got))
			}
		}
	})
}

// A result that differs in one field differs in it when it comes out: none is forgotten, also one that is added some day.
func TestEveryFieldComesBack(t *testing.T) {
	kind := reflect.TypeFor[report.Result]()
	for i := range kind.NumField() {
		plain, r := page(1, 1), page(1, 1)
		field := reflect.ValueOf(r).Elem().Field(i)
		switch v := field.Addr().Interface().(type) {
		case *string:
			*v += "1"
		case *bool:
			*v = !*v
		case *int:
			*v++
		case *int64:
			*v++
		case *report.Duration:
			*v++
		case *time.Time:
			*v = v.Add(1)
		case **report.Info:
			*v = &report.Info{Name: "n"}
		case *[]report.Match:
			*v = []report.Match{{IP: "127.0.0.1"}}
		default:
			t.Fatalf("field %s is of type %s, which this test does not know", kind.Field(i).Name, field.Type())
		}
		var p Packer
		got, err := unpack(pack(t, &p, plain, r, plain), room)
		if err != nil {
			t.Fatalf("%s: %v", kind.Field(i).Name, err)
		}
		if len(got) != 3 || !same(got[0], plain) || !same(got[1], r) || !same(got[2], plain) {
			t.Errorf("%s: got %+v, want %+v", kind.Field(i).Name, got[1], r)
		}
	}
}

func same(e report.Event, r *report.Result) bool {
	got, ok := e.(*report.Result)
	if !ok || !got.Timestamp.Equal(r.Timestamp) {
		return false
	}
	read := *got
	read.Timestamp = r.Timestamp
	return reflect.DeepEqual(&read, r)
}

func TestResultsAreShort(t *testing.T) {
	var p Packer
	var events []report.Event
	for i := range 1000 {
		events = append(events, page(int64(i%3), i))
	}
	data := pack(t, &p, events...)
	if each := len(data) / len(events); each > 30 {
		t.Errorf("%d bytes for a result that differs by its path, want at most 30", each)
	}
}

func TestPasswordsAreNotPacked(t *testing.T) {
	r := page(1, 1)
	r.Input = "http://me:secret@127.0.0.1"
	var p Packer
	if data := pack(t, &p, r); bytes.Contains(data, []byte("secret")) {
		t.Errorf("a password in %q", data)
	}
}

func TestWhatIsNoneIsRefused(t *testing.T) {
	var p Packer
	good := pack(t, &p, page(1, 1), page(1, 2))
	for n := range good {
		if n > 1 && n != len(good) {
			if got, err := unpack(good[:n], room); err == nil && len(got) == 2 {
				t.Errorf("%d of %d bytes were taken for all", n, len(good))
			}
		}
	}
	record := func(parts ...byte) []byte { return append([]byte{format, kindResult}, parts...) }
	for name, data := range map[string][]byte{
		"format of lines":        []byte(`{"type":"result","target":0,"index":0}` + "\n"),
		"older format":           {1, kindResult, 0, 0, 0, 0, 0, 0, 0},
		"kind":                   {format, 3},
		"no record":              {format, kindResult},
		"target not seen":        record(1, 0, 0, 0, 0, 0),
		"target too large":       append(record(0), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0),
		"number without an end":  record(0, 0x80),
		"number of 11 bytes":     append(record(0), bytes.Repeat([]byte{0x80}, 11)...),
		"number that is padded":  record(0, 0x81, 0x00, 0, 0, 0, 0, 0),
		"unknown field":          record(0, 0, 0x80, 0x80, 0x80, 0x80, 0x01, 0, 0, 0, 0),
		"nanoseconds":            record(0, 0, 0, 0, 0, 0x80, 0x94, 0xeb, 0xdc, 0x03, 0),
		"year":                   record(0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0, 0),
		"text of too much old":   record(0, 0, 4, 0, 0, 0, 0, 1, 0),
		"text that is cut short": record(0, 0, 4, 0, 0, 0, 0, 0, 5, 'x'),
		"text that is no UTF-8":  record(0, 0, 4, 0, 0, 0, 0, 0, 1, 0xff),
		"path cut out of a rune": record(0, 0, 12, 0, 0, 0, 0, 0, 2, 0xc3, 0xa4, 0, 1, 0xa4),
		"line without an end":    append([]byte{format, kindLine, 18}, `{"type":"started"}`...),
		"two lines":              append([]byte{format, kindLine, 38}, strings.Repeat(`{"type":"started"}`+"\n", 2)...),
		"line of nothing":        {format, kindLine, 0},
		"blank line":             {format, kindLine, 1, '\n'},
		"no event":               append([]byte{format, kindLine, 3}, "[]\n"...),
	} {
		if got, err := unpack(data, room); err == nil {
			t.Errorf("%s: %d events were taken", name, len(got))
		}
	}
	if got, err := unpack(nil, room); err != nil || got != nil {
		t.Errorf("nothing gives %v, %v", got, err)
	}
}

// A few bytes do not unfold to many: long texts that hardly differ, and records of nothing.
func TestBombsAreRefused(t *testing.T) {
	var p Packer
	long := strings.Repeat("x", maxText-1)
	for i := range 1000 {
		r := page(1, 1)
		r.Title = long + string(rune('a'+i%2))
		if err := p.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	weight := p.Weight()
	data := p.Take()
	if len(data) > 128<<10 || weight < 1000*maxText {
		t.Fatalf("%d bytes of weight %d are no bomb", len(data), weight)
	}
	if _, err := unpack(data, room); !errors.Is(err, errWeight) {
		t.Errorf("got %v, want that they are too heavy", err)
	}
	if got, err := unpack(data, weight); err != nil || len(got) != 1000 {
		t.Errorf("got %d events of the weight that the packer tells, %v", len(got), err)
	}
	empty := []byte{format}
	for range room/baseWeight + 1 {
		empty = append(empty, kindResult, 0, 0, 0, 0, 0, 0, 0)
	}
	if _, err := unpack(empty, room); !errors.Is(err, errWeight) {
		t.Errorf("got %v, want that so many results are too heavy", err)
	}
}

// What is taken is within its weight, and can be packed again.
func FuzzUnpack(f *testing.F) {
	var p Packer
	f.Add(pack(f, &p, page(1, 1), page(2, 1), page(1, 2), &report.Skipped{Host: "h:80", Reason: "dead", To: 3, Items: 3}))
	f.Add([]byte{format, kindResult, 0, 0, 4, 0, 0, 0, 0, 0, 1, 'x'})
	f.Fuzz(func(t *testing.T, data []byte) {
		const room = 64 << 10
		events, err := unpack(data, room)
		if err != nil {
			return
		}
		if len(events) > room/baseWeight {
			t.Fatalf("%d events in %d bytes of memory", len(events), room)
		}
		var p Packer
		again, err := unpack(pack(t, &p, events...), 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		if want := lines(t, events); lines(t, again) != want {
			t.Fatalf("read:\n%sread again:\n%s", want, lines(t, again))
		}
	})
}
