//go:build unix

package cmd

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/report"
)

// moment is when a process is stopped: a file has grown by so many bytes, or the process has run for so long. What is 0
// does not count; the zero value never comes.
type moment struct {
	grown int64
	after time.Duration
}

// runUntil runs redial as a process of its own and sends it a signal at a moment. It says whether the process was stopped
// by that, before it had ended by itself.
func runUntil(t *testing.T, sig syscall.Signal, file string, when moment, args ...string) (stopped bool) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	size := func() int64 {
		info, err := os.Stat(file)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	before := size()
	var messages strings.Builder
	c := exec.Command(program, args...)
	c.Args[0], c.Stderr = "redial", &messages // by which TestMain knows what to run
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	var over <-chan time.Time
	if when.after > 0 {
		timer := time.NewTimer(when.after)
		defer timer.Stop()
		over = timer.C
	}
	stop := func() bool {
		_ = c.Process.Signal(sig) // it may have ended this moment
		<-ended
		return true
	}
	for {
		select {
		case err := <-ended:
			if status := c.ProcessState.ExitCode(); status != StatusOK && status != StatusIncomplete {
				t.Fatalf("%v:\n%s", err, messages.String())
			}
			return false
		case <-look.C:
			if when.grown > 0 && size()-before >= when.grown {
				return stop()
			}
		case <-over:
			return stop()
		}
	}
}

// Killed at whatever moments and resumed, a scan has in its events every item once, and its results agree with them.
func TestKilledAndResumedEveryItemEndsOnce(t *testing.T) {
	l := startHosts(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 24, lab.Refusing: 3, lab.Flaky: 2}, FlakyDown: 2 * time.Second})
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	const paths, kills = 600, 20
	var text strings.Builder
	for i := range paths {
		fmt.Fprintf(&text, "/admin?%d\n", i)
	}
	if err := os.WriteFile(file("paths.txt"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file("list.txt"), []byte(strings.Join(urlsOf(l.Hosts()...), "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{
		"scan", "-l", file("list.txt"), "--path", file("paths.txt"), "--cooldown", "1s", "--linger", "3s", "--rate-limit", "2000",
		"--host-rate-limit", "0", "--retry-budget", "1000", "--no-progress", "-j", "-o", file("results.jsonl"),
	}
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(1, seed))
	t.Logf("seed %d", seed)
	// Killed is a scan when a part of the events is written, or at any time, be it before the first of them; Ctrl-C and
	// kill -9 may take turns.
	again := append(args, "--events", file("scan.events"), "--resume")
	for killed := range kills {
		when := moment{grown: 1 + rng.Int64N(100<<10), after: time.Duration(1 + rng.Int64N(int64(500*time.Millisecond)))}
		if !runUntil(t, syscall.SIGKILL, file("scan.events"), when, again...) {
			t.Fatalf("the scan ended after it was killed %d times, want %d: it is too short for this test", killed, kills)
		}
		if rng.IntN(4) == 0 {
			runUntil(t, syscall.SIGTERM, file("scan.events"), moment{grown: 1}, again...)
		}
	}
	runUntil(t, syscall.SIGKILL, file("scan.events"), moment{}, again...)

	ends, matched := map[string]int{}, 0
	all := events(t, file("scan.events"))
	for _, e := range all {
		switch e := e.(type) {
		case *report.Result:
			ends[fmt.Sprint(e.Target, "#", e.Index)]++
			matched += e.Findings()
		case *report.Skipped:
			for i := e.From; i < e.To; i++ {
				ends[fmt.Sprint(e.Target, "#", i)]++
			}
			for _, i := range e.Again {
				ends[fmt.Sprint(e.Target, "#", i)]++
			}
		}
	}
	items := len(l.Hosts()) * paths
	for item, n := range ends {
		if n != 1 {
			t.Errorf("item %s stands %d times in the events", item, n)
		}
	}
	if len(ends) != items {
		t.Errorf("%d items stand in the events, want %d", len(ends), items)
	}
	sum, ok := all[len(all)-1].(*report.Summary)
	if !ok || sum.Items != int64(items) || sum.Missing() != 0 || sum.Findings != int64(matched) || sum.Hosts != int64(len(l.Hosts())) {
		t.Errorf("the events end with %+v, want the summary of %d items with %d findings", all[len(all)-1], items, matched)
	}
	if matched < (24+2)*paths {
		t.Errorf("%d findings, want those of all hosts that answer", matched)
	}
	lines := strings.Split(strings.TrimSuffix(contents(t, file("results.jsonl")), "\n"), "\n")
	if len(lines) != matched {
		t.Errorf("%d lines of results, want %d", len(lines), matched)
	}
	seen := map[string]bool{}
	for _, line := range lines {
		var r struct{ URL string }
		if err := json.Unmarshal([]byte(line), &r); err != nil || seen[r.URL] {
			t.Errorf("%v, or twice: %s", err, line)
		}
		seen[r.URL] = true
	}
}
