//go:build unix

package cmd

import "syscall"

// dialRoom is how many dials the descriptors of the process allow beside its workers: a dial needs one, a worker one and
// as much again for kept connections, and some are left for files. 0 = no telling.
func dialRoom(workers int) int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > 1<<20 {
		return 0
	}
	const files = 32
	return max(1, (int(limit.Cur)-files-workers)/2)
}
