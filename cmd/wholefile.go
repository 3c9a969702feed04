package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/redialscan/redial/pkg/report"
)

// writeWhole writes a file so that it is there whole or not at all. What goes to a pipe or a device is gathered first.
func writeWhole(path string, write func(io.Writer) error) error {
	var files report.Files
	out, err := files.OpenWhole(path, "file")
	if err != nil {
		return at(path, err)
	}
	if err := write(out); err != nil {
		out.Discard()
		return at(path, err)
	}
	if err := out.Commit(); err != nil {
		return at(path, err)
	}
	return nil
}

// writable says early why writeWhole would fail. What is no regular file is not opened for that: a pipe would wait for its reader.
func writable(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil
	}
	var files report.Files
	if _, err := files.OpenWhole(path, "file"); err != nil {
		return at(path, err)
	}
	return files.Close()
}

// at names the file of an error in the way of a flag's value.
func at(path string, err error) error {
	if out, ok := errors.AsType[*report.OutputError](err); ok {
		err = out.Err
	}
	return fmt.Errorf("%s: %w", path, reason(err))
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
