package target

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
)

// readAll gives the URLs that a list stands for, the bad lines, and the error
// that ended the reading, nil for io.EOF.
func readAll(t *testing.T, cfg Config) (urls, bad []string, err error) {
	t.Helper()
	cfg.OnBad = func(e *LineError) { bad = append(bad, e.Error()) }
	r, err := NewReader(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	for {
		target, err := r.Next()
		if err == io.EOF {
			return urls, bad, nil
		}
		if err != nil {
			return urls, bad, err
		}
		urls = append(urls, target.URL())
	}
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLines(t *testing.T) {
	const mark = "\xef\xbb\xbf"
	for text, want := range map[string]string{
		"":                          "",
		"\n\n \t\r\n":               "",
		"a\nb\n":                    "a b",
		"a\r\nb\r\n":                "a b",
		"a\nb":                      "a b",
		"a\r":                       "a",
		mark + "a\n" + mark + "b\n": "a b",
		mark:                        "",
		"\t a \u00a0\n":             "a",
		"# a\n #b\n\t# c\nd":        "d",
		"a # b\nc\t#d\ne #":         "a c e",
		"http://a/x#y # z\n":        "http://a/x",
		"http://a/x#y#z":            "http://a/x",
		"a#b":                       "a",
		mark + "# a":                "",
	} {
		for name, in := range map[string]io.Reader{"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text))} {
			urls, bad, err := readAll(t, Config{Sources: []Source{Stream("list", in)}})
			if got := strings.Join(urls, " "); got != want || err != nil || bad != nil {
				t.Errorf("%q (%s): %q, %q, %v; want %q", text, name, got, bad, err, want)
			}
		}
	}
}

func TestSourcesInOrder(t *testing.T) {
	urls, bad, err := readAll(t, Config{Sources: []Source{
		Values("-u", "a", "b"),
		File(writeFile(t, "list", "c\nd # no newline")),
		Values("none"),
		Stream("standard input", strings.NewReader("e\n")),
	}})
	if want := []string{"a", "b", "c", "d", "e"}; !slices.Equal(urls, want) || bad != nil || err != nil {
		t.Errorf("got %q, %q, %v; want %q", urls, bad, err, want)
	}
}

func TestBadSources(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	for name, c := range map[string]struct {
		text, want string
		before     int
	}{
		"binary":                   {text: png, want: "binary data (a NUL byte), expected a text file with one target a line"},
		"binary after a line":      {text: "a\n" + png, want: "binary data"},
		"UTF-16, little end first": {text: "\xff\xfea\x00\n\x00", want: "UTF-16 text, expected a text file with one target a line in UTF-8"},
		"UTF-16, big end first":    {text: "\xfe\xff\x00a\x00\n", want: "UTF-16 text"},
		"UTF-16 without a mark":    {text: "a\x00\n\x00", want: "binary data"},
		"one long binary line":     {text: strings.Repeat("\x01", 2*readBuffer) + "\n" + "\x00", want: "", before: 2},
		"a NUL byte far behind":    {text: strings.Repeat("a\n", binaryHead) + "\x00\nb\n", want: "", before: 1},
	} {
		path := writeFile(t, "list", c.text)
		_, bad, err := readAll(t, Config{Sources: []Source{File(path), Values("-u", "later")}})
		if len(bad) != c.before {
			t.Errorf("%s: %d bad lines, want %d: %q", name, len(bad), c.before, bad)
		}
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v, want no error", name, err)
			}
			continue
		}
		if e, ok := errors.AsType[*SourceError](err); !ok || e.File != path || !strings.Contains(e.Error(), c.want) {
			t.Errorf("%s: %v, want a SourceError of %s with %q", name, err, path, c.want)
		}
	}
}

func TestMissingFilesAreToldAtOnce(t *testing.T) {
	dir := t.TempDir()
	for path, part := range map[string]string{
		dir:                          "a directory, expected a text file with one target a line",
		filepath.Join(dir, "absent"): "expected a text file with one target a line",
	} {
		_, err := NewReader(Config{Sources: []Source{Values("-u", "a"), File(path)}})
		if e, ok := errors.AsType[*SourceError](err); !ok || e.File != path || !strings.Contains(err.Error(), part) || strings.Count(err.Error(), path) != 1 {
			t.Errorf("%s: %v, want a SourceError with %q that names it once", path, err, part)
		}
	}
	if _, err := NewReader(Config{Sources: []Source{File(filepath.Join(dir, "absent"))}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want os.ErrNotExist inside", err)
	}
}

func TestReadErrorsEndTheReader(t *testing.T) {
	broken := errors.New("the disk is gone")
	in := io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken))
	r, err := NewReader(Config{Sources: []Source{Stream("list", in), Values("-u", "c")}})
	if err != nil {
		t.Fatal(err)
	}
	if target, err := r.Next(); err != nil || target.Host != "a" {
		t.Fatalf("got %v, %v; want a", target, err)
	}
	for range 2 {
		// Half a line is no target, and what came before the error is not the end.
		if target, err := r.Next(); !errors.Is(err, broken) {
			t.Errorf("got %v, %v; want the read error", target, err)
		}
	}
}

func TestLongLines(t *testing.T) {
	fits := "http://a/" + strings.Repeat("x", maxLine-len("http://a/"))
	text := strings.Join([]string{fits, fits + "x", strings.Repeat("y", 3*readBuffer), "b", "# " + fits, strings.Repeat(" ", maxLine) + "c", "d", fits + fits + fits}, "\n")
	urls, bad, err := readAll(t, Config{Sources: []Source{Stream("list", strings.NewReader(text))}})
	if want := []string{fits, "b", "d"}; !slices.Equal(urls, want) || err != nil {
		t.Errorf("got %d targets, %v; want the line of exactly 64 KiB, b and d", len(urls), err)
	}
	var want []string
	for _, line := range []int{2, 3, 5, 6, 8} {
		want = append(want, fmt.Sprintf("list:%d: a line of more than 65536 bytes, expected one target a line", line))
	}
	if !slices.Equal(bad, want) {
		t.Errorf("got %q, want %q", bad, want)
	}
}

// A pipe that stays open gives each target as soon as its line is there.
func TestOpenPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		r, err := NewReader(Config{Sources: []Source{Stream("standard input", in)}})
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan string)
		go func() {
			defer close(got)
			for {
				target, err := r.Next()
				if err != nil {
					if err != io.EOF {
						t.Error(err)
					}
					return
				}
				got <- target.URL()
			}
		}()
		for _, step := range []struct {
			write string
			want  []string
		}{
			{"a\nb", []string{"a"}},
			{"\n", []string{"b"}},
			{"#\n\n\xff bad\nc\nd", []string{"c"}},
			{"e\n10.0.0.7-8\n", []string{"de", "10.0.0.7", "10.0.0.8"}},
		} {
			if _, err := io.WriteString(out, step.write); err != nil {
				t.Fatal(err)
			}
			for _, want := range step.want {
				synctest.Wait()
				select {
				case url := <-got:
					if url != want {
						t.Errorf("after %q: %q, want %q", step.write, url, want)
					}
				default:
					t.Errorf("after %q: nothing, want %q", step.write, want)
				}
			}
		}
		out.Close()
		if url, open := <-got; open {
			t.Errorf("got %q after the end", url)
		}
	})
}
