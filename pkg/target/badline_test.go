package target

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestBadLinesAreReportedAndPassedOver(t *testing.T) {
	path := writeFile(t, "list", "a\n\nftp://joe:hunter2@b/c # old\n10.0.0.0/40\nd\n")
	var bad []*LineError
	r, err := NewReader(Config{Sources: []Source{File(path), Values("-u", "e:0")}, OnBad: func(e *LineError) { bad = append(bad, e) }})
	if err != nil {
		t.Fatal(err)
	}
	var hosts []string
	for {
		target, err := r.Next()
		if err != nil {
			break
		}
		hosts = append(hosts, target.Host)
	}
	if want := []string{"a", "d"}; !slices.Equal(hosts, want) {
		t.Errorf("got %q, want %q", hosts, want)
	}
	if len(bad) != 3 {
		t.Fatalf("%d bad lines, want 3: %v", len(bad), bad)
	}
	if e := bad[0]; e.File != path || e.Line != 3 || e.Text != "ftp://***@b/c" || e.Error() != path+`:3: scheme "ftp", expected http or https` {
		t.Errorf("got %q, %d, %q: %v", e.File, e.Line, e.Text, e)
	}
	if e := bad[2]; e.Error() != `-u:1: port "0" is out of range, expected 1 to 65535` {
		t.Errorf("got %v", e)
	}
}

func TestBadLinesKeepPasswordsBack(t *testing.T) {
	for _, line := range []string{
		"http://joe:hunter2@host:0", "http://joe:hunter2/x@host", "http://joe:hunter2#x@host", "joe:hunter2?x@host", "joe:hunter2://x@host",
		"ftp://joe:hunter2@host", "http://joe:hunter2@ho st", "http://joe:hunter2@10.0.0.256", "hunter2:@[::1",
	} {
		var bad []*LineError
		r, err := NewReader(Config{Sources: list(line), OnBad: func(e *LineError) { bad = append(bad, e) }})
		if err != nil {
			t.Fatal(err)
		}
		if target, err := r.Next(); err != io.EOF || len(bad) != 1 {
			t.Errorf("%s: %v, %v, %v; want a bad line", line, target, err, bad)
			continue
		}
		if text := bad[0].Error() + bad[0].Text; strings.Contains(text, "hunter2") {
			t.Errorf("%s: password in %q", line, text)
		}
	}
}

func TestStrict(t *testing.T) {
	r, err := NewReader(Config{Sources: list("a", "b c", "d"), Strict: true, OnBad: func(e *LineError) { t.Errorf("OnBad(%v) with Strict", e) }})
	if err != nil {
		t.Fatal(err)
	}
	if target, err := r.Next(); target.Host != "a" || err != nil {
		t.Errorf("got %v, %v; want a", target, err)
	}
	if _, err := r.Next(); !isLine(err, 2) {
		t.Errorf("got %v, want a LineError for line 2", err)
	}
	if target, err := r.Next(); target.Host != "d" || err != nil {
		t.Errorf("got %v, %v; want d", target, err)
	}
}

func isLine(err error, number int) bool {
	e, ok := errors.AsType[*LineError](err)
	return ok && e.Line == number
}
