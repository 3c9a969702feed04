//go:build !unix

package check

import "os"

func openTemplate(name string) (*os.File, error) { return os.Open(name) }
