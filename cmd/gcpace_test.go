package cmd

import (
	"context"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"
)

func TestCollectorPercent(t *testing.T) {
	last := collectorPercent(0)
	if last <= 100 {
		t.Errorf("an empty heap gets %d %%, want more than the usual 100", last)
	}
	for live := uint64(1 << 20); live < 1<<32; live *= 2 {
		p := collectorPercent(live)
		if p > last || p <= 0 {
			t.Errorf("%d bytes alive get %d %%, want more than 0 and no more than the %d of half as many", live, p, last)
		}
		last = p
	}
}

func TestCollectorIsLeftAsItWas(t *testing.T) {
	before := debug.SetGCPercent(77)
	defer debug.SetGCPercent(before)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		paceCollector(ctx, time.Second)
	})
	if got := debug.SetGCPercent(77); got != 77 {
		t.Errorf("percent %d after the scan, want the 77 from before", got)
	}
}
