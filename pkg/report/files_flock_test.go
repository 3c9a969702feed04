//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package report

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Two runs that write the same file would each spoil what the other one has written.
func TestFileOfAnotherRunIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.txt")
	var first, second Files
	if _, err := first.Open(path, "results file"); err != nil {
		t.Fatal(err)
	}
	_, err := second.Open(path, "results file")
	if out, ok := errors.AsType[*OutputError](err); !ok || !errors.Is(err, ErrBusy) || out.Name != "results file "+path {
		t.Errorf("error %v, want that another run writes it", err)
	}
	if _, err := second.Open(os.DevNull, "results file"); err != nil {
		t.Errorf("a device: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Open(path, "results file"); err != nil {
		t.Errorf("after the first one has ended: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}
