package report

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFilesThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	list := filepath.Join(dir, "targets.txt")
	if err := os.WriteFile(list, []byte("a\nb\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Link(list, link); err != nil {
		t.Fatal(err)
	}
	var files Files
	files.Keep(list, "target list")
	files.Keep(filepath.Join(dir, "missing"), "target list") // nothing to guard
	first := filepath.Join(dir, "first")
	if _, err := files.Open(first, "results file"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, path, want string }{
		{"folder", dir, "is a directory, expected"},
		{"missing parent", filepath.Join(dir, "no", "x"), "the folder " + filepath.Join(dir, "no") + " does not exist"},
		{"parent is a file", filepath.Join(list, "x"), list + " is a file, expected a folder"},
		{"empty", "", "empty path, expected"},
		{"twice", first, "is the same file as the results file " + first},
		{"twice by another name", dir + "/./first", "is the same file as the results file " + first},
		{"an input", link, "is the same file as the target list " + list},
	} {
		_, err := files.Open(tt.path, "events file")
		var out *OutputError
		if !errors.As(err, &out) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "events file "+tt.path) && tt.path != "" {
			t.Errorf("%s: got %v, want an error of %q that says %q", tt.name, err, tt.path, tt.want)
		}
	}
	if got := read(t, list); got != "a\nb\n" {
		t.Errorf("the target list holds %q", got)
	}
	if err := files.Close(); err != nil {
		t.Error(err)
	}
}

func TestDevicesMayBeGivenTwice(t *testing.T) {
	var files Files
	for range 2 {
		if _, err := files.Open(os.DevNull, "results file"); err != nil {
			t.Error(err)
		}
	}
	if err := files.Close(); err != nil {
		t.Error(err)
	}
}

func TestOldContentStaysUntilTheScanStarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(path, []byte("of yesterday, and long\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var files Files
	out, err := files.Open(path, "results file")
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "of yesterday, and long\n" {
		t.Errorf("opening left %q", got)
	}
	text := NewText(out, TextOptions{})
	run(t, []Event{&Result{Matched: true, URL: "u", StatusCode: 200}}, text)
	if got := read(t, path); got != "u [200] [0]\n" {
		t.Errorf("the scan left %q", got)
	}
	if err := files.Close(); err != nil { // the handler has closed it
		t.Error(err)
	}
}

// smallDisk writes to a file until it is full, and then a part of what it was given.
type smallDisk struct {
	*os.File
	room int
}

var errFull = errors.New("no space left on device")

func (d *smallDisk) Write(p []byte) (int, error) {
	if len(p) <= d.room {
		d.room -= len(p)
		return d.File.Write(p)
	}
	n, err := d.File.Write(p[:d.room])
	d.room = 0
	return n, errors.Join(err, errFull)
}

func TestFullDiskLeavesWholeLines(t *testing.T) {
	for room := range 40 {
		out, path := file(t, "out")
		out.w = &smallDisk{File: out.file, room: room}
		text := NewText(out, TextOptions{})
		line := "u [200] [0]\n"
		var err error
		if err = text.Start(); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err = text.Event(&Result{Matched: true, URL: "u", StatusCode: 200}); err != nil {
				t.Fatal(err) // nothing is written before the buffer is full
			}
		}
		err = text.Flush()
		if want := strings.Repeat(line, min(room/len(line), 3)); read(t, path) != want {
			t.Errorf("with room for %d bytes the file holds %q, want %q", room, read(t, path), want)
		}
		full := room < 3*len(line)
		if errors.Is(err, errFull) != full {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
		if full && !strings.Contains(err.Error(), "results file "+path) {
			t.Errorf("%v does not name %s", err, path)
		}
		if err := text.Finish(); errors.Is(err, errFull) != full {
			t.Errorf("with room for %d bytes the end said %v", room, err)
		}
	}
}
