//go:build race

package scan

// underRace: the race detector has sync.Pool drop things at random, so that allocations cannot be counted.
const underRace = true
