//go:build unix

package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redialscan/redial/internal/lab"
)

// What follows in a pipe may have seen enough, as head has: the scan ends, and the files hold all that was found.
func TestReaderOfStandardOutputLeaves(t *testing.T) {
	l := startHosts(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1}})
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	found, journal := filepath.Join(dir, "found"), filepath.Join(dir, "events")
	var stderr bytes.Buffer
	// A process of its own, since its first write to a standard output of this kind would end it.
	c := exec.Cmd{
		Path: exe, Args: []string{"redial", "scan", "-u", l.Hosts()[0].URL(), "-o", found, "--events", journal, "--no-progress"},
		Stdout: w, Stderr: &stderr, Env: append(os.Environ(), "GORACE=atexit_sleep_ms=0"),
	}
	if err := c.Run(); err == nil || c.ProcessState.ExitCode() != StatusUnread {
		t.Errorf("ended with %v, want the status %d", err, StatusUnread)
	}
	if !strings.HasSuffix(stderr.String(), "redial: stopped: the reader of standard output has left\n") {
		t.Errorf("said %q", stderr.String())
	}
	if got := contents(t, found); strings.Count(got, "\n") != 1 {
		t.Errorf("the results file holds %q, want one result", got)
	}
	if got := contents(t, journal); !strings.Contains(got, `"type":"summary"`) {
		t.Errorf("the events file has no summary: %q", got)
	}
}
