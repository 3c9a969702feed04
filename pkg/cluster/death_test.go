package cluster

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redialscan/redial/pkg/report"
)

// hanging tells of the first item of each batch and then does nothing until its context ends.
type hanging struct {
	runner
	cured atomic.Bool // it answers all from now on
	began chan *Run   // a batch that hangs
	ended chan error  // why it does not any more
}

func hang(items int) *hanging {
	h := &hanging{began: make(chan *Run, 100), ended: make(chan error, 100)}
	h.run = func(ctx context.Context, r Run) (Outcome, error) {
		if h.cured.Load() {
			return answering(items).run(ctx, r)
		}
		t := &r.Batch.Targets[0]
		r.Emit(&report.Result{Target: t.Index, Index: t.From, Host: t.Key, Attempts: 1})
		h.began <- &r
		<-ctx.Done()
		h.ended <- context.Cause(ctx)
		r.Emit(&report.Result{Target: t.Index, Index: t.From + 1, Host: t.Key, Attempts: 1})
		return Outcome{Sent: 1_000_000}, nil
	}
	return h
}

// await takes one from a channel.
func await[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-within(t).Done():
		t.Fatal("it does not come")
		panic("unreachable")
	}
}

// A short wait for acknowledgements: on a slow machine leases are lost for no reason, which must change nothing.
func hasty(g *group) { g.cfg.Spec.AckWait = report.Duration(2 * time.Second) }

func TestAWorkerThatDiesInMidBatchLosesNothing(t *testing.T) {
	const targets, items = 60, 3
	g := newGroup(t, listOf(targets, 10), items)
	hasty(g)
	h := hang(items)
	conn := dial(t, g.server, Access{Name: "victim"})
	died := make(chan error, 1)
	go func() {
		died <- Join(context.Background(), WorkerConfig{
			Conn: conn, Name: "victim", Version: "v1", Slots: 4,
			NewRunner: func(context.Context, Spec, string) (Runner, error) { return h, nil },
		})
	}()
	served := g.serving(within(t))
	await(t, h.began)
	conn.Close() // nothing comes from it any more, and nothing gets to it
	g.join("heir", answering(items))
	if err := await(t, served); err != nil {
		t.Fatal(err)
	}
	g.book.wantOnce(t, targets, items)
	if cause := await(t, h.ended); !errors.Is(cause, ErrLeaseLost) {
		t.Errorf("its batch ended by %v, want ErrLeaseLost", cause)
	}
	if err := await(t, died); err == nil {
		t.Error("it does not say that its connection is gone")
	}
}

func TestAWorkerThatLostItsLeaseTellsOfNoEnd(t *testing.T) {
	const targets, items = 12, 2
	g := newGroup(t, listOf(targets, 4), items)
	hasty(g)
	g.cfg.Spec.Partitions = 1
	h := hang(items)
	g.join("slow", h, func(c *WorkerConfig) { c.Slots = 1 })
	var sent atomic.Int64
	served := make(chan error, 1)
	go func() {
		ending, err := g.serve(within(t))
		sent.Store(ending.Sent)
		served <- err
	}()
	await(t, h.began)
	// Nobody confirms its lease any more, as when it stood still for too long; it is connected all the same.
	n := names{"s1"}
	if err := g.cfg.Conn.js.DeleteConsumer(t.Context(), n.work(), n.consumer(0)); err != nil {
		t.Fatal(err)
	}
	if cause := await(t, h.ended); !errors.Is(cause, ErrLeaseLost) {
		t.Fatalf("its batch ended by %v, want ErrLeaseLost", cause)
	}
	g.join("heir", answering(items), func(c *WorkerConfig) { c.Slots = 1 })
	h.cured.Store(true)
	spec := g.cfg.Spec
	spec.withDefaults()
	if _, err := g.cfg.Conn.prepare(t.Context(), &spec); err != nil {
		t.Fatal(err)
	}
	if err := await(t, served); err != nil {
		t.Fatal(err)
	}
	g.book.wantOnce(t, targets, items)
	if n := sent.Load(); n >= 1_000_000 {
		t.Errorf("%d requests were told of, want none by the worker that lost its lease", n)
	}
}

func TestABatchIsHandedBackByAWorkerThatLeaves(t *testing.T) {
	const targets, items = 60, 3
	g := newGroup(t, listOf(targets, 10), items)
	began, causes := make(chan struct{}, 100), make(chan error, 100)
	leave := g.join("first", &runner{run: func(ctx context.Context, r Run) (Outcome, error) {
		began <- struct{}{}
		<-ctx.Done()
		causes <- context.Cause(ctx)
		for _, target := range r.Batch.Targets {
			r.Emit(&report.Result{Target: target.Index, Host: target.Key, Attempts: 1})
			r.Emit(&report.Skipped{Target: target.Index, Host: target.Key, Reason: "interrupted", From: 1, To: items})
		}
		return Outcome{Sent: int64(len(r.Batch.Targets))}, nil
	}})
	served := g.serving(within(t))
	await(t, began)
	leave()
	if cause := await(t, causes); !errors.Is(cause, ErrHandBack) {
		t.Errorf("its batch ended by %v, want ErrHandBack", cause)
	}
	second := answering(items)
	run := second.run
	var again atomic.Int64
	second.run = func(ctx context.Context, r Run) (Outcome, error) {
		if r.Batch.Failures > 0 {
			t.Errorf("batch %s has %d failures after it was handed back", r.Batch.ID, r.Batch.Failures)
		}
		for _, target := range r.Batch.Targets {
			if target.From == 1 {
				again.Add(1)
			}
		}
		return run(ctx, r)
	}
	g.join("second", second)
	if err := await(t, served); err != nil {
		t.Fatal(err)
	}
	g.book.wantOnce(t, targets, items)
	if again.Load() == 0 {
		t.Error("nothing came back with what was left of it")
	}
}

func TestABatchThatWasHandedOutFiveTimesIsSkipped(t *testing.T) {
	const targets, items = 5, 2
	g := newGroup(t, listOf(targets, 5), items)
	g.cfg.Spec.Partitions = 1
	g.cfg.Spec.AckWait = report.Duration(minAck)
	served := g.serving(within(t))
	thief := g.thief()
	for n := range MaxDeliveries {
		if d := thief.steal(t); d.count != uint64(n+1) {
			t.Fatalf("delivery %d is counted as %d", n+1, d.count)
		}
	}
	g.join("last", &runner{run: func(context.Context, Run) (Outcome, error) {
		t.Error("it was run once more")
		return Outcome{}, nil
	}})
	if err := await(t, served); err != nil {
		t.Fatal(err)
	}
	g.book.wantOnce(t, targets, items)
	if n := g.book.skipped["undeliverable"]; n != targets*items {
		t.Errorf("%d items are undeliverable, want %d: %v", n, targets*items, g.book.skipped)
	}
}
