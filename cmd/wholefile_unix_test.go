//go:build unix

package cmd

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe is written, not replaced by a file.
func TestWholeFileToAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writable(path); err != nil {
		t.Error(err)
	}
	wrote := make(chan error, 1)
	go func() {
		wrote <- writeWhole(path, func(w io.Writer) error {
			_, err := io.WriteString(w, "through")
			return err
		})
	}()
	if got, err := os.ReadFile(path); err != nil || string(got) != "through" {
		t.Errorf("read %q, %v; want what was written", got, err)
	}
	if err := <-wrote; err != nil {
		t.Error(err)
	}
}
