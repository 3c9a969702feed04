package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/report"
)

// The situations here broke other tools; each test names the public reports of its own.

func startHosts(t *testing.T, cfg lab.Config) *lab.Lab {
	t.Helper()
	l, err := lab.Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// scanOf runs redial scan on a list and returns what it wrote and its exit status.
func scanOf(t *testing.T, list []string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, messages bytes.Buffer
	env := testEnv(t)
	env.Stdin, env.Stdout, env.Stderr = strings.NewReader(strings.Join(list, "\n")), &out, &messages
	status = Run(append([]string{"scan", "-l", "-"}, args...), env)
	return out.String(), messages.String(), status
}

func urlsOf(hosts ...lab.Host) []string {
	var all []string
	for _, h := range hosts {
		all = append(all, h.URL())
	}
	return all
}

// events reads an events file.
func events(t *testing.T, name string) []report.Event {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []report.Event
	for d := report.NewDecoder(f); ; {
		e, err := d.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
}

func contents(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// github.com/projectdiscovery/nuclei/issues/6397 and /934: hosts that were skipped are no findings, and are listed at the
// end with what they did.
func TestSkippedHostsAreListedAtTheEnd(t *testing.T) {
	l := startHosts(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1, lab.Refusing: 1}})
	living, dead := l.Of(lab.Healthy)[0], l.Of(lab.Refusing)[0]
	for _, format := range [][]string{nil, {"-j"}, {"--show-failed"}, {"-j", "--show-failed"}} {
		stdout, stderr, status := scanOf(t, urlsOf(dead, living),
			append(format, "--no-revisit", "--path", "/,/admin,/login,/none,/none2")...)
		if status != StatusOK || strings.Contains(stdout, dead.Addr) || !strings.Contains(stdout, living.Addr) {
			t.Errorf("%q: status %d with the results %q, want 0 and those of %s", format, status, stdout, living.Addr)
		}
		for _, want := range []string{
			"10 = 5 done + 0 failed + 5 skipped", "5 quarantined", "Quarantined hosts: 1", dead.Addr, "connection refused",
		} {
			if !strings.Contains(stderr, want) {
				t.Errorf("%q: standard error does not say %q:\n%s", format, want, stderr)
			}
		}
	}
}

// github.com/projectdiscovery/nuclei/issues/3630 and /5130: the last status line says 100 %, whatever became of the items.
func TestLastStatusLineSaysHundred(t *testing.T) {
	l := startHosts(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1, lab.Refusing: 1, lab.Garbage: 1}})
	_, stderr, _ := scanOf(t, urlsOf(l.Hosts()...), "--no-revisit", "--path", "/,/admin,/login,/none", "--stats-interval", "1h")
	if !strings.Contains(stderr, "12/12 items (100 %)") {
		t.Errorf("standard error has no last line with 100 %%:\n%s", stderr)
	}
}

// github.com/projectdiscovery/nuclei/issues/5086: no findings is a result: status 0, and reports that are there and empty.
func TestNoFindings(t *testing.T) {
	l := startHosts(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 2}})
	for _, format := range [][]string{nil, {"-j"}} {
		out, journal := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "events")
		stdout, _, status := scanOf(t, urlsOf(l.Hosts()...),
			append(format, "--path", "/none", "-o", out, "--events", journal)...)
		if status != StatusOK || stdout != "" || contents(t, out) != "" {
			t.Errorf("%q: status %d, results %q, file %q; want 0 and nothing found", format, status, stdout, contents(t, out))
		}
		all := events(t, journal)
		sum, ok := all[len(all)-1].(*report.Summary)
		if !ok || sum.Done != 2 || sum.Findings != 0 {
			t.Errorf("%q: the events end with %+v, want the summary of 2 items and no finding", format, all[len(all)-1])
		}
	}
}

// The interrupt handling of github.com/projectdiscovery/httpx: what is in flight ends, the summary is written, every result
// that was told of is whole in its file, and the status tells the signal.
func TestInterruptedScanLosesNothing(t *testing.T) {
	for sig, want := range map[os.Signal]int{os.Interrupt: StatusInterrupted, syscall.SIGTERM: StatusTerminated} {
		l := startHosts(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 20}})
		out, journal, list := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "events"), filepath.Join(t.TempDir(), "list")
		if err := os.WriteFile(list, []byte(strings.Join(urlsOf(l.Hosts()...), "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		var paths []string
		for i := range 2000 {
			paths = append(paths, "/?"+strings.Repeat("x", i%50)+"="+string(rune('a'+i/50%26))+string(rune('a'+i/1300)))
		}
		var stdout, stderr bytes.Buffer
		signals := make(chan os.Signal, 2)
		env := testEnv(t)
		env.Stdout = &tripwire{Buffer: &stdout, pull: func() { signals <- sig }}
		env.Stderr = &stderr
		env.Signals = func() (<-chan os.Signal, func()) { return signals, func() {} }
		status := Run([]string{
			"scan", "-l", list, "-j", "-o", out, "--events", journal, "--path", strings.Join(paths, ","),
			"--rate-limit", "0", "--host-rate-limit", "1000",
		}, env)
		if status != want || !strings.Contains(stderr.String(), "Scan interrupted") {
			t.Errorf("%v: status %d, want %d and a summary:\n%s", sig, status, want, stderr.String())
		}
		var results, skipped int64
		all := events(t, journal)
		for _, e := range all {
			switch e := e.(type) {
			case *report.Result:
				results++
			case *report.Skipped:
				skipped += e.Count()
			}
		}
		sum, ok := all[len(all)-1].(*report.Summary)
		if !ok || sum.Done+sum.Failed != results || sum.Skipped != skipped || results+skipped != sum.Items || skipped == 0 || sum.Failed != 0 {
			t.Errorf("%v: %d results and %d skipped in the events, summary %+v", sig, results, skipped, all[len(all)-1])
		}
		lines := slices.Collect(strings.Lines(contents(t, out)))
		for _, line := range lines {
			if !strings.HasSuffix(line, "\n") || !json.Valid([]byte(line)) {
				t.Errorf("%v: a line of the results is cut off: %q", sig, line)
			}
		}
		if int64(len(lines)) != sum.Findings || contents(t, out) != stdout.String() {
			t.Errorf("%v: %d lines in the file and %d findings, want all in both outputs", sig, len(lines), sum.Findings)
		}
		var sent int64
		for _, h := range l.Hosts() {
			sent += h.Requests()
		}
		if sent != results {
			t.Errorf("%v: %d requests arrived and %d items were done, want none in flight lost", sig, sent, results)
		}
	}
}

// tripwire calls a function with the first write.
type tripwire struct {
	*bytes.Buffer
	once sync.Once
	pull func()
}

func (w *tripwire) Write(p []byte) (int, error) {
	w.once.Do(w.pull)
	return w.Buffer.Write(p)
}

// github.com/projectdiscovery/naabu/issues/1398: nothing of what is excluded is ever sent to, by whatever way.
func TestExcludedHostsGetNothing(t *testing.T) {
	l := startHosts(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 2, lab.Redirecting: 1}})
	barred, free, moved := l.Of(lab.Healthy)[0], l.Of(lab.Healthy)[1], l.Of(lab.Redirecting)[0]
	addr := netip.MustParseAddrPort(barred.Addr)
	moved.RedirectTo(barred.URL(), 302)
	list := []string{barred.URL(), barred.Addr, "[::ffff:" + addr.Addr().String() + "]", moved.URL(), free.URL()}
	stdout, stderr, status := scanOf(t, list, "-j", "--follow-redirects", "--exclude", addr.Addr().String()+"/32,example.com")
	if n := barred.Stats().Connections; n != 0 {
		t.Errorf("%d connections reached the excluded host, want none", n)
	}
	if n := strings.Count(stdout, "\n"); status != StatusOK || n != 2 || !strings.Contains(stdout, `"redirect_skipped":"`+barred.Addr+`"`) {
		t.Errorf("status %d with %s\n%s; want the two hosts that are left, and the hop that was skipped", status, stdout, stderr)
	}
}
