package cmd

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/report"
)

// github.com/projectdiscovery/nuclei/issues/1001: a proxy that fails ends the scan with a status of its own and a message that
// names it, without its password; every item is accounted for and every output is whole.
func TestProxyThatFailsIsAStatusOfItsOwn(t *testing.T) {
	l := startHosts(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 3, lab.Silent: 1}})
	p, err := lab.StartHTTPProxy(lab.ProxyConfig{User: "me", Password: "right"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	for _, proxy := range []string{strings.Replace(p.URL(), "://", "://me:secret@", 1), "me:secret@" + l.Of(lab.Silent)[0].Addr} {
		dir := t.TempDir()
		results, journal := filepath.Join(dir, "results.jsonl"), filepath.Join(dir, "scan.events")
		stdout, stderr, status := scanOf(t, urlsOf(l.Of(lab.Healthy)...), "--proxy", proxy, "--path", "/,/admin", "-v",
			"--timeout", "500ms", "-j", "-o", results, "--events", journal)
		_, name, _ := strings.Cut(proxy, "@")
		if status != StatusUsage || stdout != "" || contents(t, results) != "" {
			t.Errorf("status %d, results %q; want %d and none", status, stdout, StatusUsage)
		}
		for _, want := range []string{
			"redial: the proxy http://" + name + " fails: nothing got through in ", "6 = 0 done + 0 failed + 6 skipped", "6 proxy-failed",
			"which is no fault of any host",
		} {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: standard error does not say %q:\n%s", proxy, want, stderr)
			}
		}
		if strings.Contains(stderr, "secret") || strings.Contains(contents(t, journal), "secret") || strings.Contains(stderr, "Quarantined") {
			t.Errorf("%s: a password is told, or a host is blamed:\n%s", proxy, stderr)
		}
		skipped := int64(0)
		for _, e := range events(t, journal) {
			if s, ok := e.(*report.Skipped); ok && s.Reason == "proxy-failed" {
				skipped += s.Count()
			}
		}
		if skipped != 6 {
			t.Errorf("%s: %d items are skipped in the events, want 6", proxy, skipped)
		}
	}
}
