package target

import (
	"errors"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func mustExclude(t *testing.T, values ...string) *Exclusion {
	t.Helper()
	x, err := NewExclusion(values)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestExclusionMatches(t *testing.T) {
	list := writeFile(t, "hosts", "\xef\xbb\xbf# ours\r\nlisted.example # why\r\n\r\n192.0.2.0/31\r\n")
	x := mustExclude(t, "Example.com.,*.Wild.example", "10.0.0.0/8, 172.16.0.9", "2001:db8::/32:8080", "fe80::1", "fe80::2%eth0", "10.9.9.9-10.9.9.12",
		"2001:db9::/32", "bücher.example", "http://url.example/", "https://u:p@port.example:8443", "api.example:81", "[::5]:82", "*.ports.example:83", "11.0.0.1-2:84", "", "@"+list)
	for host, want := range map[string]bool{
		"example.com":           true,
		"EXAMPLE.com":           true,
		"www.example.com":       false,
		"wild.example":          false,
		"a.wild.example":        true,
		"a.b.wild.example":      true,
		"unwild.example":        false,
		"10.0.0.0":              true,
		"10.255.255.255":        true,
		"::ffff:10.1.2.3":       true,
		"11.0.0.0":              false,
		"9.255.255.255":         false,
		"172.16.0.9":            true,
		"172.16.0.8":            false,
		"2001:db8::1":           false,
		"2001:db9::1":           true,
		"2001:db9:ffff::":       true,
		"2001:dba::":            false,
		"fe80::1":               true,
		"fe80::1%eth0":          true,
		"fe80::2":               false,
		"fe80::2%eth0":          true,
		"fe80::2%eth1":          false,
		"xn--bcher-kva.example": true,
		"url.example":           true,
		"port.example":          false,
		"listed.example":        true,
		"192.0.2.1":             true,
		"192.0.2.2":             false,
		"":                      false,
		"not a host":            false,
	} {
		if got := x.Match(host); got != want {
			t.Errorf("Match(%q) = %v, want %v", host, got, want)
		}
		if want && !x.MatchPort(host, 4711) {
			t.Errorf("MatchPort(%q, 4711) = false, want true", host)
		}
	}
	for _, c := range []struct {
		host string
		port uint16
		want bool
	}{
		{"api.example", 81, true},
		{"api.example", 80, false},
		{"port.example", 8443, true},
		{"port.example", 443, false},
		{"::5", 82, true},
		{"::5", 83, false},
		{"a.ports.example", 83, true},
		{"ports.example", 83, false},
		{"11.0.0.2", 84, true},
		{"11.0.0.2", 85, false},
		{"2001:db8::1", 8080, true},
		{"2001:db8::1", 80, false},
	} {
		if got := x.MatchPort(c.host, c.port); got != c.want {
			t.Errorf("MatchPort(%q, %d) = %v, want %v", c.host, c.port, got, c.want)
		}
		if addr, err := netip.ParseAddr(c.host); err == nil && x.MatchAddr(netip.AddrPortFrom(addr, c.port)) != c.want {
			t.Errorf("MatchAddr(%v, %d) is not %v", addr, c.port, c.want)
		}
	}
	if !x.MatchAddr(netip.MustParseAddrPort("[::ffff:10.0.0.1]:80")) {
		t.Error("a mapped address of an excluded network is not excluded")
	}
}

func TestNoExclusionMatchesNothing(t *testing.T) {
	var none *Exclusion
	for name, x := range map[string]*Exclusion{"nil": none, "zero": {}, "empty": mustExclude(t)} {
		if x.Match("a") || x.MatchPort("::1", 80) || x.MatchAddr(netip.MustParseAddrPort("10.0.0.1:80")) {
			t.Errorf("the %s exclusion matches", name)
		}
	}
}

func TestExclusionRefused(t *testing.T) {
	bad := writeFile(t, "bad.lst", "a\n\nb/admin\n")
	for value, part := range map[string]string{
		"a,b c":                `exclusion "b c": a space inside`,
		"*":                    "character '*'",
		"a.*.b":                "character '*'",
		"*.":                   "nothing there",
		"*.10.0.0.1":           "a wildcard below the address",
		"*.[::1]":              "expected",
		"10.0.0.0/33":          "prefix length",
		"10.0.0.256":           "the last part is a number",
		"http://a/admin":       "expected a host, CIDR or range",
		"ftp://a":              "expected http or https",
		"a:0":                  "out of range",
		"missing.txt":          "no such file, expected a host, a CIDR, a range or an existing file",
		"@missing":             "missing: ",
		"a,@missing":           "missing: ",
		"@" + t.TempDir():      "a directory",
		"@" + bad:              bad + `:3: the path "/admin", expected a host`,
		bad:                    bad + `:3: the path "/admin"`,
		"lists/not-there":      `the path "/not-there"`,
		"@" + os.Args[0]:       "binary data",
		strings.Repeat("@", 2): "@: ",
	} {
		x, err := NewExclusion([]string{"ok.example", value})
		if err == nil {
			t.Errorf("NewExclusion(%q) = %v, want an error with %q", value, x, part)
			continue
		}
		if !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), "expected ") {
			t.Errorf("NewExclusion(%q): %v; want %q and what was expected", value, err, part)
		}
	}
	if _, err := NewExclusion([]string{bad}); err != nil {
		if e, ok := errors.AsType[*LineError](err); !ok || e.File != bad || e.Line != 3 || e.Text != "b/admin" {
			t.Errorf("got %#v, want a LineError for line 3", err)
		}
	}
}

// A file that happens to be called like a host must not lift its exclusion.
func TestFileNamedLikeAHost(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("example.com", []byte("other.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x := mustExclude(t, "example.com")
	if !x.Match("example.com") || !x.Match("other.example") {
		t.Error("want both the host and what the file lists excluded")
	}
	if err := os.WriteFile("example.com", []byte("GET / HTTP/1.1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewExclusion([]string{"example.com"}); err == nil || !strings.Contains(err.Error(), "for the host alone write http://example.com") {
		t.Errorf("got %v, want the way out", err)
	}
	if x := mustExclude(t, "http://example.com"); !x.Match("example.com") || x.Match("other.example") {
		t.Error("want the host alone excluded")
	}
}

// TestExcludedSpansAreTheNaiveOnes holds merged spans and the steps over them
// against a look at every address of a small network.
func TestExcludedSpansAreTheNaiveOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SampledFrom([]string{"255.255.255.0", "0.0.0.0", "10.0.0.0", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ff00"}).Draw(t, "base")
		network := prefixSpan(netip.MustParsePrefix(base + map[bool]string{true: "/120", false: "/24"}[strings.Contains(base, ":")]))
		var all []netip.Addr
		for rest := network; !rest.empty(); rest = rest.after(rest.first) {
			all = append(all, rest.first)
		}
		if len(all) != 256 {
			t.Fatalf("%d addresses in a network of 256", len(all))
		}
		gone := map[netip.Addr]bool{}
		var values []string
		for range rapid.IntRange(0, 6).Draw(t, "spans") {
			from := rapid.IntRange(0, 255).Draw(t, "from")
			to := rapid.IntRange(from, min(255, from+40)).Draw(t, "to")
			values = append(values, all[from].String()+"-"+all[to].String())
			for _, addr := range all[from : to+1] {
				gone[addr] = true
			}
		}
		x, err := NewExclusion(values)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(slices.Clone(all), func(a netip.Addr) bool { return gone[a] })
		ports := rapid.SampledFrom([][]uint16{nil, {80}, {80, 81, 82}}).Draw(t, "ports")
		var e expansion
		e.start(&Target{}, network, ports)
		var got []netip.Addr
		var skipped uint64
		for {
			next, n, ok := e.next(x)
			skipped += n
			if !ok {
				break
			}
			if addr := netip.MustParseAddr(next.Host); len(got) == 0 || got[len(got)-1] != addr {
				got = append(got, addr)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("without %q: %v, want %v", values, got, want)
		}
		if n := uint64(len(gone) * max(1, len(ports))); skipped != n {
			t.Fatalf("without %q: %d passed over, want %d", values, skipped, n)
		}
		for _, addr := range all {
			if x.Match(addr.String()) != gone[addr] {
				t.Fatalf("Match(%v) is %v", addr, !gone[addr])
			}
		}
	})
}
