package cmd

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata/script")

// TestMain lets scripts run redial as a process of its own: the test binary under that name.
func TestMain(m *testing.M) {
	testscript.Main(leakChecked{m}, map[string]func(){
		"redial": func() { os.Exit(Run(os.Args[1:], OSEnv())) },
	})
}

// leakChecked fails a run whose tests have left goroutines behind.
type leakChecked struct{ m *testing.M }

func (l leakChecked) Run() int {
	status := l.m.Run()
	if err := goleak.Find(); err != nil && status == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return status
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=0") // or each redial under -race ends a second late
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"waitfile":     waitFile,
			"status":       wantStatus,
			"stopped":      wantStopped,
			"freeport":     freePort,
			"sameset":      wantSameSet,
			"waitfor":      waitFor,
			"certificates": makeCertificates,
		},
	})
}

// waitFile waits until a file is there with something in it, as what a command in the background leaves when it is
// ready.
func waitFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitfile file")
	}
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		if info, err := os.Stat(ts.MkAbs(args[0])); err == nil && info.Size() > 0 {
			return
		}
		select {
		case <-look.C:
		case <-deadline.C:
			ts.Fatalf("waitfile: %s is not there after 30 s", args[0])
		}
	}
}

// waitFor runs a command again and again until it succeeds: "waitfor redial workers".
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: waitfor command [arguments]")
	}
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		err := ts.Exec(args[0], args[1:]...)
		if err == nil {
			return
		}
		select {
		case <-look.C:
		case <-deadline.C:
			ts.Fatalf("waitfor: %v after 30 s", err)
		}
	}
}

// wantStatus runs a command and wants one exit status exactly: "status 2 redial scan".
func wantStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status number command [arguments]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// freePort sets a variable to a port of loopback at which nobody listens now: "freeport PORT".
func freePort(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: freeport variable")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	_, port, err := net.SplitHostPort(l.Addr().String())
	ts.Check(err)
	ts.Check(l.Close())
	ts.Setenv(args[0], port)
}

// wantSameSet wants two files with the same lines in whatever order, at least one: "sameset a b".
func wantSameSet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sameset file file")
	}
	a, b := slices.Sorted(strings.Lines(ts.ReadFile(args[0]))), slices.Sorted(strings.Lines(ts.ReadFile(args[1])))
	if len(a) == 0 || !slices.Equal(a, b) {
		ts.Fatalf("%s has %d lines and %s %d, which are not the same", args[0], len(a), args[1], len(b))
	}
}
