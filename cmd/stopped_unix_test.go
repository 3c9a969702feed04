//go:build unix

package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// wantStopped sends a signal to a command when a file has something in it, and wants one exit status exactly, -1 for a
// process that the signal has ended: "stopped 130 INT scan.events redial scan". The file may be a pattern, and what it has
// to have in it may follow: "*.events:result".
func wantStopped(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: stopped number signal file command [arguments]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	sig, known := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL}[args[1]]
	if !known {
		ts.Fatalf("stopped: no signal %s", args[1])
	}
	program, err := exec.LookPath(args[3])
	ts.Check(err)
	c := exec.Command(program, args[4:]...)
	c.Dir, c.Stdout, c.Stderr = ts.MkAbs("."), ts.Stdout(), ts.Stderr()
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "XDG_STATE_HOME", "GORACE"} {
		c.Env = append(c.Env, name+"="+ts.Getenv(name))
	}
	ts.Check(c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	pattern, text, _ := strings.Cut(args[2], ":")
	for signalled := false; ; {
		select {
		case <-ended:
			if got := c.ProcessState.ExitCode(); got != want || !signalled {
				ts.Fatalf("exit status %d, want %d after a signal (%v)", got, want, signalled)
			}
			return
		case <-look.C:
			if !signalled && holds(ts.MkAbs(pattern), text) {
				ts.Check(c.Process.Signal(sig))
				signalled = true
			}
		}
	}
}

// holds says that a file of the pattern has a text in it, or anything.
func holds(pattern, text string) bool {
	names, _ := filepath.Glob(pattern) // a bad pattern finds nothing, and the script fails
	for _, name := range names {
		if got, err := os.ReadFile(name); err == nil && len(got) > 0 && strings.Contains(string(got), text) {
			return true
		}
	}
	return false
}
