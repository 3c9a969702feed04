package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/redialscan/redial/internal/lab"
)

// Both loops send each request once, and say so when one fails.
func TestBareLoops(t *testing.T) {
	l, err := lab.Start(lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 3, lab.TLS: 1}, RecordPaths: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	dir := t.TempDir()
	list, paths := filepath.Join(dir, "urls"), filepath.Join(dir, "paths")
	var urls strings.Builder
	if err := l.WriteList(&urls); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(list, []byte(urls.String()), 0o600), os.WriteFile(paths, []byte("/p1\n/p2\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for i, extra := range [][]string{nil, {"-nethttp"}} {
		if err := runBare(t.Context(), append([]string{"-list", list, "-paths", paths, "-workers", "4"}, extra...)); err != nil {
			t.Fatal(err)
		}
		if err := runBare(t.Context(), append([]string{"-list", list, "-workers", "4"}, extra...)); err != nil {
			t.Fatal(err)
		}
		for _, h := range l.Hosts() {
			got := h.Paths()
			for _, path := range []string{"/", "/p1", "/p2"} {
				if got[path] != int64(i+1) {
					t.Errorf("%s %v: got %d requests for %s, want %d", h.Kind, extra, got[path], path, i+1)
				}
			}
		}
	}
	_ = l.Close()
	err = runBare(t.Context(), []string{"-list", list, "-workers", "4"})
	if err == nil || !strings.Contains(err.Error(), "4 of 4 requests failed") {
		t.Errorf("got %v, want 4 of 4 failed", err)
	}
}

func TestBareRunsEverythingOnce(t *testing.T) {
	b := bare{urls: make([]string, 7), paths: []string{"/a", "/b", "/c"}, workers: 5}
	var mu sync.Mutex
	seen := map[int]map[string]int{}
	err := b.run(func(host int, path string) error {
		mu.Lock()
		defer mu.Unlock()
		if seen[host] == nil {
			seen[host] = map[string]int{}
		}
		seen[host][path]++
		return nil
	})
	if err != nil || len(seen) != 7 {
		t.Fatalf("got %d hosts, %v", len(seen), err)
	}
	for host, paths := range seen {
		if len(paths) != 3 || paths["/a"] != 1 || paths["/b"] != 1 || paths["/c"] != 1 {
			t.Errorf("host %d: got %v, want each path once", host, paths)
		}
	}
}

func TestBareListsMustHaveLines(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{empty, empty + ".missing"} {
		if err := runBare(t.Context(), []string{"-list", name}); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
