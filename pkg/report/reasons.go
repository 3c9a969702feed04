package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// reasons are why items were skipped, the largest number first.
func reasons(s *Summary) []string {
	return slices.SortedFunc(maps.Keys(s.SkippedBy), func(x, y string) int {
		return cmp.Or(cmp.Compare(s.SkippedBy[y], s.SkippedBy[x]), cmp.Compare(x, y))
	})
}

// reasonList is "80 dead, 20 quarantined".
func reasonList(s *Summary) string {
	var parts []string
	for _, reason := range reasons(s) {
		parts = append(parts, fmt.Sprintf("%d %s", s.SkippedBy[reason], cut(reason, 50)))
	}
	return strings.Join(parts, ", ")
}

func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}
