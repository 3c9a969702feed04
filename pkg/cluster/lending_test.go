package cluster

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/pkg/report"
)

// reciter is a handler that is slow now and then, and knows what comes next.
type reciter struct {
	t    *testing.T
	next int
}

func (*reciter) Start() error  { return nil }
func (*reciter) Finish() error { return nil }

func (h *reciter) Event(e report.Event) error {
	r, ok := e.(*report.Result)
	if !ok {
		return nil
	}
	if h.next%1000 == 0 {
		<-time.After(time.Second)
	}
	if r.Index != h.next {
		h.t.Errorf("result %d in place of %d: its memory was used again", r.Index, h.next)
	}
	h.next++
	return nil
}

// The memory of results goes round, and none is written over before it was handled.
func TestLentResultsAreHandledFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const results = 3*lentResults + 7
		h, a := &reciter{t: t}, newAcks(nil)
		r := course{acks: a}
		err := report.Run(t.Context(), report.NewMulti(nil, h, a), func(_ context.Context, put func(report.Event)) error {
			r.put = put
			for i := range results {
				if i%3 == 0 {
					r.emit(&report.Transition{Host: "h:80"}) // takes a turn, too
				}
				r.emit(r.lend(&report.Result{Index: i}))
			}
			if n := a.await(r.lent.emitted); n != r.lent.emitted {
				t.Errorf("%d events handled of %d", n, r.lent.emitted)
			}
			return nil
		}, nil)
		if err != nil || h.next != results {
			t.Errorf("%d results handled of %d, %v", h.next, results, err)
		}
	})
}

// A message is let go of when its last event was handled, and at once when that was before.
func TestMessagesAreLetGoOfInTurn(t *testing.T) {
	a := newAcks(nil)
	a.add(2, "a")
	a.add(2, "b") // tells nothing new
	a.add(3, "c")
	for _, want := range [][]string{{}, {"a", "b"}, {"a", "b", "early", "c"}} {
		if err := a.Event(&report.Result{}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.seen, want) {
			t.Errorf("%q after %d events, want %q", a.seen, a.handled, want)
		}
		if a.handled == 2 {
			a.add(1, "early")
		}
	}
}
