package journal

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"go.uber.org/goleak"

	"github.com/redialscan/redial/pkg/report"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	started = `{"type":"started","time":"2026-03-01T12:00:00Z","format":1,"version":"1.2.3"}` + "\n"
	result  = `{"type":"result","target":0,"index":0,"matched":true,"timestamp":"2026-03-01T12:00:01Z"}` + "\n"
)

// heard is what a handler was told.
type heard struct {
	begun, ended bool
	events       []string
	err          error
}

func (h *heard) Start() error { h.begun = true; return nil }

func (h *heard) Event(e report.Event) error {
	h.events = append(h.events, e.Type())
	return h.err
}

func (h *heard) Finish() error { h.ended = true; return nil }

func TestReplay(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		name, input string
		events      string
		bad         []int
		torn        bool
		err         string
	}{
		{"whole", started + result + `{"type":"summary"}` + "\n", "started result summary", nil, false, ""},
		{"of a later version's types", started + `{"type":"later"}` + "\n", "started later", nil, false, ""},
		{"a broken line", started + "{]\n" + result, "started result", []int{2}, false, ""},
		{"a torn last line", started + result + result[:20], "started result", []int{3}, true, ""},
		{"the begin alone", started, "started", nil, false, ""},
		{"empty", "", "", nil, false, "not an events file"},
		{"results", `{"timestamp":"2026-03-01T12:00:01Z","url":"http://h/"}` + "\n", "", nil, false, `not an events file, expected what redial scan --events has written (line 1: no "type" field`},
		{"no JSON", "http://127.0.0.1/\n", "", nil, false, "not an events file"},
		{"without a begin", result, "", nil, false, `(it begins with an event "result")`},
		{"newer", strings.Replace(started, `"format":1`, `"format":2`, 1), "", nil, false, "events in format 2, written by redial 1.2.3; this version reads up to format 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var h heard
			var bad []int
			var torn bool
			err := Replay(t.Context(), iotest.OneByteReader(strings.NewReader(tt.input)), &h, func(e *report.LineError) {
				bad = append(bad, e.Line)
				torn = torn || errors.Is(e, report.ErrTorn)
			})
			if got := strings.Join(h.events, " "); got != tt.events || len(bad) != len(tt.bad) || torn != tt.torn {
				t.Errorf("events %q, bad lines %v, torn %v; want %q, %v, %v", got, bad, torn, tt.events, tt.bad, tt.torn)
			}
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
			if h.begun != h.ended || h.begun == (tt.err != "") {
				t.Errorf("begun %v, ended %v with the error %v", h.begun, h.ended, err)
			}
		})
	}
	t.Run("newer later on", func(t *testing.T) {
		var h heard
		err := Replay(t.Context(), strings.NewReader(started+result+strings.Replace(started, `"format":1`, `"format":2`, 1)), &h, nil)
		if newer, ok := errors.AsType[*FormatError](err); !ok || newer.Format != 2 || !h.ended {
			t.Errorf("error %v, ended %v; want that a newer version has gone on with the scan", err, h.ended)
		}
	})
	t.Run("what fails is told", func(t *testing.T) {
		if err := Replay(t.Context(), strings.NewReader(started), &heard{err: broken}, nil); !errors.Is(err, broken) {
			t.Errorf("error %v, want that of the handler", err)
		}
		r := io.MultiReader(strings.NewReader(started), iotest.ErrReader(broken))
		if err := Replay(t.Context(), r, &heard{}, nil); !errors.Is(err, broken) {
			t.Errorf("error %v, want that of the file", err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(broken)
		if err := Replay(ctx, strings.NewReader(started+result), &heard{}, nil); !errors.Is(err, broken) {
			t.Errorf("error %v, want the cause of the end", err)
		}
	})
}
