package hostkey

import (
	"strings"
	"testing"
)

func TestHostCanonical(t *testing.T) {
	long := strings.Repeat("a", 63)
	for raw, want := range map[string]string{
		"example.com":            "example.com",
		"EXAMPLE.Com.":           "example.com",
		"_dmarc.a-b_c.example":   "_dmarc.a-b_c.example",
		"r3---sn-aigl.example":   "r3---sn-aigl.example",
		"-dash-.example":         "-dash-.example",
		"bücher.example":         "xn--bcher-kva.example",
		"BÜCHER.example.":        "xn--bcher-kva.example",
		"XN--bcher-KVA.example":  "xn--bcher-kva.example",
		"faß.example":            "xn--fa-hia.example",
		"例え。テスト":                 "xn--r8jz45g.xn--zckzah",
		"ｅｘａｍｐｌｅ.com":            "example.com",
		"１０.０.０.１":               "10.0.0.1",
		"10.0.0.1":               "10.0.0.1",
		"10.0.0.1.":              "10.0.0.1",
		"1.2.3.4-rev.example":    "1.2.3.4-rev.example",
		"4chan.example":          "4chan.example",
		"::1":                    "::1",
		"[::1]":                  "::1",
		"2001:DB8:0:0:0:0:0:1":   "2001:db8::1",
		"[fe80::1%eth0]":         "fe80::1%eth0",
		"FE80::1%Ethernet_2.1~x": "fe80::1%Ethernet_2.1~x",
		"::ffff:10.0.0.1":        "10.0.0.1",
		"localhost":              "localhost",
		long + "." + long:        long + "." + long,
	} {
		got, err := Host(raw)
		if got != want || err != nil {
			t.Errorf("Host(%q) = %q, %v; want %q", raw, got, err, want)
		}
	}
}

func TestHostRefused(t *testing.T) {
	for raw, part := range map[string]string{
		"":                        "nothing there",
		".":                       "nothing there",
		"a..b":                    "a dot too many",
		".a":                      "a dot too many",
		"a..":                     "a dot too many",
		"a b":                     "character ' '",
		"a/b":                     "character '/'",
		"a\x00b":                  `character '\x00'`,
		"*.example.com":           "character '*'",
		"%41.example":             "character '%'",
		"[example.com]":           "brackets without an IPv6 address",
		"a:b:c":                   "no IPv6 address",
		"[[::1]]":                 "no IPv6 address",
		"fe80::1%":                "no IPv6 address",
		"fe80::1%a/b":             "in the zone",
		"fe80::1%a]b":             "in the zone",
		"10.0.0.256":              "the last part is a number",
		"127.1":                   "the last part is a number",
		"010.0.0.1":               "the last part is a number",
		"0x7f000001":              "the last part is a number",
		"2130706433":              "the last part is a number",
		"\xff.example":            "not UTF-8",
		"a\ufffd.example":         "no valid international name",
		"a\u2028b.example":        "no valid international name",
		"a：80":                    "character ':'",
		strings.Repeat("a", 64):   "longer than 63",
		strings.Repeat("ab.", 85): "254 bytes",
		strings.Repeat("ü", 60):   "longer than 63",
	} {
		got, err := Host(raw)
		if err == nil {
			t.Errorf("Host(%q) = %q, want an error with %q", raw, got, part)
			continue
		}
		if !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), "expected ") {
			t.Errorf("Host(%q): %v; want %q and what was expected", raw, err, part)
		}
	}
}

func TestHostAllocatesNothingWhenCanonical(t *testing.T) {
	for _, host := range []string{"www.example.com", "10.20.30.40", "2001:db8::1"} {
		allocs := testing.AllocsPerRun(100, func() {
			if _, err := Host(host); err != nil {
				t.Fatal(err)
			}
		})
		if allocs != 0 {
			t.Errorf("Host(%q): %v allocations, want 0", host, allocs)
		}
	}
}

func FuzzHost(f *testing.F) {
	for _, seed := range []string{"Example.COM.", "bücher.example", "[::1]", "fe80::1%eth0", "10.0.0.1", "::ffff:1.2.3.4", "a\u00adb", "１。２。３。４", "xn--a", "..", "0x.0x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		host, err := Host(raw)
		if err != nil {
			return
		}
		again, err := Host(host)
		if err != nil || again != host {
			t.Fatalf("Host(%q) = %q, but Host of that = %q, %v", raw, host, again, err)
		}
		back, port, err := Split(Join(host, 8065))
		if err != nil || back != host || port != 8065 {
			t.Fatalf("Split(Join(%q, 8065)) = %q, %d, %v", host, back, port, err)
		}
	})
}

func BenchmarkHost(b *testing.B) {
	for _, host := range []string{"www.example.com", "10.20.30.40", "WWW.Example.com"} {
		b.Run(host, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Host(host); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
