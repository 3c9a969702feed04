//go:build !race

package scan

// underRace: see race_on_test.go.
const underRace = false
