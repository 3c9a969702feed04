package cmd

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What a process that was killed in the middle of a write has left goes with the next one to the same place.
func TestWholeFileRemovesWhatAKilledOneLeft(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "list.txt")
	err := writeWhole(path, func(w io.Writer) error {
		entries, err := os.ReadDir(folder)
		if err != nil || len(entries) != 1 {
			t.Fatalf("%d files during the write, %v; want the temporary one", len(entries), err)
		}
		half := filepath.Join(folder, entries[0].Name())
		// The same as if its owner were gone: of the same form, old, and held by nobody.
		left := half[:len(half)-1] + "1"
		long := time.Now().Add(-time.Hour)
		return errors.Join(os.WriteFile(left, []byte("half"), 0o600), os.Chtimes(left, long, long))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := writeWhole(path, func(w io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Errorf("%q are left, %v; want the list alone", entries, err)
	}
}

func TestWholeFileIsThereOrNot(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "list.txt")
	write := func(text string, err error) error {
		return writeWhole(path, func(w io.Writer) error {
			_, failed := io.WriteString(w, text)
			return errors.Join(failed, err)
		})
	}
	broken := errors.New("broken")
	for _, c := range []struct {
		name, text string
		err        error
		want       string
	}{
		{"fails where nothing was", "a", broken, ""},
		{"new", "one", nil, "one"},
		{"fails over another", "tw", broken, "one"},
		{"replaces", "three", nil, "three"},
	} {
		if err := write(c.text, c.err); !errors.Is(err, c.err) || err != nil && !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%s: error %v, want %v with the path", c.name, err, c.err)
		}
		if got, _ := os.ReadFile(path); string(got) != c.want {
			t.Errorf("%s: the file holds %q, want %q", c.name, got, c.want)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Errorf("%d files are left, %v; want the one", len(entries), err)
	}
}
