package report

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write the golden files in testdata anew")

func TestMain(m *testing.M) {
	flag.Parse()
	goleak.VerifyTestMain(m)
}

// golden holds got to testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s\nwant:\n%s", name, got, want)
	}
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

// admin is a finding with every field that a plain probe fills in.
func admin() *Result {
	return &Result{
		Target: 3, Index: 1, Matched: true,
		Timestamp: noon, URL: "http://127.0.0.1:8080/admin", Input: "127.0.0.1:8080",
		Host: "127.0.0.1", HostIP: "127.0.0.1", Port: "8080", Scheme: "http", Path: "/admin", Method: "GET",
		StatusCode: 200, ContentLength: 1234, ContentType: "text/html", Title: "Title", WebServer: "nginx",
		Words: 120, Lines: 31, Time: Duration(12345 * time.Microsecond), Attempts: 1, Check: "probe",
	}
}

// everything is one event of each type, with hostile text where a host has a say.
func everything() []Event {
	hostile := admin()
	hostile.Index, hostile.Title, hostile.WebServer = 2, "a\x1b]0;owned\x07\n\u202egnp.exe", "n\u009b31mginx\xff"
	moved := admin()
	moved.Index, moved.StatusCode, moved.Title, moved.Location = 3, 302, "", "/login?<&>"
	followed := admin()
	followed.Index, followed.FinalURL, followed.Hops, followed.RedirectSkipped = 4, "http://127.0.0.1:8080/home", 2, "127.0.0.2:80"
	unmatched := admin()
	unmatched.Index, unmatched.StatusCode, unmatched.Matched = 5, 404, false
	failed := admin()
	*failed = Result{
		Target: 4, Timestamp: noon, URL: "https://[::1]:8443/", Input: "https://me:secret@[::1]:8443", Host: "::1", Port: "8443",
		Scheme: "https", Method: "GET", Failed: true, Error: "read tcp [::1]:8443: connection reset", Attempts: 2, Check: "probe",
		TLSSubject: "CN=lab",
	}
	named := admin()
	named.Index, named.Check, named.Info = 6, "git-config", &Info{Name: "Git\x1b[2J configuration", Severity: "medium", Tags: []string{"git", "exposure"}}
	named.Matches = []Match{
		{MatchedAt: "http://127.0.0.1:8080/.git/config", MatcherName: "core\x1b[2J", Extracted: []string{"bare = \"false\"", "\u202ex\n"}},
		{ExtractorName: "url"},
	}
	return []Event{
		&Started{Time: noon, Format: FormatVersion, Version: "1.2.3", Options: map[string]string{"timeout": "3s"},
			Inputs: []Input{{Kind: "list", Name: "targets.txt", Digest: "sha256:00", Size: 12}}},
		&Check{Index: 1, ID: "probe", Severity: "info", Method: "GET", Path: "/admin"},
		&Check{Index: 6, ID: "git-config", Name: "Git configuration", Severity: "medium", Tags: []string{"git", "exposure"},
			References: []string{"https://git-scm.com/docs/git-config"}, Authors: []string{"redial"}, Remediation: "do not serve .git",
			Protocol: "http", CWE: []string{"CWE-538"}, CVE: []string{"CVE-2026-1"}, CVSSScore: 5.3, CVSSMetrics: "CVSS:3.1/AV:N"},
		admin(), hostile, moved, followed, unmatched, failed, named,
		&Transition{At: noon, Host: "127.0.0.9:80", Seq: 1, From: "closed", To: "open", Errors: 3, Trips: 1,
			Cooldown: Duration(30 * time.Second), Error: "connect: connection refused"},
		&Throttled{Time: noon, Host: "127.0.0.1:8080", StatusCode: 429, Rate: 2.5, Reason: ReasonHalved},
		&Throttled{Time: noon, Host: "127.0.0.1:8080", StatusCode: 503, Wait: Duration(7 * time.Second), Until: noon.Add(7 * time.Second),
			Reason: ReasonRetryAfter},
		&Throttled{Time: noon, Host: "127.0.0.1:8080", Reason: ReasonRecovered},
		&Held{Time: noon, Host: "127.0.0.3:80", Until: noon.Add(time.Minute), Limit: 20, In: Duration(time.Hour), Error: "EOF\x1b[2J"},
		&Paused{Time: noon, Reason: "12 hosts that answered before fail together", Hosts: 12},
		&Paused{Time: noon, Resumed: true, Undone: 3, PutBack: 40},
		&Waiting{Time: noon, Hosts: 2, Until: noon.Add(time.Minute)},
		&Skipped{Time: noon, Host: "127.0.0.9:80", Input: "bob:pw@127.0.0.9", Target: 5, Reason: "dead", State: "dead", Trips: 5,
			LastError: "connect: connection refused\x1b[2J", From: 1, To: 50, Again: []int{0}},
		&Unknown{Name: "later", Raw: []byte(`{"type":"later", "n": 1}`)},
		&Summary{Time: noon, Duration: Duration(time.Second), Hosts: 3, Items: 56, Sent: 60, Findings: 4, Done: 5, Failed: 1, Skipped: 50,
			SkippedBy: map[string]int64{"dead": 50}, QuarantinedHosts: 1,
			Quarantined: []HostRow{{Host: "127.0.0.9:80", State: "dead", Trips: 5, Skipped: 50}},
			Held:        []HostRow{{Host: "127.0.0.3:80", State: "held", Trips: 1, Skipped: 3}}, HeldHosts: 1, ThrottledHosts: 2},
	}
}

// file opens an output file in a folder of the test.
func file(t *testing.T, name string) (*Output, string) {
	t.Helper()
	var files Files
	path := filepath.Join(t.TempDir(), name)
	out, err := files.Open(path, "results file")
	if err != nil {
		t.Fatal(err)
	}
	return out, path
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
