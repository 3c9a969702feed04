//go:build profile

package main

import (
	"fmt"
	"os"
	"runtime/pprof"
)

// profiled runs redial and writes its CPU profile to the file that REDIAL_CPU_PROFILE names, none without it.
func profiled(run func() int) int {
	name := os.Getenv("REDIAL_CPU_PROFILE")
	if name == "" {
		return run()
	}
	f, err := os.Create(name)
	if err != nil {
		fmt.Fprintln(os.Stderr, "redial: cpu profile:", err)
		return 1
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		fmt.Fprintln(os.Stderr, "redial: cpu profile:", err)
		return 1
	}
	defer pprof.StopCPUProfile()
	return run()
}
