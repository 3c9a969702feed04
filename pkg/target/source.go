package target

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
	maxLine    = 64 << 10
	readBuffer = 128 << 10 // room for the longest line with the space around it
	binaryHead = 8000      // a NUL byte in a line that begins this early tells a binary file
)

const wantList = "a text file with one target a line"

// Source is a list of targets that a Reader opens when its turn comes. The zero
// value is no source; make one with File, Stream or Values.
type Source struct {
	name  string
	check func() error
	open  func() (io.ReadCloser, error)
}

// File is the file or named pipe at path.
func File(path string) Source {
	return Source{
		name: path,
		check: func() error {
			info, err := os.Stat(path)
			if err == nil && info.IsDir() {
				err = errors.New("a directory, expected " + wantList)
			}
			return withoutPath(err)
		},
		open: func() (io.ReadCloser, error) {
			f, err := os.Open(path)
			return f, withoutPath(err)
		},
	}
}

// withoutPath keeps a SourceError from naming its file twice.
func withoutPath(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return fmt.Errorf("%w, expected %s", e.Err, wantList)
	}
	return err
}

// Stream is an open stream such as standard input, called name in messages. It
// is not closed.
func Stream(name string, r io.Reader) Source {
	return Source{name: name, open: func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}
}

// Values is a list at hand, such as the values of a flag, called name in
// messages. Each value is read as a line.
func Values(name string, values ...string) Source {
	return Stream(name, strings.NewReader(strings.Join(values, "\n")))
}

// errLineTooLong is a bad line; every other error of lines.next but io.EOF ends
// the source.
var errLineTooLong = fmt.Errorf("a line of more than %d bytes, expected one target a line", maxLine)

// lines cuts one source into lines. It never waits for more than the line that
// it is about to give.
type lines struct {
	buf    *bufio.Reader
	number int   // of the line given last, from 1
	offset int64 // where the next line begins
	failed error // a read error met while the rest of a long line was skipped
}

// next gives a line without its end. It is valid until the next call.
func (l *lines) next() ([]byte, error) {
	if l.failed != nil {
		return nil, l.failed
	}
	line, err := l.buf.ReadSlice('\n')
	if err != nil && err != bufio.ErrBufferFull && (err != io.EOF || len(line) == 0) {
		return nil, err
	}
	start := l.offset
	l.offset += int64(len(line))
	l.number++
	if l.number == 1 {
		if err := l.checkStart(line); err != nil {
			return nil, err
		}
	}
	if start < binaryHead && bytes.IndexByte(line, 0) >= 0 {
		return nil, errBinary
	}
	if err == bufio.ErrBufferFull {
		line = bytes.Clone(line[:maxLine]) // skipping reads over it
		l.skipLine()
		return line, errLineTooLong
	}
	if line = bytes.TrimSuffix(line, []byte("\n")); len(line) > maxLine {
		return line, errLineTooLong
	}
	return line, nil
}

var errBinary = errors.New("binary data (a NUL byte), expected " + wantList)

// checkStart looks at what has arrived with the first line, so that a binary
// file is named at once and not after a bad line or two.
func (l *lines) checkStart(line []byte) error {
	if bytes.HasPrefix(line, []byte("\xff\xfe")) || bytes.HasPrefix(line, []byte("\xfe\xff")) {
		return errors.New("UTF-16 text, expected " + wantList + " in UTF-8")
	}
	rest, _ := l.buf.Peek(min(l.buf.Buffered(), binaryHead))
	if bytes.IndexByte(rest, 0) >= 0 {
		return errBinary
	}
	return nil
}

func (l *lines) skipLine() {
	for {
		part, err := l.buf.ReadSlice('\n')
		l.offset += int64(len(part))
		if err == nil {
			return
		}
		if err != bufio.ErrBufferFull {
			l.failed = err
			return
		}
	}
}

// content cuts a line down to its target: no mark, no space around it, no
// comment. It is empty for a line without one.
func content(line []byte) []byte {
	// Lists put together with cat have marks in the middle.
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	line = bytes.TrimSpace(line)
	for from := 0; ; {
		i := bytes.IndexByte(line[from:], '#')
		if i < 0 {
			return line
		}
		from += i
		if from == 0 || line[from-1] == ' ' || line[from-1] == '\t' {
			return bytes.TrimSpace(line[:from])
		}
		from++
	}
}
