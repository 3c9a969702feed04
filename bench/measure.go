package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// unknown is a number that a run does not tell.
const unknown = -1

// measure is what one run came to.
type measure struct {
	began    time.Time // when the process was there
	requests int64     // that arrived, or were tried where nothing answers
	conns    int64     // connections that arrived; or unknown
	wall     time.Duration
	cpu      time.Duration
	peak     int64         // bytes
	lost     int64         // items of hosts that answer without an answer, or items without an account; or unknown
	first    time.Duration // from the start of the process to the first request; or unknown
	last     time.Duration // the same to the last one at a host that answers
	failed   string        // why there are no figures
}

// runOnce starts a server, runs a tool on it, and says what came of it. An error is one of the bench; a tool that fails is a
// measure.
func (b *bench) runOnce(ctx context.Context, w workload, t tool) (measure, error) {
	dir, err := os.MkdirTemp(b.dir, "run")
	if err != nil {
		return measure{}, err
	}
	defer os.RemoveAll(dir)
	srv, err := startServer(ctx, w, b.redial, b.self, dir)
	if err != nil {
		return measure{}, err
	}
	urls := stdin
	if srv != nil {
		urls = srv.urls
	}
	job, err := prepare(w, dir, urls)
	if err == nil && (srv == nil || t.beside != nil) {
		b.port, err = deadPort(b.port)
		job.port = b.port
	}
	var m measure
	var said output
	if err == nil {
		m, said, err = b.execute(ctx, t, job)
	}
	var came arrivals
	if srv != nil {
		var stopErr error
		came, stopErr = srv.stop()
		err = errors.Join(err, stopErr)
	}
	if err != nil {
		return m, err
	}
	m.account(w, t, came, said)
	return m, nil
}

// output is what a tool printed.
type output struct{ stdout, stderr string }

// execute runs a tool to its end.
func (b *bench) execute(ctx context.Context, t tool, job work) (measure, output, error) {
	limited, cancel := context.WithTimeout(ctx, b.opt.limit)
	defer cancel()
	c := exec.CommandContext(limited, b.programs[t.name], t.args(job)...)
	c.Dir = job.dir
	c.Env = append(os.Environ(), b.env...)
	names := []string{filepath.Join(job.dir, "stdout"), filepath.Join(job.dir, "stderr")}
	for i, name := range names { // files, so that this program takes no time from what it measures
		f, err := os.Create(name)
		if err != nil {
			return measure{}, output{}, err
		}
		defer f.Close()
		if i == 0 {
			c.Stdout = f
		} else {
			c.Stderr = f
		}
	}
	if job.urls == stdin {
		in, err := c.StdinPipe()
		if err != nil {
			return measure{}, output{}, err
		}
		written := make(chan error, 1)
		defer func() { <-written }()
		go func() { // ends with the process at the latest, whose end of the pipe is gone then
			err := writeAddresses(in, job.targets, "http://", fmt.Sprintf(":%d", job.port))
			written <- errors.Join(err, in.Close())
		}()
	}
	if err := c.Start(); err != nil {
		return measure{}, output{}, err
	}
	m := measure{began: time.Now()} // Start returns when the program has been executed
	end, secondErr := b.accompany(limited, t, job)
	if secondErr != nil {
		cancel() // the first one waits for it
		return measure{}, output{}, errors.Join(secondErr, c.Wait())
	}
	err := c.Wait()
	m.wall = time.Since(m.began)
	cpu, peak, failed := end()
	m.cpu = c.ProcessState.UserTime() + c.ProcessState.SystemTime() + cpu
	m.peak = peakMemory(c.ProcessState) + peak
	said, readErr := readOutput(names)
	switch {
	case readErr != nil:
		return m, said, readErr
	case ctx.Err() != nil:
		return m, said, context.Cause(ctx)
	case limited.Err() != nil:
		m.failed = fmt.Sprintf("stopped after %v", b.opt.limit)
	case err != nil:
		m.failed = fmt.Sprintf("%v: %s", err, lastLine(said.stderr))
	case failed != "":
		m.failed = failed
	}
	return m, said, nil
}

// readOutput reads what a tool printed into two files.
func readOutput(names []string) (said output, err error) {
	for i, into := range []*string{&said.stdout, &said.stderr} {
		if *into, err = readEnd(names[i]); err != nil {
			return said, err
		}
	}
	return said, nil
}

// account says what of the work was done.
func (m *measure) account(w workload, t tool, came arrivals, said output) {
	m.first, m.last, m.lost, m.conns = unknown, unknown, unknown, unknown
	if m.failed != "" {
		return
	}
	m.requests, m.conns = came.Requests, came.Connections
	if w.server == noServer {
		m.conns = unknown
		m.requests = int64(w.targets)
	}
	if !came.First.IsZero() {
		m.first = came.First.Sub(m.began)
		m.last = came.Last.Sub(m.began)
	}
	if t.name != "wrk" && w.server != noServer {
		m.lost = came.Unasked
	}
	if !t.tells {
		return
	}
	items, err := parseSummary(said.stderr)
	if err != nil {
		m.failed = err.Error()
		return
	}
	m.lost = max(0, int64(w.targets*w.checks)-items.accounted(), int64(w.living()*w.checks)-items.done)
}

const endOfOutput = 64 << 10

// readEnd reads the last part of a file.
func readEnd(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	from := max(0, info.Size()-endOfOutput)
	text := make([]byte, info.Size()-from)
	n, err := f.ReadAt(text, from)
	if n == len(text) {
		err = nil
	}
	return string(text[:n]), err
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
