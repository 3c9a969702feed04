package target

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/redialscan/redial/pkg/hostkey"
)

// One key however the host is written (github.com/projectdiscovery/nuclei/pull/7286),
// a key for each port (nuclei/issues/122), and one pair of brackets with the
// zone inside (seen in httpx).
func TestKey(t *testing.T) {
	for text, want := range map[string]string{
		"https://host":                "host:443",
		"host:443":                    "host:443",
		"https://HOST./":              "host:443",
		"http://host:80":              "host:80",
		"http://host":                 "host:80",
		"http://host:8080":            "host:8080",
		"host":                        "host",
		"::1":                         "[::1]",
		"[::1]:8065":                  "[::1]:8065",
		"[fe80::1%eth0]:80":           "[fe80::1%eth0]:80",
		"http://[fe80::1%25eth0]":     "[fe80::1%eth0]:80",
		"http://u:p@host/?x=http://y": "host:80",
	} {
		if got := mustParse(t, text).Key(); got != want {
			t.Errorf("key of %q: %q, want %q", text, got, want)
		}
	}
}

// A bare host that refuses on 443 is still asked on 80
// (github.com/projectdiscovery/nuclei/pull/7286), and http behind port 443 is
// found as what it is (github.com/projectdiscovery/httpx/issues/2335).
func TestCandidates(t *testing.T) {
	for text, want := range map[string][]string{
		"host/p":            {"https://host/p host:443", "http://host/p host:80"},
		"host:443":          {"https://host host:443", "http://host:443 host:443"},
		"host:8080":         {"https://host:8080 host:8080", "http://host:8080 host:8080"},
		"::1":               {"https://[::1] [::1]:443", "http://[::1] [::1]:80"},
		"http://host":       {"http://host host:80"},
		"https://host:80/a": {"https://host:80/a host:80"},
	} {
		var got []string
		for _, c := range mustParse(t, text).Candidates() {
			if !c.Settled() {
				t.Errorf("candidate %v of %q is not settled", c, text)
			}
			got = append(got, c.URL()+" "+c.Key())
		}
		if !slices.Equal(got, want) {
			t.Errorf("candidates of %q: %q, want %q", text, got, want)
		}
	}
}

func TestScheme(t *testing.T) {
	for scheme, want := range map[Scheme]string{SchemeUnknown: "unknown 0", SchemeHTTP: "http 80", SchemeHTTPS: "https 443"} {
		if got := fmt.Sprint(scheme, scheme.Port()); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestURL(t *testing.T) {
	for text, want := range map[string]string{
		"HTTP://A.:80":                "http://a",
		"https://a:443/x?y#z":         "https://a/x?y",
		"https://a?y":                 "https://a/?y",
		"http://[FE80::1%25eth0]:81/": "http://[fe80::1%25eth0]:81/",
		"a:80/x":                      "a:80/x",
		"[::1]:80":                    "[::1]:80",
		"[fe80::1%eth0]:80":           "[fe80::1%eth0]:80",
	} {
		if got := mustParse(t, text).URL(); got != want {
			t.Errorf("URL of %q: %q, want %q", text, got, want)
		}
	}
}

func TestUserinfoIsNeverPrinted(t *testing.T) {
	target := mustParse(t, "https://joe:hunter2@host/path")
	encoded, err := json.Marshal(target)
	if err != nil {
		t.Fatal(err)
	}
	shown := []string{target.Input, target.URL(), fmt.Sprintf("%v %+v %s", target, target, target), string(encoded)}
	for _, text := range shown {
		if strings.Contains(text, "hunter2") || strings.Contains(text, "joe") {
			t.Errorf("userinfo in %q", text)
		}
	}
}

func TestParsePorts(t *testing.T) {
	got, err := ParsePorts(" 443, 80,8000-8003,80,8002-8004 ")
	if want := []uint16{443, 80, 8000, 8001, 8002, 8003, 8004}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if all, err := ParsePorts("1-65535"); err != nil || len(all) != 65535 || all[65534] != 65535 {
		t.Errorf("1-65535 gave %d ports, %v", len(all), err)
	}
	if none, err := ParsePorts(" "); none != nil || err != nil {
		t.Errorf("no text gave %v, %v", none, err)
	}
	for text, part := range map[string]string{
		"0":       "out of range",
		"65536":   "out of range",
		"80,":     "no port",
		"http":    "not a number",
		"90-80":   "ends before it begins",
		"80-":     "no port",
		"1-2-3":   "not a number",
		"-80":     "no port",
		"80 443":  "not a number",
		"80;443":  "not a number",
		"70-0x50": "not a number",
	} {
		if ports, err := ParsePorts(text); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("ParsePorts(%q) = %v, %v; want an error with %q", text, ports, err, part)
		}
	}
}

func mustParse(t *testing.T, text string) Target {
	t.Helper()
	target, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// A key that the line spells out costs no memory of its own, and is the same as one that is built.
func TestKeyIsPartOfInput(t *testing.T) {
	for _, line := range []string{"http://192.0.2.7:8080/a", "192.0.2.7:80", "a.example:443/x", "http://a.example:8/"} {
		target, err := Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		if want := hostkey.Join(target.Host, target.Port); target.Key() != want {
			t.Errorf("key of %s is %q, want %q", line, target.Key(), want)
		}
		if n := testing.AllocsPerRun(10, func() { _ = target.Key() }); n != 0 {
			t.Errorf("key of %s takes %v allocations, want none", line, n)
		}
	}
}
