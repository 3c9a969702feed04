package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redialscan/redial/internal/lab"
)

func workloadOf(t *testing.T, name string, scale float64) workload {
	t.Helper()
	for _, w := range allWorkloads() {
		if w.name == name {
			return w.scaled(scale)
		}
	}
	t.Fatalf("no workload %s", name)
	return workload{}
}

func TestScale(t *testing.T) {
	for _, c := range []struct {
		name                    string
		scale                   float64
		targets, living, checks int
		down                    time.Duration
	}{
		{"healthy", 1, 200, 200, 500, 0},
		{"healthy", 0.01, 200, 200, 5, 0},
		{"healthy", 0.0001, 200, 200, 1, 0},
		{"healthy", 2, 200, 200, 1000, 0},
		{"cluster", 0.01, 200, 200, 5, 0},
		{"mixed", 1, 200, 120, 50, 13 * time.Second},
		{"mixed", 0.1, 20, 12, 50, time.Second},
		{"wide", 1, 60_000, 60_000, 1, 0},
		{"wide", 0.01, 600, 600, 1, 0},
		{"refused-million", 10, 10_000_000, 0, 1, 0},
	} {
		w := workloadOf(t, c.name, c.scale)
		if w.targets != c.targets || w.living() != c.living || w.checks != c.checks || w.down != c.down {
			t.Errorf("%s x %v: got %d targets, %d living, %d checks, down %v; want %d, %d, %d, %v",
				c.name, c.scale, w.targets, w.living(), w.checks, w.down, c.targets, c.living, c.checks, c.down)
		}
	}
}

func TestScaleLeavesTheFullSizeAlone(t *testing.T) {
	all := allWorkloads()
	mixed := all[slices.IndexFunc(all, func(w workload) bool { return w.name == "mixed" })]
	mixed.scaled(0.1)
	if mixed.hosts[0].n != 100 {
		t.Errorf("got %d healthy hosts after a share was taken, want 100", mixed.hosts[0].n)
	}
}

func TestLabFlags(t *testing.T) {
	got := strings.Join(workloadOf(t, "mixed", 1).labFlags(), " ")
	want := "--seed 1 --healthy 100 --flaky 20 --refusing 40 --black-hole 20 --silent 20 --flaky-down 13s"
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestKindsThatAnswer(t *testing.T) {
	for kind, want := range map[lab.Kind]bool{
		lab.Healthy: true, lab.Flaky: true, lab.TLS: true, lab.Refusing: false, lab.Silent: false, lab.BlackHole: false,
	} {
		if got := answers(kind); got != want {
			t.Errorf("%s: got %v, want %v", kind, got, want)
		}
	}
}

// Every tool of a workload must be one that exists.
func TestWorkloadsNameTools(t *testing.T) {
	for _, w := range allWorkloads() {
		for _, name := range w.tools {
			if !slices.Contains(toolNames(), name) {
				t.Errorf("%s: tool %q does not exist", w.name, name)
			}
		}
	}
}

func TestFind(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	programs, missing := find([]string{"redial", "bare", "wrk", "ffuf"}, "/r", "/self")
	if programs["redial"] != "/r" || programs["bare"] != "/self" || len(programs) != 4 {
		t.Errorf("got %v", programs)
	}
	if !slices.Equal(missing, []string{"wrk", "ffuf"}) {
		t.Errorf("got %v missing, want wrk and ffuf", missing)
	}
}
