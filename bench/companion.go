package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// sharedArgs are those of a scan that is shared out, to one worker.
func sharedArgs(w work) []string {
	args := append([]string{"serve"}, redialArgs(w)[1:]...)
	return append(args, "--listen", w.address(), "--state-dir", filepath.Join(w.dir, "state"))
}

// workerArgs are those of the worker of a scan that is shared out.
func workerArgs(w work) []string {
	return []string{"worker", "--join", "nats://" + w.address(), "--name", "bench", "--wait", usualTimeout.String()}
}

// address is where the coordinator of a scan that is shared out listens.
func (w work) address() string { return "127.0.0.1:" + strconv.Itoa(w.port) }

// accompany starts the second process of a tool that is two. end waits for it, and says what it took and why it failed, if it did.
func (b *bench) accompany(ctx context.Context, t tool, job work) (end func() (cpu time.Duration, peak int64, failed string), err error) {
	if t.beside == nil {
		return func() (time.Duration, int64, string) { return 0, 0, "" }, nil
	}
	c := exec.CommandContext(ctx, b.programs[t.name], t.beside(job)...)
	c.Dir = job.dir
	name := filepath.Join(job.dir, "companion")
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c.Stdout, c.Stderr = f, f
	if err := c.Start(); err != nil {
		return nil, err
	}
	return func() (time.Duration, int64, string) {
		failed := ""
		if err := c.Wait(); err != nil {
			text, _ := readEnd(name) // that it failed is what counts
			failed = fmt.Sprintf("%s: %v: %s", c.Args[1], err, lastLine(text))
		}
		return c.ProcessState.UserTime() + c.ProcessState.SystemTime(), peakMemory(c.ProcessState), failed
	}, nil
}
