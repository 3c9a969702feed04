package check

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inFolder makes a folder with files the current one.
func inFolder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, content := range files {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestParsePaths(t *testing.T) {
	inFolder(t, map[string]string{
		"plain":   "/a\nb\n",
		"untidy":  "\xef\xbb\xbf# list\r\n/a \r\n\r\n\t/b\r\n  # more\r\n/c#d\r\n/e,f\r\n/My Documents\r\n/last",
		"comment": "\xef\xbb\xbf/a",
	})
	if err := os.Mkdir(".git", 0o700); err != nil {
		t.Fatal(err)
	}
	absolute, err := filepath.Abs("plain")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		value string
		want  []string
	}{
		{"/", []string{"/"}},
		{"/admin", []string{"/admin"}},
		{"admin", []string{"/admin"}},
		{" /a , b,,/c,", []string{"/a", "/b", "/c"}},
		{"/a,/a", []string{"/a", "/a"}},
		{"?x=1", []string{"/?x=1"}},
		{"//a", []string{"//a"}},
		{"../../etc/passwd", []string{"/../../etc/passwd"}},
		{"/%00/%zz", []string{"/%00/%zz"}},
		{"/über", []string{"/%C3%BCber"}},
		{"\xff", []string{"/%FF"}},
		{"/no-such-file.txt", []string{"/no-such-file.txt"}},
		{"plain", []string{"/a", "/b"}},
		{"@plain", []string{"/a", "/b"}},
		{absolute, []string{"/a", "/b"}},
		{"plain,", []string{"/plain"}},
		{"comment", []string{"/a"}},
		{".git", []string{"/.git"}}, // a folder is no list
		{"untidy", []string{"/a", "/b", "/c#d", "/e,f", "/My Documents", "/last"}},
	} {
		got, err := ParsePaths(row.value)
		if err != nil || !slices.Equal(got, row.want) {
			t.Errorf("%q: got %q, %v; want %q", row.value, got, err, row.want)
		}
	}
}

func TestParsePathsRefused(t *testing.T) {
	inFolder(t, map[string]string{
		"empty":   "",
		"blank":   "\n# nothing\n\n",
		"binary":  "/a\n/b\x00\x01\n",
		"wide":    "\xff\xfe/\x00a\x00\n\x00",
		"control": "/a\n\n/b\x1b[31m\n",
		"long":    "/a\n/" + strings.Repeat("b", maxPathLine) + "\n/c\n",
	})
	for _, row := range []struct{ value, want string }{
		{"", `--path "": no path, expected`},
		{" , ,", `--path " , ,": no path, expected`},
		{"/a,/b\x00", `--path "/b\x00": a NUL byte`},
		{"/a\nb", `--path "/a\nb": control character '\n'`},
		{"@none", "none: "},
		{"@.", ".: a directory, expected a text file"},
		{"empty", "empty: no path, expected one a line"},
		{"blank", "blank: no path, expected one a line"},
		{"binary", "binary:2: a NUL byte, as in a binary file"},
		{"wide", "wide:1: a NUL byte, as in a binary file"},
		{"control", "control:3: control character '\\x1b'"},
		{"long", "long:2: a line of 65536 bytes or more"},
	} {
		got, err := ParsePaths(row.value)
		if got != nil || err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%q: got %q, %v; want the error %q", row.value, got, err, row.want)
		}
	}
	_, err := ParsePaths("@none")
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want os.ErrNotExist in its chain", err)
	}
}

func TestPathFile(t *testing.T) {
	inFolder(t, map[string]string{".env": "SECRET=1"})
	for value, want := range map[string]string{".env": ".env", "./.env": "./.env", "@any": "any", ".": "", "/x,.env": "", "none": ""} {
		name, ok := PathFile(value)
		if ok != (want != "") || ok && name != want {
			t.Errorf("%q: got %q, %v; want %q", value, name, ok, want)
		}
	}
}

// What a path list gives fits into one request line, whatever it held.
func FuzzScanPaths(f *testing.F) {
	f.Add("/a\r\n# b\r\n\r\nc d\xff\n")
	f.Add("\xef\xbb\xbf\x00")
	f.Fuzz(func(t *testing.T, text string) {
		paths, err := scanPaths("list", strings.NewReader(text))
		if (err == nil) != (len(paths) > 0) {
			t.Fatalf("%d paths and %v, want one of them", len(paths), err)
		}
		for _, path := range paths {
			if path[0] != '/' || strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r >= 0x7f }) {
				t.Fatalf("path %q, expected a slash and visible ASCII", path)
			}
			if again, err := cleanPath(path); err != nil || again != path {
				t.Fatalf("path %q is %q, %v when cleaned again", path, again, err)
			}
		}
	})
}
