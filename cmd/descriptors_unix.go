//go:build unix

package cmd

import "syscall"

// openFiles is how many files the process may have open; 0 = no telling, or more than anybody needs.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > 1<<20 {
		return 0
	}
	return int(limit.Cur)
}
