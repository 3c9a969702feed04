package report

import "strings"

// SeverityRank puts the severities of checks in order: 1 for info, then low, medium, high, and 5 for critical, in any
// case of letters; 0 for every other word, such as "unknown", and for none.
func SeverityRank(severity string) int {
	switch strings.ToLower(severity) {
	case "info":
		return 1
	case "low":
		return 2
	case "medium":
		return 3
	case "high":
		return 4
	case "critical":
		return 5
	}
	return 0
}
