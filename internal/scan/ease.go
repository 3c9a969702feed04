package scan

import "time"

const (
	easeStep    = time.Second     // the least time between two cuts, and between two rises
	easeCalm    = 5 * time.Second // so long after the last sign of strain the load may rise again
	easeFloor   = 4               // what is left of a limit in any case, in items
	easeShare   = 4               // a cut takes one part in so many
	easeReturns = 20              // a rise gives back one part in so many of the whole
)

// ease says how much of the concurrency this process may use: less after each second in which it was not up to it, and a
// little more for each second of calm. It is pure: all moments are given. Its zero value is full load.
type ease struct {
	cuts     int // each takes a quarter of what is left; a rise takes one back in steps
	share    float64
	lastCut  time.Time
	lastRise time.Time
}

// strain notes that something failed because of too much load, and says whether the load is lowered by that.
func (e *ease) strain(now time.Time) bool {
	if e.cuts > 0 && now.Sub(e.lastCut) < easeStep {
		return false
	}
	if e.cuts == 0 {
		e.share = 1
	}
	e.cuts++
	e.share -= e.share / easeShare
	e.lastCut, e.lastRise = now, now
	return true
}

// calm says whether the load may rise by now, and raises it.
func (e *ease) calm(now time.Time) bool {
	if e.cuts == 0 || now.Sub(e.lastCut) < easeCalm || now.Sub(e.lastRise) < easeStep {
		return false
	}
	e.lastRise = now
	if e.share += 1.0 / easeReturns; e.share >= 1 {
		*e = ease{}
	}
	return true
}

// of is what is left of a limit.
func (e *ease) of(limit int) int {
	if e.cuts == 0 {
		return limit
	}
	return min(limit, max(easeFloor, int(float64(limit)*e.share)))
}
