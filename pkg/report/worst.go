package report

import (
	"cmp"
	"iter"
	"slices"
)

// ShownHosts is how many quarantined hosts a summary lists. The others are in the events file.
const ShownHosts = 20

// Worst picks the n worst of any number of hosts, the worst first, and counts them all.
// Worse is: dead before open before recovered, then more items skipped, then more trips,
// then more time in quarantine; the name decides between equals. It keeps n rows at a time.
func Worst(rows iter.Seq[HostRow], n int) (worst []HostRow, total int64) {
	for row := range rows {
		total++
		if len(worst) == n && (n == 0 || compareHosts(row, worst[n-1]) >= 0) {
			continue
		}
		at, _ := slices.BinarySearchFunc(worst, row, compareHosts)
		worst = slices.Insert(worst, at, row)
		worst = worst[:min(len(worst), n)]
	}
	return worst, total
}

// compareHosts is negative when a is worse than b.
func compareHosts(a, b HostRow) int {
	return cmp.Or(
		cmp.Compare(stateRank(a.State), stateRank(b.State)),
		cmp.Compare(b.Skipped, a.Skipped),
		cmp.Compare(b.Trips, a.Trips),
		cmp.Compare(b.Quarantine, a.Quarantine),
		cmp.Compare(a.Host, b.Host),
	)
}

func stateRank(state string) int {
	switch state {
	case "dead":
		return 0
	case "closed", "released":
		return 2
	}
	return 1 // open, half-open, held
}
