package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeWhole writes a file so that it is there whole or not at all. A pipe or a device is written as it is.
func writeWhole(path string, write func(io.Writer) error) error {
	if err := replace(path, write); err != nil {
		return fmt.Errorf("%s: %w", path, reason(err))
	}
	return nil
}

// writable says early why writeWhole would fail.
func writable(path string) error {
	special, err := isSpecial(path)
	if err == nil && !special {
		var f *os.File
		if f, err = os.CreateTemp(filepath.Dir(path), ".redial-*"); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, reason(err))
	}
	return nil
}

func replace(path string, write func(io.Writer) error) (err error) {
	special, err := isSpecial(path)
	if err != nil {
		return err
	}
	if special {
		return writeThrough(path, write)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".redial-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if err = write(f); err != nil {
		return err
	}
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func writeThrough(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// isSpecial says that what is at path must not be replaced by a file: a pipe or a device. A folder is an error.
func isSpecial(path string) (bool, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case info.IsDir():
		return false, errors.New("is a folder, expected a file")
	}
	return !info.Mode().IsRegular(), nil
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
