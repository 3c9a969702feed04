package page

import (
	"cmp"
	"maps"
	"slices"

	"github.com/redialscan/redial/pkg/report"
)

const (
	maxChecks = 20_000 // places of the plan that are counted one by one
	maxErrors = 1000   // different texts of errors that are counted
)

// coverage is what became of the items, by place in the plan.
type coverage struct {
	checks  []checkCount
	skips   []int64 // at i: how many more targets have item i skipped than item i-1
	rest    int64   // skipped behind maxChecks
	errors  map[string]int64
	unnamed int64 // failures whose text found no room
}

type checkCount struct{ done, failed, skipped, findings int64 }

func (c *coverage) add(e report.Event) {
	switch e := e.(type) {
	case *report.Result:
		n := c.at(e.Index)
		switch {
		case e.Failed:
			n.failed++
			c.fail(e.Error)
		default:
			n.done++
			n.findings += int64(e.Findings())
		}
	case *report.Skipped:
		c.skip(e.From, e.To)
		for _, i := range e.Again {
			c.skip(i, i+1)
		}
	}
}

// at gives the count of a place; those behind the last one that is kept share one.
func (c *coverage) at(i int) *checkCount {
	i = min(i, maxChecks)
	for len(c.checks) <= i {
		c.checks = append(c.checks, checkCount{})
	}
	return &c.checks[i]
}

// skip counts a range in two steps, however long it is.
func (c *coverage) skip(from, to int) {
	if to > maxChecks {
		c.rest += int64(to - max(from, maxChecks))
		to = maxChecks
	}
	if from >= to {
		return
	}
	for len(c.skips) <= to {
		c.skips = append(c.skips, 0)
	}
	c.skips[from]++
	c.skips[to]--
}

func (c *coverage) fail(text string) {
	if c.errors == nil {
		c.errors = make(map[string]int64)
	}
	if _, ok := c.errors[text]; !ok && len(c.errors) >= maxErrors {
		c.unnamed++
		return
	}
	c.errors[text]++
}

// settle turns the steps into counts.
func (c *coverage) settle() {
	var n int64
	for i, step := range c.skips {
		n += step
		if n > 0 {
			c.at(i).skipped = n
		}
	}
	if c.rest > 0 {
		c.at(maxChecks).skipped = c.rest
	}
}

// countRow is a number with its name.
type countRow struct {
	Name string
	N    int64
}

// failures are the texts of errors, the most frequent first, at most n of them.
func (c *coverage) failures(n int) []countRow {
	rows := largest(c.errors)
	rest := c.unnamed
	if len(rows) > n {
		for _, r := range rows[n:] {
			rest += r.N
		}
		rows = rows[:n]
	}
	if rest > 0 {
		rows = append(rows, countRow{"other errors", rest})
	}
	return rows
}

func largest(counts map[string]int64) []countRow {
	var rows []countRow
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		rows = append(rows, countRow{name, counts[name]})
	}
	slices.SortStableFunc(rows, func(a, b countRow) int { return cmp.Compare(b.N, a.N) })
	return rows
}
