package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/redialscan/redial/pkg/report"
)

// Missing are the items of a scan that failed or were skipped. Make it with [LoadMissing]; afterwards it does not change, and
// is safe for concurrent use.
type Missing struct {
	plan
	marked map[int64]*items
	count  int64
	ended  bool
}

// KindFromSkipped is the kind of the input that such an events file is.
const KindFromSkipped = "from-skipped"

// LoadMissing reads from an events file what its scan did not do. onBad hears of lines that are left out, as with [Replay].
func LoadMissing(ctx context.Context, path string, onBad func(*report.LineError)) (*Missing, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is no file, expected the events file of a scan", path))
	}
	m := &Missing{marked: make(map[int64]*items)}
	err = Replay(ctx, f, passer{m.event, true}, onBad)
	return m, err
}

func (m *Missing) event(e report.Event) error {
	m.learn(e)
	switch e := e.(type) {
	case *report.Started:
		m.ended = false
		// What an earlier choice left out is in its place all the same.
		m.started.Inputs = slices.DeleteFunc(slices.Clone(m.started.Inputs), func(in report.Input) bool { return in.Kind == KindFromSkipped })
	case *report.Result:
		if e.Failed {
			m.mark(e.Target, e.Index, e.Index+1)
		}
	case *report.Skipped:
		m.mark(e.Target, e.From, e.To)
		for _, i := range e.Again {
			m.mark(e.Target, i, i+1)
		}
	case *report.Summary:
		m.ended = e.Interrupted == ""
	}
	return nil
}

func (m *Missing) mark(target int64, from, to int) {
	if from >= to {
		return
	}
	s := m.marked[target]
	if s == nil {
		s = &items{}
		m.marked[target] = s
	}
	for i := from; i < to; i++ {
		if s.add(i) {
			m.count++
		}
	}
}

// Count is the number of items.
func (m *Missing) Count() int64 { return m.count }

// Targets is the number of targets that have any.
func (m *Missing) Targets() int { return len(m.marked) }

// Ended says that the scan came to its end, so that these are all that it has not done.
func (m *Missing) Ended() bool { return m.ended }

// Left says which items of a target are among them, as [Progress.Left] does.
func (m *Missing) Left(target int64, all int) (from int, again []int) {
	s := m.marked[target]
	if s == nil {
		return all, nil
	}
	return s.marked(all)
}

// Both gives what is left of a target by two accounts.
func Both(target int64, all int, a, b interface{ Left(int64, int) (int, []int) }) (from int, again []int) {
	var s items
	fromA, againA := a.Left(target, all)
	fromB, againB := b.Left(target, all)
	seen := make([]uint8, all)
	for _, account := range []struct {
		from  int
		again []int
	}{{fromA, againA}, {fromB, againB}} {
		for i := account.from; i < all; i++ {
			seen[i]++
		}
		for _, i := range account.again {
			seen[i]++
		}
	}
	for i, n := range seen {
		if n == 2 {
			s.add(i)
		}
	}
	return s.marked(all)
}
