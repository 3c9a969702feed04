package target

import (
	"bytes"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func list(lines ...string) []Source {
	return []Source{Values("list", lines...)}
}

func TestExpansion(t *testing.T) {
	for _, c := range []struct {
		line  string
		ports []uint16
		want  []string
	}{
		{"10.0.0.6/30", nil, []string{"10.0.0.4", "10.0.0.5", "10.0.0.6", "10.0.0.7"}},
		{"10.0.0.6/32", nil, []string{"10.0.0.6"}},
		{"255.255.255.254/31", nil, []string{"255.255.255.254", "255.255.255.255"}},
		{"10.0.0.0/31:81", []uint16{80}, []string{"10.0.0.0:81", "10.0.0.1:81"}},
		{"2001:DB8::5/127", nil, []string{"[2001:db8::4]", "[2001:db8::5]"}},
		{"::ffff:10.0.0.0/127", nil, []string{"10.0.0.0", "10.0.0.1"}},
		{"10.0.0.254-10.0.1.1", nil, []string{"10.0.0.254", "10.0.0.255", "10.0.1.0", "10.0.1.1"}},
		{"10.0.0.1-2:81", []uint16{80}, []string{"10.0.0.1:81", "10.0.0.2:81"}},
		{"10.0.0.1-1", nil, []string{"10.0.0.1"}},
		{"::ffff-::1:0", nil, []string{"[::ffff]", "[::1:0]"}},
		{"10.0.0.1-2", []uint16{80, 443}, []string{"10.0.0.1:80", "10.0.0.1:443", "10.0.0.2:80", "10.0.0.2:443"}},
		{"host/p", []uint16{80, 81}, []string{"host:80/p", "host:81/p"}},
		{"host:82", []uint16{80, 81}, []string{"host:82"}},
		{"http://host", []uint16{80, 443}, []string{"http://host", "http://host:443"}},
		{"https://host:82/p", []uint16{80, 443}, []string{"https://host:82/p"}},
		{"[::1]", []uint16{80}, []string{"[::1]:80"}},
	} {
		urls, bad, err := readAll(t, Config{Sources: list(c.line), Ports: c.ports})
		if !slices.Equal(urls, c.want) || bad != nil || err != nil {
			t.Errorf("%s with ports %v: %q, %q, %v; want %q", c.line, c.ports, urls, bad, err, c.want)
		}
	}
}

func TestHugeSpansAreRefused(t *testing.T) {
	for text, want := range map[string]bool{
		"0.0.0.0/0":             true,
		"2001:db8::/96":         true,
		"::-::ffff:ffff":        true,
		"::ffff:0:0/96":         true,
		"2001:db8::/95":         false,
		"2001:db8::/64":         false,
		"::/0":                  false,
		"::-::1:0:0":            false,
		"::1-1::1":              false,
		"::ffff:0:0/64":         false,
		"2001:db8::/64:8080":    false,
		"2001:db8::-2001:db9::": false,
	} {
		urls, bad, err := readSome(t, text)
		if want && (len(urls) != 2 || bad != nil || err != nil) {
			t.Errorf("%s: %q, %q, %v; want targets", text, urls, bad, err)
		}
		if !want && (urls != nil || len(bad) != 1 || err != io.EOF || !strings.Contains(bad[0], "list:1: more than 2^32 addresses")) {
			t.Errorf("%s: %q, %q, %v; want a bad line", text, urls, bad, err)
		}
	}
}

// readSome gives the first two targets of a line.
func readSome(t *testing.T, line string) (urls, bad []string, err error) {
	r, err := NewReader(Config{Sources: list(line), OnBad: func(e *LineError) { bad = append(bad, e.Error()) }})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		target, err := r.Next()
		if err != nil {
			return urls, bad, err
		}
		urls = append(urls, target.URL())
	}
	return urls, bad, nil
}

func TestInputOfExpandedTargets(t *testing.T) {
	r, err := NewReader(Config{Sources: list("10.0.0.0/31", "u:p@Host/x"), Ports: []uint16{80}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []Target{
		{Input: "10.0.0.0", Host: "10.0.0.0", Port: 80},
		{Input: "10.0.0.1", Host: "10.0.0.1", Port: 80},
		{Input: "Host/x", Host: "host", Path: "/x", User: "u:p", Port: 80},
	} {
		if got, err := r.Next(); got != want || err != nil {
			t.Errorf("got %#v, %v; want %#v", got, err, want)
		}
	}
}

func TestDuplicates(t *testing.T) {
	urls, _, err := readAll(t, Config{Sources: append(list(
		"HTTP://A/", "http://a.", "http://a:80/#x", "http://a", // one
		"a", "A.", // scheme open
		"a:80",      // scheme open, port given
		"https://a", // another scheme
		"http://a/b", "http://a/B", "http://a/b?", "http://a?q", "http://a/?q",
		"http://joe:x@a", "http://joe:y@a", "http://joe:x@a/",
		"10.0.0.1", "10.0.0.0/31", "::ffff:10.0.0.1",
		"::1", "[0:0::1]",
	), Values("more", "a", "b"))})
	want := []string{"http://a/", "a", "a:80", "https://a", "http://a/b", "http://a/B", "http://a/b?", "http://a/?q", "http://a", "http://a", "10.0.0.1", "10.0.0.0", "[::1]", "b"}
	if !slices.Equal(urls, want) || err != nil {
		t.Errorf("got %q, %v; want %q", urls, err, want)
	}
}

func TestDuplicatesAmongTheLastOnly(t *testing.T) {
	r, err := newReader(Config{Sources: list("a", "b", "a", "c", "b", "a", "a", "c")}, 2)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		target, err := r.Next()
		if err == io.EOF {
			break
		}
		got = append(got, target.Host)
	}
	if want := []string{"a", "b", "c", "a"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCounters(t *testing.T) {
	r, err := NewReader(Config{
		Sources: append(list("# list", "", "a", "a:81", "A", "ftp://b", "10.0.0.0/29"), Values("-u", "x.gone", "b c")),
		Ports:   []uint16{80, 81},
		Exclude: mustExclude(t, "10.0.0.4/30", "10.0.0.1:81", "*.gone"),
	})
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = r.Next()
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	got := []uint64{r.Lines(), r.Targets(), r.Duplicates(), r.Excluded(), r.Bad()}
	// Targets: a twice, and 4 x 2 - 1 addresses. Excluded: 4 x 2 and 1 addresses, and x.gone twice.
	if want := []uint64{9, 9, 3, 11, 2}; !slices.Equal(got, want) {
		t.Errorf("lines, targets, duplicates, excluded, bad: %v, want %v", got, want)
	}
}

// Nothing of what is excluded is given out, however it is written
// (github.com/projectdiscovery/naabu/issues/1398).
func TestExcludedIsNeverGivenOut(t *testing.T) {
	exclude := mustExclude(t, "10.0.0.0/8,example.com", "both.example:80,both.example:443", "plain.example:80", "tls.example:443")
	urls, bad, err := readAll(t, Config{Exclude: exclude, Sources: list(
		"9.255.255.254/30", "9.255.255.254-10.0.0.3", "10.1.2.3", "http://10.1.2.3:8080/x", "[::ffff:10.1.2.3]", "::ffff:10.0.0.0/104",
		"Example.COM.", "https://u:p@example.com:8443/", "example.com:1", "www.example.com", "１０.０.０.１",
		"both.example", "both.example:81", "plain.example", "http://plain.example", "plain.example:80", "tls.example/p", "https://tls.example",
	)})
	want := []string{
		"9.255.255.252", "9.255.255.253", "9.255.255.254", "9.255.255.255", "www.example.com",
		"both.example:81", "https://plain.example", "http://tls.example/p",
	}
	if !slices.Equal(urls, want) || bad != nil || err != nil {
		t.Errorf("got %q, %q, %v; want %q", urls, bad, err, want)
	}
}

func TestNewReaderRefuses(t *testing.T) {
	for part, cfg := range map[string]Config{
		"port 0":            {Ports: []uint16{80, 0}},
		"source 1 is empty": {Sources: []Source{Values("-u"), {}}},
	} {
		if _, err := NewReader(cfg); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want %q", err, part)
		}
	}
}

func TestClose(t *testing.T) {
	r, err := NewReader(Config{Sources: []Source{File(writeFile(t, "list", "10.0.0.0/8\n")), Values("-u", "b")}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if target, err := r.Next(); err != io.EOF {
			t.Errorf("after Close: %v, %v; want io.EOF", target, err)
		}
	}
}

// endless writes numbered lines for as long as it is read.
type endless struct {
	number int
	rest   []byte
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		e.number++
		e.rest = strconv.AppendInt(append(e.rest, "http://example.com/"...), int64(e.number), 10)
		e.rest = append(e.rest, '\n')
	}
	n := copy(p, e.rest)
	e.rest = append(e.rest[:0], e.rest[n:]...)
	return n, nil
}

// Lists of millions of lines, and networks of as many addresses, take the
// memory of one line (github.com/projectdiscovery/httpx/issues/2277,
// nuclei/issues/2567).
func TestMemoryIsConstant(t *testing.T) {
	for name, in := range map[string]io.Reader{
		"endless lines":  &endless{},
		"one network":    strings.NewReader("0.0.0.0/0"),
		"bad lines":      io.MultiReader(bytes.NewReader(bytes.Repeat([]byte("ftp://a\n"), 100_000)), &endless{}),
		"one known line": io.MultiReader(bytes.NewReader(bytes.Repeat([]byte("a\n"), 100_000)), &endless{}),
	} {
		r, err := newReader(Config{Sources: []Source{Stream("list", in)}, Ports: []uint16{80, 81}}, 1000)
		if err != nil {
			t.Fatal(err)
		}
		take := func(n int) uint64 {
			for range n {
				if _, err := r.Next(); err != nil {
					t.Fatal(err)
				}
			}
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		before := take(2000)
		if after := take(200_000); after > before+256<<10 {
			t.Errorf("%s: %d bytes after 2,000 targets, %d after 202,000", name, before, after)
		}
		runtime.KeepAlive(r)
	}
}
