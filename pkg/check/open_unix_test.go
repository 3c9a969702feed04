//go:build unix

package check

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe among the templates is refused, and nobody waits for what may come out of it.
func TestLoadDoesNotWaitForPipes(t *testing.T) {
	root := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(root, "pipe.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := Load(context.Background(), LoadOptions{Paths: []string{root}})
	if err != nil || len(set.Refused) != 1 || !strings.Contains(set.Refused[0].Error(), "expected a file") {
		t.Errorf("%v, %+v; want the pipe refused", err, set)
	}
}
