package report

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// failing is a stream that takes so many bytes.
type failing struct{ room int }

func (f *failing) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestAReportThatCannotBeWrittenIsTold(t *testing.T) {
	for format, handler := range formats {
		whole, err := NewWholeStream("the report", &failing{room: 10})
		if err != nil {
			t.Fatal(err)
		}
		h := handler(whole)
		if err := errors.Join(h.Start(), h.Event(admin()), h.Event(&Skipped{Host: "h", To: 1})); err != nil {
			t.Errorf("%s: failed before it was to be written: %v", format, err)
		}
		err = h.Finish()
		if out, ok := errors.AsType[*OutputError](err); !ok || out.Name != "the report" || !errors.Is(err, errFull) {
			t.Errorf("%s: the error is %v, want the name and the reason", format, err)
		}
	}
	a := NewAnnotations(&failing{})
	if err := errors.Join(a.Event(&Summary{}), a.Finish()); err != nil {
		t.Errorf("no annotation, and the error %v", err)
	}
	a = NewAnnotations(&failing{})
	_ = a.Event(admin())
	if err := a.Finish(); !errors.Is(err, errFull) {
		t.Errorf("the error of the annotations is %v", err)
	}
}

func TestWholeFileIsTold(t *testing.T) {
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	if err := os.WriteFile(path("list"), []byte("127.0.0.1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var files Files
	defer files.Close()
	files.Keep(path("list"), "target list")
	if _, err := files.OpenWhole(path("one"), "first report"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, path, want string }{
		{"an input", path("list"), "is the same file as the target list"},
		{"another report", folder + "/./one", "is the same file as the first report"},
		{"a folder", folder, "is a directory, expected the path of a file"},
		{"no folder", path("none/report"), "does not exist, expected an existing one"},
		{"a file for a folder", path("list/report"), "is a file, expected a folder"},
		{"no name", "", "empty path, expected the path of a file"},
	} {
		_, err := files.OpenWhole(tt.path, "report")
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), ".redial-") {
			t.Errorf("%s: %v, want %q and no temporary name", tt.name, err, tt.want)
		}
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("%v is left in the folder, want the list alone", entries)
	}
}

func TestWholeFileReplacesWhatALinkPointsTo(t *testing.T) {
	folder := t.TempDir()
	real, link := filepath.Join(folder, "real"), filepath.Join(folder, "link")
	if err := errors.Join(os.WriteFile(real, []byte("before"), 0o600), os.Symlink("real", link)); err != nil {
		t.Fatal(err)
	}
	var files Files
	out, err := files.OpenWhole(link, "report")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Write([]byte("after")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(out.Commit(), out.Commit()); err != nil || read(t, real) != "after" || read(t, link) != "after" {
		t.Errorf("%v, the file holds %q and the link %q", err, read(t, real), read(t, link))
	}
}

func TestWholeStreamIsWrittenOnce(t *testing.T) {
	var out bytes.Buffer
	whole, err := NewWholeStream("stream", &out)
	if err != nil {
		t.Fatal(err)
	}
	_, err = whole.Write([]byte("0000 tail"))
	if err := errors.Join(err, whole.overwrite([]byte("head"), 0)); err != nil || out.Len() != 0 {
		t.Errorf("%v, and %q before the end", err, out.String())
	}
	if err := errors.Join(whole.Commit(), whole.Commit()); err != nil || out.String() != "head tail" {
		t.Errorf("%v, the stream got %q", err, out.String())
	}
	whole.Discard()
}
