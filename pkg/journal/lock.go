package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gofrs/flock"
)

// ErrLocked says that another process writes the same events file.
var ErrLocked = errors.New("another scan writes it at this moment, expected a file of its own")

// Lock keeps other scans from writing an events file. It is the lock of an empty file beside it, since the events file
// itself is replaced by [Progress.Trim]; a process that was killed leaves that file, but no lock. Make one with [Acquire].
// It is not safe for concurrent use.
type Lock struct {
	held *flock.Flock // nil: what is at the path needs no lock, or it is released
}

// Acquire locks the events file at path, which need not exist. A pipe or a device has none. The error is [ErrLocked], or
// says why there can be no lock.
func Acquire(path string) (*Lock, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return &Lock{}, nil
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	name := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock")
	for {
		held := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
		got, err := held.TryLock()
		switch {
		case err != nil:
			return nil, fmt.Errorf("lock %s: %w", name, errors.Join(err, held.Close()))
		case !got:
			return nil, errors.Join(ErrLocked, held.Close())
		case isAt(held, name):
			return &Lock{held}, nil
		}
		_ = held.Close() // of a file that its owner has removed meanwhile; the next one is there for all
	}
}

// isAt says that a lock is that of the file which has the name now.
func isAt(held *flock.Flock, name string) bool {
	ours, err := held.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(name)
	return err == nil && os.SameFile(ours, there)
}

// Release lets others write. A second call, or one of a nil Lock, does nothing.
func (l *Lock) Release() error {
	if l == nil || l.held == nil {
		return nil
	}
	held := l.held
	l.held = nil
	// Removed while it is held: afterwards it may be somebody else's.
	_ = os.Remove(held.Path())
	err := held.Close()
	if runtime.GOOS == "windows" { // where an open file stays, be it ours or somebody else's
		_ = os.Remove(held.Path())
	}
	return err
}
