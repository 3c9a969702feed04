package cmd

import (
	"fmt"
	"io"
	"sync"

	"github.com/projectdiscovery/gologger"
	"github.com/projectdiscovery/gologger/formatter"
	"github.com/projectdiscovery/gologger/levels"

	"github.com/redialscan/redial/pkg/report"
)

// messages is what people are told on standard error. It is safe for concurrent use. The logger is an own one: the
// library's default is global.
type messages struct {
	log gologger.Logger
}

func newMessages(w io.Writer, color, verbose, silent bool) *messages {
	m := &messages{}
	m.log.SetFormatter(formatter.NewCLI(!color))
	m.log.SetWriter(&lineWriter{w: w})
	switch {
	case silent:
		m.log.SetMaxLevel(levels.LevelError)
	case verbose:
		m.log.SetMaxLevel(levels.LevelVerbose)
	default:
		m.log.SetMaxLevel(levels.LevelWarning)
	}
	return m
}

func (m *messages) info(format string, args ...any)    { say(m.log.Info(), format, args) }
func (m *messages) warn(format string, args ...any)    { say(m.log.Warning(), format, args) }
func (m *messages) fail(format string, args ...any)    { say(m.log.Error(), format, args) }
func (m *messages) verbose(format string, args ...any) { say(m.log.Verbose(), format, args) }

// say sanitizes, since messages quote what hosts sent.
func say(event *gologger.Event, format string, args []any) {
	event.Msgf("%s", report.Sanitize(fmt.Sprintf(format, args...)))
}

// counted is a number of things, in words.
func counted[N int | int64 | uint64](n N, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprint(n, " ", thing)
}

// lineWriter writes each message in one piece.
type lineWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write takes a message without its line end. The logger has no way to hear of an error, and there is nobody to tell.
func (l *lineWriter) Write(data []byte, _ levels.Level) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.w.Write(append(data[:len(data):len(data)], '\n'))
}
