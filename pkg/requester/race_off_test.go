//go:build !race

package requester_test

// underRace: see race_on_test.go.
const underRace = false
