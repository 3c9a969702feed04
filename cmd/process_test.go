package cmd

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

// process is redial as a function that runs beside its test: stop and end it with a signal.
type process struct {
	t       *testing.T
	signals chan os.Signal
	lines   *bufio.Scanner // of standard error
	stdout  bytes.Buffer   // to be read after end
	status  chan int
}

// start runs redial. The test reads standard error and calls end.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	r, w := io.Pipe()
	p := &process{t: t, signals: make(chan os.Signal, 2), lines: bufio.NewScanner(r), status: make(chan int, 1)}
	env := testEnv(t)
	env.Stdout, env.Stderr = &p.stdout, w
	env.Signals = func() (<-chan os.Signal, func()) { return p.signals, func() {} }
	go func() {
		p.status <- Run(args, env)
		w.Close()
	}()
	return p
}

// until reads standard error to a line that holds the text.
func (p *process) until(text string) {
	p.t.Helper()
	var read []string
	for p.lines.Scan() {
		if strings.Contains(p.lines.Text(), text) {
			return
		}
		read = append(read, p.lines.Text())
	}
	p.t.Fatalf("standard error ends without %q: %q", text, read)
}

// end sends a signal and returns the exit status.
func (p *process) end(sig os.Signal) int {
	p.signals <- sig
	for p.lines.Scan() {
	}
	return <-p.status
}

// testEnv is an empty world, in which nobody asks to stop.
func testEnv(t *testing.T) Env {
	return Env{
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard,
		Getenv:      func(string) string { return "" },
		Signals:     func() (<-chan os.Signal, func()) { return nil, func() {} },
		BrokenPipes: func() func() { return func() {} },
		Exit:        func(status int) { t.Errorf("the process was ended with %d", status) },
	}
}
