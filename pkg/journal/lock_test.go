package journal

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestLock(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "scan.events")
	first, err := Acquire(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Acquire(path); !errors.Is(err, ErrLocked) {
		t.Errorf("a second one: %v, want %v", err, ErrLocked)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(first.Release(), first.Release()); err != nil {
		t.Error(err)
	}
	again, err := Acquire(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Release(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if _, err := Acquire(filepath.Join(dir, "none", "scan.events")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in no folder: %v", err)
	}
	if device, err := Acquire(os.DevNull); err != nil || device.Release() != nil {
		t.Errorf("a device: %v", err)
	}
	var none *Lock
	if err := none.Release(); err != nil {
		t.Error(err)
	}
}
