package page

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/redialscan/redial/pkg/report"
)

// However long a scan is, nothing that was counted is lost, and no more columns are kept than a chart has.
func TestCurveKeepsWhatItCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := curve{begin: noon}
		n := rapid.IntRange(1, 200).Draw(t, "items")
		var attempts, failed, answered int64
		for range n {
			when := at(float64(rapid.IntRange(-3, 1<<rapid.IntRange(1, 20).Draw(t, "scale")).Draw(t, "at")))
			a, f := rapid.IntRange(0, 4).Draw(t, "attempts"), rapid.Bool().Draw(t, "failed")
			c.add(when, a, f, time.Millisecond)
			attempts += int64(a)
			if f {
				failed++
			} else {
				answered++
			}
		}
		if len(c.slots) > maxSlots {
			t.Fatalf("%d columns, want %d at most", len(c.slots), maxSlots)
		}
		for _, s := range c.slots {
			attempts -= s.attempts
			failed -= s.failed
			if s.latency != nil {
				for _, n := range s.latency {
					answered -= int64(n)
				}
			}
		}
		if attempts != 0 || failed != 0 || answered != 0 {
			t.Fatalf("%d requests, %d failures, %d answers are lost", attempts, failed, answered)
		}
	})
}

func TestPercentileIsNearTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var counts [classes]uint32
		var all []time.Duration
		for range rapid.IntRange(1, 300).Draw(t, "n") {
			d := time.Duration(rapid.Int64Range(2_000, int64(time.Hour)).Draw(t, "took"))
			all = append(all, d)
			counts[class(d)]++
		}
		slices.Sort(all)
		for _, q := range []float64{0.5, 0.95, 0.99, 1} {
			want := all[max(0, int(math.Ceil(q*float64(len(all))))-1)]
			if got := percentile(&counts, q); math.Abs(float64(got)/float64(want)-1) > 0.06 {
				t.Fatalf("percentile %g is %s, want %s", q, got, want)
			}
		}
	})
	if percentile(nil, 0.5) != 0 || percentile(new([classes]uint32), 0.5) != 0 {
		t.Error("nothing has a percentile")
	}
}

// The counts by check are those that a list of items would give.
func TestCoverageAgreesWithAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const places = 12
		var c coverage
		var want [places]checkCount
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			i := rapid.IntRange(0, places-1).Draw(t, "index")
			switch rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				matched := rapid.Bool().Draw(t, "matched")
				c.add(&report.Result{Index: i, Matched: matched})
				want[i].done++
				if matched {
					want[i].findings++
				}
			case 1:
				c.add(&report.Result{Index: i, Failed: true, Error: "x"})
				want[i].failed++
			case 2:
				to := rapid.IntRange(i, places).Draw(t, "to")
				again := rapid.SliceOfN(rapid.IntRange(0, places-1), 0, 2).Draw(t, "again")
				c.add(&report.Skipped{From: i, To: to, Again: again})
				for j := i; j < to; j++ {
					want[j].skipped++
				}
				for _, j := range again {
					want[j].skipped++
				}
			}
		}
		c.settle()
		for i := range want {
			got := checkCount{}
			if i < len(c.checks) {
				got = c.checks[i]
			}
			if got != want[i] {
				t.Fatalf("check %d: %+v, want %+v", i, got, want[i])
			}
		}
	})
	var c coverage
	c.add(&report.Skipped{From: maxChecks - 2, To: maxChecks + 50})
	c.add(&report.Result{Index: maxChecks + 70})
	c.settle()
	if last := c.checks[maxChecks]; last.skipped != 50 || last.done != 1 || c.checks[maxChecks-1].skipped != 1 {
		t.Errorf("beyond what is counted one by one: %+v", last)
	}
}
