package report

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// What a killed run has left goes with the next one that writes the same report; nothing else does.
func TestStaleTemporaryFiles(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "scan.sarif")
	now := time.Now()
	put := func(name string, age time.Duration) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
		return name
	}
	put(".scan.sarif.redial-"+rand.Text(), time.Hour)
	stay := []string{
		put(".scan.sarif.redial-"+rand.Text(), time.Second), // it may be about to be held
		put(".other.sarif.redial-"+rand.Text(), time.Hour),
		put(".scan.sarif.redial-notes", time.Hour),
		put("scan.sarif.redial-"+rand.Text(), time.Hour),
	}
	var first Files // a run that has the same report open, for long
	defer first.Close()
	if _, err := first.OpenWhole(path, "report"); err != nil {
		t.Fatal(err)
	}
	held := first.wholes[0].file.Name()
	if err := os.Chtimes(held, now.Add(-time.Hour), now.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	stay = append(stay, held)

	var second Files
	out, err := second.OpenWhole(path, "report")
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Commit(); err != nil {
		t.Fatal(err)
	}
	stay = append(stay, path)
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, filepath.Join(folder, e.Name()))
	}
	slices.Sort(stay)
	if slices.Sort(left); !slices.Equal(left, stay) {
		t.Errorf("left are\n%q, want\n%q", left, stay)
	}
}

func TestLongNamesHaveTemporaryOnes(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("x", 250))
	var files Files
	out, err := files.OpenWhole(path, "report")
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Commit(); err != nil {
		t.Error(err)
	}
}
