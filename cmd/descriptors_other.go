//go:build !unix

package cmd

// dialRoom is 0: the system has no limit that counts here.
func dialRoom(int) int { return 0 }
