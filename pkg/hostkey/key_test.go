package hostkey

import (
	"net/url"
	"strings"
	"testing"
)

// The rows of github.com/projectdiscovery/nuclei/pull/7286 (one key however
// the host is written), nuclei/issues/122 (a port is a key of its own) and of
// the bracket doubling seen in httpx.
func TestFromURL(t *testing.T) {
	for raw, want := range map[string]string{
		"https://host":                        "host:443",
		"http://host:443":                     "host:443",
		"https://HOST./":                      "host:443",
		"http://host:80/a":                    "host:80",
		"http://host:8080/a":                  "host:8080",
		"http://host:/":                       "host:80",
		"http://user:pw@host/?q#f":            "host:80",
		"http://[::1]:8065":                   "[::1]:8065",
		"http://[::1]":                        "[::1]:80",
		"http://[fe80::1%25eth0]:80":          "[fe80::1%eth0]:80",
		"http://b%C3%BCcher.example":          "xn--bcher-kva.example:80",
		"ftp://host:21/":                      "host:21",
		"http://[::ffff:127.0.0.1]:65535/a/b": "127.0.0.1:65535",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		got, err := FromURL(u)
		if got != want || err != nil {
			t.Errorf("FromURL(%q) = %q, %v; want %q", raw, got, err, want)
		}
	}
}

func TestFromURLBuiltByHand(t *testing.T) {
	got, err := FromURL(&url.URL{Scheme: "HTTPS", Host: "::1"})
	if got != "[::1]:443" || err != nil {
		t.Errorf("got %q, %v; want [::1]:443", got, err)
	}
}

func TestFromURLRefused(t *testing.T) {
	for _, c := range []struct {
		url  url.URL
		part string
	}{
		{url.URL{}, "has no host"},
		{url.URL{Scheme: "mailto", Opaque: "a@b"}, "has no host"},
		{url.URL{Scheme: "ftp", Host: "host"}, "has no port"},
		{url.URL{Scheme: "http", Host: "host:0"}, `port "0" is out of range`},
		{url.URL{Scheme: "http", Host: "host:65536"}, "out of range"},
		{url.URL{Scheme: "http", Host: "host:99999999999999999999999"}, "out of range"},
		{url.URL{Scheme: "http", Host: "host:9780x"}, "not a number"},
		{url.URL{Scheme: "http", Host: "host:80:9780"}, "no IPv6 address"},
		{url.URL{Scheme: "http", Host: "[::1"}, "a bracket without its pair"},
		{url.URL{Scheme: "http", Host: "[::1]80"}, "text after the closing bracket"},
		{url.URL{Scheme: "http", Host: ":80"}, "nothing there"},
	} {
		got, err := FromURL(&c.url)
		if err == nil {
			t.Errorf("FromURL(%v) = %q, want an error with %q", c.url, got, c.part)
			continue
		}
		if !strings.Contains(err.Error(), c.part) || !strings.Contains(err.Error(), "expected ") {
			t.Errorf("FromURL(%v): %v; want %q and what was expected", c.url, err, c.part)
		}
	}
}

func TestPort(t *testing.T) {
	if port, err := Port("0443"); port != 443 || err != nil {
		t.Errorf("got %d, %v; want 443", port, err)
	}
	for _, text := range []string{"", "0", "65536", "-1", "+1", "1 ", "0x1", "١"} {
		if port, err := Port(text); err == nil {
			t.Errorf("Port(%q) = %d, want an error", text, port)
		}
	}
}

func TestErrorsKeepPasswordsBack(t *testing.T) {
	_, err := FromURL(&url.URL{Scheme: "gopher", Host: "host", User: url.UserPassword("joe", "hunter2")})
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v, want an error without the password", err)
	}
}

func TestJoinSplit(t *testing.T) {
	for _, c := range []struct {
		host string
		port uint16
		key  string
	}{
		{"host", 80, "host:80"},
		{"::1", 8065, "[::1]:8065"},
		{"[::1]", 8065, "[::1]:8065"},
		{"fe80::1%eth0", 80, "[fe80::1%eth0]:80"},
	} {
		if got := Join(c.host, c.port); got != c.key {
			t.Errorf("Join(%q, %d) = %q, want %q", c.host, c.port, got, c.key)
		}
		host, port, err := Split(c.key)
		if host != strings.Trim(c.host, "[]") || port != c.port || err != nil {
			t.Errorf("Split(%q) = %q, %d, %v", c.key, host, port, err)
		}
	}
	for _, bare := range []string{"fe80::1:80", "[fe80::1:80]", "[fe80::1:80]:"} {
		if host, port, err := Split(bare); host != "fe80::1:80" || port != 0 || err != nil {
			t.Errorf("Split(%q) = %q, %d, %v; want the address and no port", bare, host, port, err)
		}
	}
}

func FuzzFromURL(f *testing.F) {
	for _, seed := range []string{"https://Example.COM./x", "http://[fe80::1%25eth0]:80", "http://a:0", "HTTP://ü:1", "//a:2", "a:80"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := url.Parse(raw)
		if err != nil {
			return
		}
		key, err := FromURL(u)
		if err != nil {
			return
		}
		again, err := FromURL(&url.URL{Scheme: "x", Host: key})
		if err != nil || again != key {
			t.Fatalf("FromURL(%q) = %q, but the key of that = %q, %v", raw, key, again, err)
		}
	})
}
