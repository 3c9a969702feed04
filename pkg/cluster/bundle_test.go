package cluster

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func writeFiles(t *testing.T, files map[string]string) []File {
	t.Helper()
	dir := t.TempDir()
	var all []File
	for _, name := range []string{"a.yaml", "deep/er/b.yaml", "paths.txt"} {
		text, ok := files[name]
		if !ok {
			continue
		}
		path := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		all = append(all, File{Name: name, Path: path})
	}
	return all
}

func TestFilesTravelByWhatIsInThem(t *testing.T) {
	texts := map[string]string{"a.yaml": "id: a", "deep/er/b.yaml": strings.Repeat("x", 1<<20), "paths.txt": ""}
	g := newGroup(t, listOf(3, 1), 1)
	g.cfg.Files = writeFiles(t, texts)
	dir := t.TempDir()
	inner := answering(1)
	seen := make(chan string, 10)
	g.join("w1", inner, func(c *WorkerConfig) {
		c.Dir = dir
		c.NewRunner = func(_ context.Context, spec Spec, folder string) (Runner, error) {
			seen <- folder
			return inner, nil
		}
	})
	if _, err := g.serve(within(t)); err != nil {
		t.Fatal(err)
	}
	folder := await(t, seen)
	for name, want := range texts {
		got, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, %v, want %d", name, len(got), err, len(want))
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("%v in the folder of the worker, %v, want the files of the scan", left, err)
	}
}

func TestTheSameFilesGiveTheSameBundle(t *testing.T) {
	var first, second bytes.Buffer
	texts := map[string]string{"a.yaml": "id: a", "paths.txt": "/x"}
	if err := writeBundle(&first, writeFiles(t, texts)); err != nil {
		t.Fatal(err)
	}
	if err := writeBundle(&second, writeFiles(t, texts)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("it differs")
	}
}

func TestABundleStaysInItsFolder(t *testing.T) {
	for name, h := range map[string]tar.Header{
		"outside":      {Name: "../evil", Size: 1, Typeflag: tar.TypeReg},
		"from the top": {Name: "/tmp/evil", Size: 1, Typeflag: tar.TypeReg},
		"deep outside": {Name: "a/../../evil", Size: 1, Typeflag: tar.TypeReg},
		"a link":       {Name: "link", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink},
		"a device":     {Name: "null", Typeflag: tar.TypeChar},
		"too large":    {Name: "zeros", Size: maxFilesBytes + 1, Typeflag: tar.TypeReg},
	} {
		var text bytes.Buffer
		zip := gzip.NewWriter(&text)
		pack := tar.NewWriter(zip)
		if err := pack.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Size == 1 {
			if _, err := pack.Write([]byte("x")); err != nil {
				t.Fatal(err)
			}
			if err := pack.Close(); err != nil {
				t.Fatal(err)
			}
		}
		_ = pack.Flush()
		if err := zip.Close(); err != nil {
			t.Fatal(err)
		}
		parent := t.TempDir()
		folder := filepath.Join(parent, "in")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := readBundle(&text, folder); err == nil {
			t.Errorf("%s: it was unpacked", name)
		}
		if left, _ := os.ReadDir(parent); len(left) != 1 {
			t.Errorf("%s: %v beside the folder", name, left)
		}
	}
}

func TestAFileThatIsNoneIsNamed(t *testing.T) {
	var text bytes.Buffer
	dir := t.TempDir()
	if err := writeBundle(&text, []File{{Name: "a", Path: dir}}); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v, want an error that names %s", err, dir)
	}
}
