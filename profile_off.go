//go:build !profile

package main

// profiled runs redial; a build with the tag profile does so under the CPU profiler.
func profiled(run func() int) int { return run() }
