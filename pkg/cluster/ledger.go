package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
)

// A batch that is handed out again may have been run in part. Who has it then asks the coordinator which of its items have ended,
// and runs the others. What the coordinator does not know of yet is run again, and dropped when it is told a second time.
const (
	ledgerWait  = 2 * time.Second // for an answer; without one the batch is run as it came
	maxAskers   = 64              // questions that wait; others are not answered
	maxQuestion = 512 << 10
	leftBytes   = 48 // of one target in an answer, at most, besides its single items
	itemBytes   = 8
)

// question asks what is left of a batch.
type question struct {
	Worker  string  `json:"worker"`
	Batch   string  `json:"batch"`
	Targets []int64 `json:"targets"` // by their indexes, ascending
}

// answer tells it, of the first targets of a question: as many as there is room for.
type answer struct {
	Batch string       `json:"batch"`
	Back  bool         `json:"back,omitempty"` // it has come back: all of it has ended, or is parked
	Left  []targetLeft `json:"left,omitempty"`
}

// targetLeft is what has not ended of a target: all items from From on, and those in Again, which come before.
type targetLeft struct {
	From  int   `json:"from"`
	Again []int `json:"again,omitempty"` // ascending
}

func (q *question) check() error {
	switch {
	case !validID(q.Worker) || !validID(q.Batch):
		return fmt.Errorf("worker %.40q and batch %.40q, expected 1 to 64 letters, digits, dots and dashes", q.Worker, q.Batch)
	case len(q.Targets) > MaxBatchTargets:
		return fmt.Errorf("%d targets, expected at most %d", len(q.Targets), MaxBatchTargets)
	}
	for i, t := range q.Targets {
		if t < 0 || t >= maxTarget || i > 0 && t <= q.Targets[i-1] {
			return fmt.Errorf("target %d, expected ascending ones from 0 to %d", t, int64(maxTarget)-1)
		}
	}
	return nil
}

// check refuses what does not answer q.
func (a *answer) check(q *question, items int) error {
	if a.Batch != q.Batch || len(a.Left) > len(q.Targets) {
		return fmt.Errorf("of %d targets of batch %.40q, expected at most %d of %s", len(a.Left), a.Batch, len(q.Targets), q.Batch)
	}
	for i, l := range a.Left {
		if l.From < 0 || l.From > items || len(l.Again) > l.From {
			return fmt.Errorf("target %d: items from %d and %d before, expected 0 to %d", i, l.From, len(l.Again), items)
		}
		for j, item := range l.Again {
			if item < 0 || item >= l.From || j > 0 && item <= l.Again[j-1] {
				return fmt.Errorf("target %d: single item %d, expected ascending ones from 0 to %d", i, item, l.From-1)
			}
		}
	}
	return nil
}

// hearQuestions passes on what workers ask of the ledger until the function that it returns is called.
func (c *Coordinator) hearQuestions() (<-chan *nats.Msg, func(), error) {
	asked := make(chan *nats.Msg, maxAskers)
	sub, err := c.conn.nc.ChanSubscribe(c.names.ledgerSubject(), asked)
	if err != nil {
		return nil, nil, fmt.Errorf("listen on %s: %w", c.names.ledgerSubject(), err)
	}
	return asked, func() { _ = sub.Unsubscribe() }, nil
}

// tell answers a question by what has ended so far.
func (r *course) tell(m *nats.Msg) {
	var q question
	if err := decode(m.Data, maxQuestion, &q, q.check); err != nil {
		r.c.cfg.Refused.note("ledger", m.Subject, err)
		return
	}
	if m.Reply == "" {
		return
	}
	_, out := r.out[q.Batch]
	a := answer{Batch: q.Batch, Back: !out}
	size := maxHeader
	for _, t := range q.Targets {
		if !out {
			break
		}
		var l targetLeft
		l.From, l.Again = r.accounts.Left(t)
		if size += leftBytes + itemBytes*len(l.Again); size > maxMessage {
			break
		}
		a.Left = append(a.Left, l)
	}
	_ = m.Respond(mustEncode(a)) // who hears nothing runs all of it
}

// ask asks the coordinator what is left of a batch.
func (s *shift) ask(ctx context.Context, q *question) (answer, error) {
	ctx, stop := context.WithTimeout(ctx, ledgerWait)
	defer stop()
	var a answer
	m, err := s.conn.nc.RequestWithContext(ctx, s.names.ledgerSubject(), mustEncode(q))
	if err != nil {
		return a, err
	}
	err = decode(m.Data, maxMessage, &a, func() error { return a.check(q, s.spec.Items) })
	if err != nil {
		s.w.cfg.Refused.note("ledger", s.names.ledgerSubject(), err)
		return answer{}, err
	}
	return a, nil
}

// spare takes out of a batch that somebody had before what has ended of it, as far as the coordinator knows and tells.
func (h *held) spare(ctx context.Context) {
	q := question{Worker: h.shift.w.cfg.Name, Batch: h.batch.ID}
	for i := range h.batch.Targets {
		q.Targets = append(q.Targets, h.batch.Targets[i].Index)
	}
	slices.Sort(q.Targets)
	a, err := h.shift.ask(ctx, &q)
	if err != nil {
		h.shift.w.cfg.Log("batch %s came again and is run from its start: what has ended of it is not known: %v", h.batch.ID, err)
		return
	}
	left := make(map[int64]targetLeft, len(a.Left))
	for i, l := range a.Left {
		left[q.Targets[i]] = l
	}
	var rest []Target
	for _, t := range h.batch.Targets {
		if l, told := left[t.Index]; told {
			t = t.meet(l)
		}
		if !a.Back && (t.From < h.shift.spec.Items || len(t.Again) > 0) {
			rest = append(rest, t)
		}
	}
	h.narrow(rest)
}

// meet gives what of a target's items is in l, too.
func (t Target) meet(l targetLeft) Target {
	if l.From > t.From {
		return Target{Index: t.Index, Key: t.Key, Line: t.Line, From: l.From, Again: both(l.Again, targetLeft{t.From, t.Again})}
	}
	t.Again = both(t.Again, l)
	return t
}

// both gives the items that are in l, too.
func both(items []int, l targetLeft) []int {
	var all []int
	for _, i := range items {
		_, single := slices.BinarySearch(l.Again, i)
		if i >= l.From || single {
			all = append(all, i)
		}
	}
	return all
}
