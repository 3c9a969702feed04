//go:build !unix

package cmd

// wakeOpen has nothing to do where no pipe has a place among the files.
func wakeOpen(string) bool { return true }
