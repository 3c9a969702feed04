package main

import (
	"fmt"
	"regexp"
	"strconv"
)

// items is what redial says of its items.
type items struct{ total, done, failed, skipped int64 }

func (i items) accounted() int64 { return min(i.total, i.done+i.failed+i.skipped) }

var summaryLine = regexp.MustCompile(`(?m)^\s+items\s+(\d+) = (\d+) done \+ (\d+) failed \+ (\d+) skipped`)

// parseSummary finds the items in what redial prints at its end.
func parseSummary(text string) (items, error) {
	parts := summaryLine.FindStringSubmatch(text)
	if parts == nil {
		return items{}, fmt.Errorf("expected a summary from redial, got %q", lastLine(text))
	}
	var i items
	for at, into := range []*int64{&i.total, &i.done, &i.failed, &i.skipped} {
		n, err := strconv.ParseInt(parts[at+1], 10, 64)
		if err != nil {
			return items{}, fmt.Errorf("redial's summary: %w", err)
		}
		*into = n
	}
	return i, nil
}
