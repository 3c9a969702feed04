package cmd

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// paceCollector sets how much garbage may pile up by how much is alive, until ctx ends. A scan of many dead hosts keeps a
// lot and makes a lot of garbage: the collector's usual allowance, as much again, would double its memory. A small scan
// gets more than that, since its collections cost more than the memory is worth.
func paceCollector(ctx context.Context, every time.Duration) {
	before := debug.SetGCPercent(collectorPercent(0))
	defer debug.SetGCPercent(before)
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	tick := time.NewTicker(every)
	defer tick.Stop()
	set := collectorPercent(0)
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		metrics.Read(sample)
		if want := collectorPercent(sample[0].Value.Uint64()); want != set {
			debug.SetGCPercent(want)
			set = want
		}
	}
}

// collectorPercent is the garbage allowed, in percent of what is alive.
func collectorPercent(live uint64) int {
	switch {
	case live < 8<<20:
		return 200
	case live < 14<<20:
		return 100
	case live < 32<<20:
		return 50
	case live < 128<<20:
		return 25
	case live < 192<<20:
		return 15
	}
	return 10
}
