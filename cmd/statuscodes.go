package cmd

import (
	"fmt"
	"strconv"
	"strings"
)

// parseStatusCodes reads a list of status codes and ranges of them, such as "403,520-529".
func parseStatusCodes(list string) ([]int, error) {
	var codes []int
	for entry := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(entry), "-")
		first, okFirst := statusCode(from)
		last, okLast := first, okFirst
		if isRange {
			last, okLast = statusCode(to)
		}
		if !okFirst || !okLast || last < first {
			return nil, fmt.Errorf("%q, expected status codes from 100 to 599 and ranges of them, such as 403,520-529", entry)
		}
		for code := first; code <= last; code++ {
			codes = append(codes, code)
		}
	}
	return codes, nil
}

func statusCode(text string) (int, bool) {
	code, err := strconv.Atoi(strings.TrimSpace(text))
	return code, err == nil && code >= 100 && code <= 599
}
