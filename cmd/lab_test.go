package cmd

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/redialscan/redial/internal/lab"
)

func TestLabCountsWhatArrives(t *testing.T) {
	stats := filepath.Join(t.TempDir(), "stats.json")
	list := filepath.Join(t.TempDir(), "list.txt")
	p := start(t, "lab", "--throttling", "1", "--rate", "0.001", "--retry-after", "7", "--list", list, "--stats-file", stats)
	p.until("ready")
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(string(text))
	for i, want := range []int{200, 429, 429} {
		if status, after := get(t, url); status != want || want == 429 && after != "7" {
			t.Errorf("request %d: status %d with Retry-After %q, want %d", i+1, status, after, want)
		}
	}
	if status := p.end(syscall.SIGTERM); status != StatusOK {
		t.Errorf("status %d, want 0: being stopped is how a lab ends", status)
	}

	var hosts []lab.HostStats
	if text, err = os.ReadFile(stats); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &hosts); err != nil {
		t.Fatal(err)
	}
	if len(hosts) != 1 || hosts[0].Requests != 3 || hosts[0].Kind != lab.Throttling || "http://"+hosts[0].Host+"/" != url {
		t.Errorf("counted %+v, want 3 requests at %s", hosts, url)
	}
}

// get asks once, on a connection of its own.
func get(t *testing.T, url string) (status int, retryAfter string) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode, resp.Header.Get("Retry-After")
}

func TestLabListOnStandardOutput(t *testing.T) {
	order := func(args ...string) string {
		p := start(t, append([]string{"lab", "--healthy", "8", "--tls", "8", "--list", "-"}, args...)...)
		p.until("ready")
		if status := p.end(os.Interrupt); status != StatusOK {
			t.Fatalf("status %d, want 0", status)
		}
		var kinds []string
		for line := range strings.Lines(p.stdout.String()) {
			scheme, _, _ := strings.Cut(line, "://")
			kinds = append(kinds, scheme)
		}
		return strings.Join(kinds, " ")
	}
	plain := strings.Join(append(slices.Repeat([]string{"http"}, 8), slices.Repeat([]string{"https"}, 8)...), " ")
	if got := order(); got != plain {
		t.Errorf("listed %q, want the order of the kinds", got)
	}
	one := order("--seed", "1")
	if one == plain || one != order("--seed", "1") {
		t.Errorf("seed 1 listed %q, want a shuffle that repeats", one)
	}
}

func TestLabPortInUse(t *testing.T) {
	taken, err := net.Listen("tcp4", "0.0.0.0:0") // on every address that a lab could pick
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := strconv.Itoa(taken.Addr().(*net.TCPAddr).Port)
	var stderr bytes.Buffer
	env := testEnv(t)
	env.Stderr = &stderr
	if status := Run([]string{"lab", "--healthy", "1", "--port", port}, env); status != StatusUsage {
		t.Errorf("status %d, want 2", status)
	}
	if text := stderr.String(); !strings.Contains(text, ":"+port) || !strings.Contains(text, "expected a --port that is free") {
		t.Errorf("said %q, want the port and what was expected", text)
	}
}

func TestEveryKindOfHostIsExplained(t *testing.T) {
	for _, kind := range lab.Kinds() {
		if !strings.HasPrefix(labKindHelp(kind), "hosts ") {
			t.Errorf("%s: help %q, want what such hosts do", kind, labKindHelp(kind))
		}
	}
}
