//go:build unix

package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/redialscan/redial/internal/lab"
)

func namedPipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A list that its writer keeps open does not keep a scan that is to end.
func TestInterruptedWhileANamedPipeIsRead(t *testing.T) {
	l := startHosts(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1}})
	path := namedPipe(t)
	w, err := os.OpenFile(path, os.O_RDWR, 0) // which does not wait for a reader
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.WriteString(l.Hosts()[0].URL() + "\nno target\n"); err != nil {
		t.Fatal(err)
	}
	p := start(t, "scan", "-l", path, "--no-progress")
	p.until("pipe:2: a space inside a target")
	if status := p.end(os.Interrupt); status != StatusInterrupted {
		t.Errorf("status %d, want %d", status, StatusInterrupted)
	}
}

// Nor does one that nobody has opened to write.
func TestInterruptedWhileANamedPipeIsOpened(t *testing.T) {
	list := &pipeList{path: namedPipe(t)}
	failed := make(chan error)
	go func() {
		_, err := list.Read(make([]byte, 10))
		failed <- err
	}()
	list.cancel() // before, while or after it is opened
	if err := <-failed; err == nil {
		t.Error("a cancelled read gave something")
	}
	list.close()
}

func TestNamedPipeIsRead(t *testing.T) {
	l := startHosts(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1}})
	path, written := namedPipe(t), make(chan error)
	go func() { written <- os.WriteFile(path, []byte(l.Hosts()[0].URL()+"\n"), 0) }()
	var out bytes.Buffer
	env := testEnv(t)
	env.Stdout = &out
	if status := Run([]string{"scan", "-l", path, "--silent"}, env); status != StatusOK {
		t.Errorf("status %d", status)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
	if strings.Count(out.String(), "\n") != 1 {
		t.Errorf("found %q, want one result", out.String())
	}
}

// Standard input may be a file, which no poll takes.
func TestListOnStandardInputFromAFile(t *testing.T) {
	l := startHosts(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 2}})
	path := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(path, []byte(strings.Join(urlsOf(l.Hosts()...), "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"scan", "--silent"}, {"scan", "-l", "-", "--silent"}} {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		env := testEnv(t)
		env.Stdin, env.Stdout = f, &out
		if status := Run(args, env); status != StatusOK || strings.Count(out.String(), "\n") != 2 {
			t.Errorf("%q: status %d, found %q, want two results", args, status, out.String())
		}
		f.Close()
	}
}
