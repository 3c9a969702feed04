package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redialscan/redial/pkg/report"
)

func TestShelfPath(t *testing.T) {
	s := Shelf{Folder: "folder"}
	list := report.Input{Kind: "list", Name: "lists/hosts.txt", Digest: "sha256:1", Size: 5}
	checks := []*report.Check{{ID: "probe", Method: "GET", Path: "/"}}
	one := s.Path(report.Started{Inputs: []report.Input{list}}, checks)
	if !strings.HasPrefix(one, filepath.Join("folder", "hosts.txt-")) || !strings.HasSuffix(one, ".events") {
		t.Errorf("%s, want the name of the list in it", one)
	}
	same := report.Started{Options: map[string]string{"cooldown": "1s", "header": "X (1)"}, Inputs: []report.Input{list}}
	if got := s.Path(same, checks); got != one {
		t.Errorf("%s and %s for the same inputs", got, one)
	}
	other := list
	other.Digest = "sha256:2"
	paths := map[string]bool{one: true}
	for _, p := range []string{
		s.Path(report.Started{Inputs: []report.Input{other}}, checks),
		s.Path(report.Started{Inputs: []report.Input{list, {Kind: "exclude", Name: "h"}}}, checks),
		s.Path(report.Started{Inputs: []report.Input{list}, Options: map[string]string{"ports": "81"}}, checks),
		s.Path(report.Started{Inputs: []report.Input{list}}, nil),
	} {
		if paths[p] {
			t.Errorf("%s for other inputs too", p)
		}
		paths[p] = true
	}
}

func TestPlain(t *testing.T) {
	for name, want := range map[string]string{
		"https://h.example:8443/": "h.example_8443", "/tmp/list.txt": "list.txt", `C:\lists\a b.txt`: "a_b.txt", "10.0.0.0/8": "8", "": "scan",
		"../..": "scan", ".hidden": "hidden", "dévus": "d_vus", strings.Repeat("x", 99): strings.Repeat("x", 40), "[::1]:80": "___1__80",
	} {
		if got := plain(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

func TestTidy(t *testing.T) {
	s := Shelf{Folder: filepath.Join(t.TempDir(), "a", "scans")}
	if err := s.Tidy(time.Time{}); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, at := range map[string]time.Time{
		"old.events": now.Add(-time.Hour), "held.events": now.Add(-time.Hour), "new.events": now, "old.txt": now.Add(-time.Hour),
	} {
		path := filepath.Join(s.Folder, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	held, err := Acquire(filepath.Join(s.Folder, "held.events"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Tidy(now); err != nil {
		t.Fatal(err)
	}
	if err := held.Release(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(s.Folder)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if got := strings.Join(left, " "); got != "held.events new.events old.txt" {
		t.Errorf("%s are left", got)
	}
}
