package check

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

const (
	maxPathLine = 64 << 10
	wantPaths   = "a text file with one path a line"
)

// ParsePaths reads a value of --path: a path, several with commas between them, or a file with one path a line. A file may have blank
// lines, lines that begin with # as comments, CRLF and a byte order mark. The space around a path is no part of it, a missing slash is put
// before it, and bytes above 0x7F are percent-encoded, because a request line has no place for them. The rest stays as written.
//
// Which values are read as a file, [PathFile] says. An error in a file is a [ListError], any other a [FlagError].
func ParsePaths(value string) ([]string, error) {
	if name, ok := PathFile(value); ok {
		return readPaths(name)
	}
	var paths []string
	for text := range strings.SplitSeq(value, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		path, err := cleanPath(text)
		if err != nil {
			return nil, &FlagError{"--path", text, err}
		}
		paths = append(paths, path)
	}
	if len(paths) == 0 {
		return nil, &FlagError{"--path", value, errors.New("no path, expected a path such as /admin, several with commas between them, or a file")}
	}
	return paths, nil
}

// PathFile tells whether [ParsePaths] reads a value as a file: when it is @ and a name, or names something that exists and is no
// directory. A path that happens to be the name of a local file is written with a comma behind it.
//
// To say which file was read is wise: a slip, as --path .env in the wrong folder, would otherwise send its lines unseen.
func PathFile(value string) (name string, ok bool) {
	if name, ok := strings.CutPrefix(value, "@"); ok {
		return name, true
	}
	info, err := os.Stat(value)
	return value, err == nil && !info.IsDir()
}

func readPaths(name string) ([]string, error) {
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		return nil, &ListError{File: name, Err: errors.New("a directory, expected " + wantPaths)}
	}
	f, err := os.Open(name)
	if err != nil {
		if e, ok := errors.AsType[*os.PathError](err); ok {
			err = e.Err
		}
		return nil, &ListError{File: name, Err: fmt.Errorf("%w, expected %s", err, wantPaths)}
	}
	defer f.Close()
	return scanPaths(name, f)
}

// scanPaths reads a list. One bad line spoils it: a scan with a part of the list that was meant would look complete.
func scanPaths(name string, r io.Reader) ([]string, error) {
	var paths []string
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 4096), maxPathLine)
	line := 0
	for scanner.Scan() {
		line++
		text := scanner.Bytes()
		if line == 1 {
			text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
		}
		if text = bytes.TrimSpace(text); len(text) == 0 || text[0] == '#' {
			continue
		}
		path, err := cleanPath(string(text))
		if err != nil {
			return nil, &ListError{name, line, err}
		}
		paths = append(paths, path)
	}
	if err := scanner.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("a line of %d bytes or more, expected one path a line", maxPathLine)
		}
		return nil, &ListError{name, line + 1, err}
	}
	if len(paths) == 0 {
		return nil, &ListError{File: name, Err: errors.New("no path, expected one a line")}
	}
	return paths, nil
}

// cleanPath gives a path as it can stand in a request line. A space may stay, because it is encoded where the line is written.
func cleanPath(text string) (string, error) {
	high := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == 0:
			return "", errors.New("a NUL byte, as in a binary file, expected a path")
		case c < ' ' || c == 0x7f:
			return "", fmt.Errorf("control character %q in %.80q, expected it percent-encoded", c, text)
		case c > 0x7f:
			high++
		}
	}
	slash := ""
	if !strings.HasPrefix(text, "/") {
		slash = "/"
	}
	if high == 0 {
		return slash + text, nil
	}
	const hex = "0123456789ABCDEF"
	path := append(make([]byte, 0, 1+len(text)+2*high), slash...)
	for i := range len(text) {
		if c := text[i]; c > 0x7f {
			path = append(path, '%', hex[c>>4], hex[c&15])
		} else {
			path = append(path, c)
		}
	}
	return string(path), nil
}

// distinctPaths cleans paths from any source, and drops those that come again.
func distinctPaths(raw []string) ([]string, error) {
	var paths []string
	seen := make(map[string]struct{}, len(raw))
	for _, text := range raw {
		path, err := cleanPath(text)
		if err != nil {
			return nil, &FlagError{"--path", text, err}
		}
		if _, double := seen[path]; !double {
			seen[path] = struct{}{}
			paths = append(paths, path)
		}
	}
	return paths, nil
}
