package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// WholeFile is a report that is there whole or not at all: it is written under a temporary name beside its own, and takes
// its place with [WholeFile.Commit]. What goes to a pipe, a device or a stream is gathered in the same way and copied
// at the end. Make one with [Files.OpenWhole] or [NewWholeStream]; it is not safe for concurrent use.
type WholeFile struct {
	name string
	path string    // where it goes; "" for a stream
	to   io.Writer // where it is copied to; nil: the file is renamed
	pipe *os.File  // the same, when it is ours to close
	file *os.File  // the temporary one; nil: done with
	w    *bufio.Writer
	err  error // the first one
}

// OpenWhole makes path writable as a whole, by making its temporary file; what stands at path stays until
// Commit. what says what the file is for, and stands in errors. Pipes and devices may be given. It comes after
// the calls of Open, which make the files that this one is told from.
func (f *Files) OpenWhole(path, what string) (*WholeFile, error) {
	out := &WholeFile{name: what + " " + path}
	if path == "" {
		return nil, &OutputError{Name: what, Err: errors.New("empty path, expected the path of a file to write")}
	}
	if err := out.open(path, f.taken); err != nil {
		return nil, &OutputError{Name: out.name, Err: err}
	}
	for _, other := range f.wholes {
		if other.path == out.path && out.path != "" {
			out.Discard()
			err := fmt.Errorf("is the same file as the %s, expected one of its own", other.name)
			return nil, &OutputError{Name: out.name, Err: err}
		}
	}
	f.wholes = append(f.wholes, out)
	return out, nil
}

// NewWholeStream gathers a report and writes it to w when it is whole. name stands in errors.
func NewWholeStream(name string, w io.Writer) (*WholeFile, error) {
	out := &WholeFile{name: name, to: w}
	if err := out.temporary(os.TempDir(), ""); err != nil {
		return nil, &OutputError{Name: name, Err: err}
	}
	return out, nil
}

func (o *WholeFile) open(path string, taken []takenFile) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // what a link points to is replaced, not the link
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return explainOpen(path, reason(err))
	case info.IsDir():
		return explainOpen(path, syscall.EISDIR)
	case !info.Mode().IsRegular():
		to, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return explainOpen(path, reason(err))
		}
		o.to, o.pipe = to, to
		return o.temporary(os.TempDir(), "")
	default:
		for _, t := range taken {
			if os.SameFile(t.info, info) {
				return fmt.Errorf("is the same file as the %s, expected one of its own", t.what)
			}
		}
		may, err := os.OpenFile(path, os.O_WRONLY, 0) // a file that is write-protected is not to be replaced either
		if err != nil {
			return explainOpen(path, reason(err))
		}
		_ = may.Close() // nothing was written
	}
	o.path = path
	removeStale(path, time.Now())
	if err := o.temporary(filepath.Dir(path), path); err != nil {
		return explainOpen(path, reason(err))
	}
	return nil
}

// temporary makes the file that is written to. What is copied at the end needs no name.
func (o *WholeFile) temporary(folder, path string) error {
	file, err := createTemporary(folder, path)
	if err != nil {
		return err
	}
	if path == "" {
		_ = os.Remove(file.Name()) // fails where an open file must have one; then Commit does it
	}
	o.file, o.w = file, bufio.NewWriterSize(file, outputBuffer)
	return nil
}

// Write gathers a part of the report.
func (o *WholeFile) Write(p []byte) (int, error) {
	if o.err != nil || o.file == nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	return n, o.fail(err)
}

// overwrite replaces what was written at an offset.
func (o *WholeFile) overwrite(p []byte, offset int64) error {
	if o.err == nil && o.fail(o.w.Flush()) == nil {
		_, err := o.file.WriteAt(p, offset)
		return o.fail(err)
	}
	return o.err
}

// Commit puts the report where it belongs, on the disk. After an error, its own or an earlier one, nothing is left
// of it. A second call does nothing.
func (o *WholeFile) Commit() error {
	if o.file == nil {
		return o.err
	}
	temporary := o.file.Name()
	err := o.fail(o.w.Flush())
	if err == nil && o.to != nil {
		err = o.fail(o.copy())
	} else if err == nil {
		err = o.fail(o.file.Sync())
	}
	if closeErr := o.file.Close(); err == nil {
		err = o.fail(closeErr)
	}
	o.file = nil
	if err == nil && o.to == nil {
		err = o.fail(os.Rename(temporary, o.path))
	}
	if err != nil || o.to != nil {
		_ = os.Remove(temporary) // of no use to anybody
	}
	o.closePipe()
	return o.err
}

// Discard takes back what was written; after Commit it does nothing.
func (o *WholeFile) Discard() {
	if o.file == nil {
		return
	}
	temporary := o.file.Name()
	_ = o.file.Close() // of no use to anybody
	_ = os.Remove(temporary)
	o.file = nil
	o.closePipe()
}

func (o *WholeFile) copy() error {
	if _, err := o.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(o.to, o.file)
	return err
}

func (o *WholeFile) closePipe() {
	if o.pipe != nil {
		_ = o.fail(o.pipe.Close())
	}
}

func (o *WholeFile) fail(err error) error {
	if err != nil && o.err == nil {
		o.err = &OutputError{Name: o.name, Err: reason(err)}
	}
	return o.err
}

// reason leaves out the temporary name, which says nothing to a person.
func reason(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	if at, ok := errors.AsType[*os.LinkError](err); ok {
		return at.Err
	}
	return err
}
