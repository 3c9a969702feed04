package main

import (
	"slices"
	"time"
)

// row is what the rounds of one tool on one workload came to: the median of each figure by itself.
type row struct {
	workload, tool string
	rounds         int
	rate           float64 // requests per second
	wall           time.Duration
	cpu            float64 // seconds for 1,000 requests
	peak           int64
	conns          int64 // or unknown
	lost           int64 // the most of all rounds
	first, last    time.Duration
	failed         string
}

// summarize makes a row of measures; one that failed is the row.
func summarize(workload, tool string, all []measure) row {
	r := row{workload: workload, tool: tool, rounds: len(all)}
	for _, m := range all {
		if m.failed != "" {
			r.failed = m.failed
			return r
		}
		r.lost = max(r.lost, m.lost)
	}
	if len(all) > 0 && all[0].lost == unknown {
		r.lost = unknown
	}
	r.rate = median(all, func(m measure) float64 { return float64(m.requests) / m.wall.Seconds() })
	r.cpu = median(all, func(m measure) float64 { return 1000 * m.cpu.Seconds() / float64(max(1, m.requests)) })
	r.wall = median(all, func(m measure) time.Duration { return m.wall })
	r.peak = median(all, func(m measure) int64 { return m.peak })
	r.conns = median(all, func(m measure) int64 { return m.conns })
	r.first = median(all, func(m measure) time.Duration { return m.first })
	r.last = median(all, func(m measure) time.Duration { return m.last })
	return r
}

// median of a figure; between two in the middle it is halfway. 0 for no measures.
func median[T ~int64 | ~float64](all []measure, of func(measure) T) T {
	if len(all) == 0 {
		return 0
	}
	sorted := make([]T, len(all))
	for i, m := range all {
		sorted[i] = of(m)
	}
	slices.Sort(sorted)
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid]
	}
	return sorted[mid-1] + (sorted[mid]-sorted[mid-1])/2
}
