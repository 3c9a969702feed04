package cluster

import (
	"fmt"
	"testing"

	"github.com/redialscan/redial/internal/packing"
	"github.com/redialscan/redial/pkg/report"
)

// thief takes batches by hand, and tells of them what a test wants.
type thief struct {
	g     *group
	shift *shift
}

func (g *group) thief() *thief {
	g.t.Helper()
	w, err := newWorker(WorkerConfig{Conn: dial(g.t, g.server, Access{Name: "thief"}), Name: "thief", Version: "v1"})
	if err != nil {
		g.t.Fatal(err)
	}
	spec := g.cfg.Spec
	spec.withDefaults()
	return &thief{g: g, shift: newShift(w, spec, nil)}
}

// steal waits for a batch of any partition.
func (th *thief) steal(t *testing.T) *delivery {
	t.Helper()
	for ctx := within(t); ; {
		for p := range th.shift.spec.Partitions {
			if d, _ := th.shift.fetch(ctx, p, fetchWait); d != nil {
				return d
			}
		}
		if ctx.Err() != nil {
			t.Fatal("no batch comes")
		}
	}
}

// batch reads what was stolen.
func (th *thief) batch(t *testing.T, d *delivery) Batch {
	t.Helper()
	b, err := decodeBatch(d.data, &th.shift.spec)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// tell publishes a chunk.
func (th *thief) tell(t *testing.T, c chunk, partition int, events ...report.Event) {
	t.Helper()
	var p packing.Packer
	for _, e := range events {
		if err := p.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	th.tellRaw(t, c, partition, p.Take())
}

func (th *thief) tellRaw(t *testing.T, c chunk, partition int, data []byte) {
	t.Helper()
	if c.Worker == "" {
		c.Worker = "thief"
	}
	c.Size = len(data)
	m, err := message(th.shift.names.eventsSubject(partition), []chunk{c}, data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := th.shift.conn.publish(t.Context(), m, NewScanID()); err != nil {
		t.Fatal(err)
	}
}

// resultsOf are results of all items of a batch.
func (th *thief) resultsOf(b *Batch) []report.Event {
	var events []report.Event
	all(b, th.shift.spec.Items, func(t *Target, item int) {
		events = append(events, &report.Result{Target: t.Index, Index: item, Host: t.Key, Attempts: 1})
	})
	return events
}

func TestWhatIsToldTwiceCountsOnce(t *testing.T) {
	const targets, items = 40, 3
	g := newGroup(t, listOf(targets, 10), items)
	served := make(chan error, 1)
	var ending Ending
	go func() {
		var err error
		ending, err = g.serve(within(t))
		served <- err
	}()
	th := g.thief()
	cutOff := 0 // results of runs without an end
	for done := 0; done < targets; {
		d := th.steal(t)
		b := th.batch(t, d)
		done += len(b.Targets)
		events := append(th.resultsOf(&b), &report.Transition{Host: b.Targets[0].Key, To: "open", Seq: 1})
		last := events[len(events)-2:] // when that was told of the last batch, the scan is over
		events = events[:len(events)-2]
		half := events[:len(events)/2]
		cutOff += len(half)
		th.tell(t, chunk{Batch: b.ID, Run: "one"}, b.Partition, half...)   // by a worker that was cut off
		th.tell(t, chunk{Batch: b.ID, Run: "one"}, b.Partition, half...)   // which the server stored twice
		th.tell(t, chunk{Batch: b.ID, Run: "two"}, b.Partition, events...) // and another worker did again
		th.tell(t, chunk{Batch: b.ID, Run: "two"}, b.Partition, events...) // also twice
		skip := &report.Skipped{Target: b.Targets[0].Index, Reason: "dead", To: items - 1, Again: []int{0, 0}}
		th.tell(t, chunk{Batch: b.ID, Run: "three"}, b.Partition, skip) // or sees in another way
		th.tell(t, chunk{Batch: b.ID, Run: "two", Seq: 1, End: &end{Sent: int64(len(b.Targets))}}, b.Partition, last...)
		if done < targets {
			th.tell(t, chunk{Batch: b.ID, Run: "two", Seq: 2, End: &end{Sent: 1_000_000}}, b.Partition)
		}
	}
	if err := await(t, served); err != nil {
		t.Fatal(err)
	}
	g.book.wantOnce(t, targets, items)
	if want := int64(targets + cutOff); ending.Sent != want || len(g.book.skipped) != 0 {
		t.Errorf("%d requests and skips %v, want %d and none", ending.Sent, g.book.skipped, want)
	}
	transitions := make(map[string]int)
	for _, e := range g.book.events {
		if tr, ok := e.(*report.Transition); ok {
			transitions[fmt.Sprint(tr.Host, tr.Seq)]++
		}
	}
	for host, n := range transitions {
		if n != 1 {
			t.Errorf("transition %s was told %d times", host, n)
		}
	}
}
