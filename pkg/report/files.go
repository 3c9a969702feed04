package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Files opens the output files of a scan before it starts, so that a path that cannot
// be written is known while nothing was sent yet, and no file has two purposes.
// The zero value is ready. It is not safe for concurrent use.
type Files struct {
	taken  []takenFile
	outs   []*Output
	wholes []*WholeFile
}

// ErrBusy says that another process, or another [Files], has the file open for its output.
var ErrBusy = errors.New("another run writes it at this moment, expected a file of its own")

type takenFile struct {
	what string
	info fs.FileInfo
}

// Keep guards an input: a later Open of the same file is refused. A path that does
// not exist, or is no regular file, needs no guard.
func (f *Files) Keep(path, what string) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		f.taken = append(f.taken, takenFile{what: what + " " + path, info: info})
	}
}

// Open makes path writable, and creates it when missing; what is there stays until the
// handler's Start. what says what the file is for ("results file"), and stands in errors.
// Pipes and devices may be given. A file that another run has open so is refused with
// [ErrBusy], where the system can tell.
func (f *Files) Open(path, what string) (*Output, error) {
	return f.open(path, what, os.O_WRONLY|os.O_CREATE)
}

// OpenEnd makes an existing file writable at its end: what is there stays. It may be one that was guarded by Keep.
func (f *Files) OpenEnd(path, what string) (*Output, error) {
	out, err := f.open(path, what, os.O_WRONLY|os.O_APPEND)
	if err != nil || !out.regular {
		return out, err
	}
	info, err := out.file.Stat()
	if err != nil {
		return nil, &OutputError{Name: out.name, Err: err}
	}
	out.keep, out.whole = true, info.Size()
	return out, nil
}

func (f *Files) open(path, what string, flags int) (*Output, error) {
	name := what + " " + path
	if path == "" {
		return nil, &OutputError{Name: what, Err: errors.New("empty path, expected the path of a file to write")}
	}
	file, err := os.OpenFile(path, flags, 0o644)
	if err != nil {
		return nil, &OutputError{Name: name, Err: explainOpen(path, err)}
	}
	info, err := file.Stat()
	if err != nil {
		return nil, &OutputError{Name: name, Err: errors.Join(err, file.Close())}
	}
	out := &Output{name: name, w: file, file: file, regular: info.Mode().IsRegular()}
	if out.regular {
		for _, t := range f.taken {
			if flags&os.O_APPEND == 0 && os.SameFile(t.info, info) {
				err := fmt.Errorf("is the same file as the %s, expected one of its own", t.what)
				return nil, &OutputError{Name: name, Err: errors.Join(err, file.Close())}
			}
		}
		if busy(file) {
			return nil, &OutputError{Name: name, Err: errors.Join(ErrBusy, file.Close())}
		}
		f.taken = append(f.taken, takenFile{what: name, info: info})
	}
	f.outs = append(f.outs, out)
	return out, nil
}

// Close closes what no handler has closed: for a scan that could not begin.
func (f *Files) Close() error {
	var errs []error
	for _, out := range f.outs {
		errs = append(errs, out.close())
	}
	for _, out := range f.wholes {
		out.Discard()
	}
	f.wholes = nil
	return errors.Join(errs...)
}

// explainOpen says what was expected in place of what is there.
func explainOpen(path string, err error) error {
	if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
		return fmt.Errorf("is a directory, expected the path of a file to write: %w", err)
	}
	folder := filepath.Dir(path)
	switch info, statErr := os.Stat(folder); {
	case errors.Is(statErr, fs.ErrNotExist):
		return fmt.Errorf("the folder %s does not exist, expected an existing one: %w", folder, err)
	case statErr == nil && !info.IsDir():
		return fmt.Errorf("%s is a file, expected a folder: %w", folder, err)
	}
	return fmt.Errorf("cannot be written, expected a file that this user may write: %w", err)
}
