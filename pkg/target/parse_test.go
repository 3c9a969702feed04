package target

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/redialscan/redial/pkg/hostkey"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Target{
		"example.com":                     {Host: "example.com"},
		"EXAMPLE.com.":                    {Host: "example.com"},
		"example.com:8080":                {Host: "example.com", Port: 8080},
		"example.com/a?b=http://c/":       {Host: "example.com", Path: "/a?b=http://c/"},
		"example.com?u=http://c/":         {Host: "example.com", Path: "?u=http://c/"},
		"http://example.com":              {Scheme: SchemeHTTP, Host: "example.com"},
		"HTTPS://Example.com:8443/A?B#c":  {Scheme: SchemeHTTPS, Host: "example.com", Port: 8443, Path: "/A?B"},
		"http://example.com:/x":           {Scheme: SchemeHTTP, Host: "example.com", Path: "/x"},
		"http://example.com?q":            {Scheme: SchemeHTTP, Host: "example.com", Path: "?q"},
		"http://example.com#top":          {Scheme: SchemeHTTP, Host: "example.com"},
		"http://example.com/%zz/%2e%2e":   {Scheme: SchemeHTTP, Host: "example.com", Path: "/%zz/%2e%2e"},
		"http://example.com/a@b:c":        {Scheme: SchemeHTTP, Host: "example.com", Path: "/a@b:c"},
		"http://example.com/ü\xff":        {Scheme: SchemeHTTP, Host: "example.com", Path: "/%C3%BC%FF"},
		"http://bücher.example/":          {Scheme: SchemeHTTP, Host: "xn--bcher-kva.example", Path: "/"},
		"http://b%C3%BCcher.example/":     {Scheme: SchemeHTTP, Host: "xn--bcher-kva.example", Path: "/"},
		"10.0.0.1":                        {Host: "10.0.0.1"},
		"10.0.0.1:65535":                  {Host: "10.0.0.1", Port: 65535},
		"http://10.0.0.1/24":              {Scheme: SchemeHTTP, Host: "10.0.0.1", Path: "/24"},
		"10.0.0.1/24/":                    {Host: "10.0.0.1", Path: "/24/"},
		"example.com/24":                  {Host: "example.com", Path: "/24"},
		"10.0.0.1-static.example.com":     {Host: "10.0.0.1-static.example.com"},
		"my-host-2.example.com":           {Host: "my-host-2.example.com"},
		"::1":                             {Host: "::1"},
		"::":                              {Host: "::"},
		"[::1]":                           {Host: "::1"},
		"[::1]:8065":                      {Host: "::1", Port: 8065},
		"[fe80::1%eth0]:80":               {Host: "fe80::1%eth0", Port: 80},
		"fe80::1%eth0":                    {Host: "fe80::1%eth0"},
		"fe80::1%eth-0":                   {Host: "fe80::1%eth-0"},
		"http://[fe80::1%25eth-0]/":       {Scheme: SchemeHTTP, Host: "fe80::1%eth-0", Path: "/"},
		"http://[fe80::1%25eth0]:80/":     {Scheme: SchemeHTTP, Host: "fe80::1%eth0", Port: 80, Path: "/"},
		"https://[2001:DB8::0:1]:443/a":   {Scheme: SchemeHTTPS, Host: "2001:db8::1", Port: 443, Path: "/a"},
		"http://[::ffff:10.0.0.1]/":       {Scheme: SchemeHTTP, Host: "10.0.0.1", Path: "/"},
		"http://under_score.example.com/": {Scheme: SchemeHTTP, Host: "under_score.example.com", Path: "/"},
	} {
		want.Input = text
		got, err := Parse(text)
		if got != want || err != nil {
			t.Errorf("Parse(%q) = %#v, %v; want %#v", text, got, err, want)
		}
	}
}

func TestParseRefused(t *testing.T) {
	for text, part := range map[string]string{
		"":                                "nothing there",
		"http://":                         "nothing there",
		"http:///path":                    "nothing there",
		"://example.com":                  "scheme",
		"ftp://example.com":               `scheme "ftp", expected http or https`,
		"http:/example.com":               "nothing after the colon",
		"https:example.com":               `port "example.com" is not a number`,
		"example.com:":                    "nothing after the colon",
		"example.com:0":                   "out of range",
		"example.com:65536":               "out of range",
		"http://example.com:80:9780":      "no IPv6 address",
		"a b":                             "a space inside",
		"http://a/b c":                    "a space inside",
		"http://a/\tb":                    "a space inside",
		"http://a/\x00":                   `control character '\x00'`,
		"http://a/\r\nHost: evil":         "expected one target a line, with %0D",
		"http://a\\b/":                    `character '\\'`,
		"a,b":                             "character ','",
		"*.example.com":                   "character '*'",
		"example..com":                    "a dot too many",
		"10.0.0.256":                      "the last part is a number",
		"http://10.0.0.1.5/":              "the last part is a number",
		"[::1":                            "a bracket without its pair",
		"[::1]x":                          "text after the closing bracket",
		"::g":                             "no IPv6 address",
		"http://%zz/":                     "two hexadecimal digits",
		"http://a%20b/":                   "character ' '",
		"10.0.0.0/24":                     "more than one target",
		"10.0.0.1-9":                      "more than one target",
		"10.0.0.0/33":                     `prefix length "33", expected 0 to 32`,
		"10.0.0.0/08":                     `prefix length "08"`,
		"10.0.0.0/2024":                   "or a scheme in front where this is a path",
		"10.0.0.0/24:0":                   "out of range",
		"fe80::%eth0/120":                 "zone",
		"10.0.0.9-1":                      "ends before it begins",
		"10.0.0.1-300":                    "is not a number from 0 to 255",
		"10.0.0.1-10.0.0":                 "is not an address",
		"10.0.0.1-":                       "is not a number",
		"::1-9":                           "expected a range",
		"::1-10.0.0.1":                    "one IPv4 and one IPv6",
		"fe80::1%a-fe80::2%a":             "an address with a zone",
		"http://10.0.0.1-9/":              "with a scheme or a path",
		"10.0.0.1-9/admin":                "with a scheme or a path",
		"10.0.0.1-9:0":                    "out of range",
		strings.Repeat("a", 254) + ".com": "a name has at most 253",
	} {
		got, err := Parse(text)
		if err == nil {
			t.Errorf("Parse(%q) = %#v, want an error with %q", text, got, part)
			continue
		}
		if !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), "expected ") {
			t.Errorf("Parse(%q): %v; want %q and what was expected", text, err, part)
		}
	}
}

func TestUserinfo(t *testing.T) {
	for text, want := range map[string]Target{
		"http://joe:hunter2@example.com/a@b": {Input: "http://example.com/a@b", User: "joe:hunter2", Path: "/a@b", Scheme: SchemeHTTP},
		"http://joe@example.com":             {Input: "http://example.com", User: "joe:", Scheme: SchemeHTTP},
		"http://joe:p%40s%2F@example.com/":   {Input: "http://example.com/", User: "joe:p@s/", Path: "/", Scheme: SchemeHTTP},
		"http://joe:p@ss@example.com/":       {Input: "http://example.com/", User: "joe:p@ss", Path: "/", Scheme: SchemeHTTP},
		"http://joe:50%@example.com/":        {Input: "http://example.com/", User: "joe:50%", Path: "/", Scheme: SchemeHTTP},
		"http://@example.com/":               {Input: "http://example.com/", Path: "/", Scheme: SchemeHTTP},
		"joe:x@example.com:81":               {Input: "example.com:81", User: "joe:x", Port: 81},
	} {
		got, err := Parse(text)
		want.Host = "example.com"
		if got != want || err != nil {
			t.Errorf("Parse(%q) = %#v, %v; want %#v", text, got, err, want)
		}
	}
}

func TestParsePlainLineAllocatesNothing(t *testing.T) {
	for _, text := range []string{"10.0.0.1:8080", "http://10.0.0.1/", "https://www.example.com/a?b", "[2001:db8::1]:80"} {
		allocs := testing.AllocsPerRun(100, func() {
			if _, _, err := parse(text); err != nil {
				t.Fatal(err)
			}
		})
		if allocs != 0 {
			t.Errorf("parse(%q): %v allocations, want 0", text, allocs)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"http://joe:pw@Example.COM.:80/a?b#c", "[fe80::1%eth0]:80", "http://[fe80::1%25eth0]/", "10.0.0.0/8", "10.0.0.1-9:80",
		"::1-::f", "bücher.example/ü", "https://10.0.0.1", "a:b@c:1?d", "http://%41/", "::ffff:1.2.3.4/100", "[::%-]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, many, err := parse(text)
		if err != nil {
			return
		}
		if !many.empty() {
			if many.first.Compare(many.last) > 0 || many.checkSize() == nil && many.count() > 1<<maxSpanBits {
				t.Fatalf("parse(%q): addresses %v to %v", text, many.first, many.last)
			}
			return
		}
		for _, c := range got.Candidates() {
			checkURL(t, text, c)
		}
	})
}

// checkURL holds a settled target against net/url: both give one key, and the
// URL is parsed to the same target again.
func checkURL(t *testing.T, text string, c Target) {
	again, err := Parse(c.URL())
	if err != nil || again.Host != c.Host || again.effectivePort() != c.effectivePort() || strings.TrimPrefix(again.Path, "/") != strings.TrimPrefix(c.Path, "/") {
		t.Fatalf("Parse(%q) gives URL %q, which is parsed to %#v, %v", text, c.URL(), again, err)
	}
	u, err := url.Parse(c.URL())
	if _, badEscape := errors.AsType[url.EscapeError](err); badEscape {
		// Paths may have what net/url refuses; the rest must stand without them.
		c.Path = ""
		u, err = url.Parse(c.URL())
	}
	if err != nil {
		t.Fatalf("Parse(%q) gives URL %q: %v", text, c.URL(), err)
	}
	key, err := hostkey.FromURL(u)
	if err != nil || key != c.Key() {
		t.Fatalf("Parse(%q): Key %q, but FromURL(%q) = %q, %v", text, c.Key(), u, key, err)
	}
}
