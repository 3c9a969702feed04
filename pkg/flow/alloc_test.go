package flow

import (
	"testing"
	"time"
)

func TestDecisionsDoNotAllocate(t *testing.T) {
	for _, r := range allModes(50) {
		scan, host, now := mustNew(t, r), mustNew(t, r), time.Now()
		round := func() {
			now = now.Add(7 * time.Millisecond)
			g := TakeBoth(scan, host, now)
			g.Cancel(now)
			scan.Take(now)
			older, _ := host.Take(now), host.Take(now)
			older.Cancel(now)
			host.Take(now)
			host.NextAdmit(now)
			host.Idle(now)
		}
		for range 1000 {
			round() // until the memory of moments and of freed slots is as long as it gets
		}
		if n := testing.AllocsPerRun(1000, round); n != 0 {
			t.Errorf("%v: %v allocations a round", r.Mode, n)
		}
	}
}
