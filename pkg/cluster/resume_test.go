package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/redialscan/redial/pkg/journal"
	"github.com/redialscan/redial/pkg/report"
)

// eventsFile is a journal in a file, as the first of the handlers.
func (g *group) eventsFile(path string, items int) *os.File {
	g.t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { f.Close() })
	g.cfg.First = []report.Event{&report.Started{Format: report.FormatVersion, Version: "v1"}}
	for i := range items {
		g.cfg.First = append(g.cfg.First, &report.Check{Index: i, ID: "c"})
	}
	g.cfg.Handlers = []report.Handler{report.NewEventsFile(report.NewOutput(path, f, true)), g.book}
	return f
}

// takeUp loads what the events file says, and makes everything new but the server.
func (g *group) takeUp(path string, input *list, items int) {
	g.t.Helper()
	p, err := journal.Load(g.t.Context(), path, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	if err := p.Trim(); err != nil {
		g.t.Fatal(err)
	}
	g.book = newBook()
	g.eventsFile(path, items)
	g.cfg.First = nil
	g.cfg.Conn = dial(g.t, g.server, Access{Name: "coordinator"})
	g.cfg.Targets, g.cfg.Earlier = input, p
}

// wantOnceInFile fails unless the events file tells of each item once.
func wantOnceInFile(t *testing.T, path string, targets, items int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := newBook()
	if err := journal.Replay(t.Context(), f, b, func(bad *report.LineError) { t.Error(bad) }); err != nil {
		t.Fatal(err)
	}
	b.wantOnce(t, targets, items)
}

// halfway answers so many items, tells of it, and then skips all as interrupted when its context ends.
func halfway(items int, answers int64) (r *runner, there chan struct{}) {
	there = make(chan struct{}, 1000)
	var n atomic.Int64
	return &runner{run: func(ctx context.Context, r Run) (Outcome, error) {
		all(&r.Batch, items, func(t *Target, item int) {
			if n.Add(1) <= answers {
				r.Emit(&report.Result{Target: t.Index, Index: item, Host: t.Key, Attempts: 1})
				return
			}
			there <- struct{}{}
			<-ctx.Done()
			r.Emit(&report.Skipped{Target: t.Index, Host: t.Key, Reason: "interrupted", From: item, To: item + 1})
		})
		return Outcome{}, nil
	}}, there
}

func TestAStoppedScanGoesOnFromItsEventsFile(t *testing.T) {
	const targets, items, answers = 60, 3, 50
	g := newGroup(t, listOf(targets, 10), items)
	path := filepath.Join(t.TempDir(), "scan.events")
	g.eventsFile(path, items)
	r, there := halfway(items, answers)
	leave := g.join("w1", r)
	ctx, stop := context.WithCancel(within(t))
	served := g.serving(ctx)
	await(t, there)
	stop()
	if err := await(t, served); !errors.Is(err, ErrStopped) {
		t.Fatalf("got %v, want ErrStopped", err)
	}
	leave()
	g.book.wantOnce(t, targets, items)
	if n := g.book.skipped["interrupted"]; n != targets*items-answers {
		t.Errorf("%d items were interrupted, want %d", n, targets*items-answers)
	}
	if _, err := g.cfg.Conn.js.Stream(within(t), names{"s1"}.work()); !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Error("its streams are still there")
	}

	g.takeUp(path, listOf(targets, 10), items)
	g.join("w2", answering(items))
	ending, err := g.serve(within(t))
	if err != nil {
		t.Fatal(err)
	}
	wantOnceInFile(t, path, targets, items)
	if len(g.book.results) != targets*items-answers || ending.Items != targets*items {
		t.Errorf("%d items of %d were told in the second part, want %d of %d",
			len(g.book.results), ending.Items, targets*items-answers, targets*items)
	}
}

// A coordinator that dies leaves its streams, and workers that go on: nothing is lost, and nothing told twice.
func TestACoordinatorThatDiesIsTakenUp(t *testing.T) {
	const targets, items = 200, 3
	g := newGroup(t, listOf(targets, 40), items)
	path := filepath.Join(t.TempDir(), "scan.events")
	g.eventsFile(path, items)
	inner := answering(items)
	gate, waiting := make(chan struct{}), make(chan struct{}, 1000)
	var batches atomic.Int64
	g.join("w1", &runner{run: func(ctx context.Context, r Run) (Outcome, error) {
		if batches.Add(1) > 2 { // the others come back when the coordinator is dead
			waiting <- struct{}{}
			<-gate
		}
		return inner.run(ctx, r)
	}})
	ctx, stop := context.WithCancel(within(t))
	served := g.serving(ctx)
	await(t, waiting)
	await(t, g.book.more)
	g.cfg.Conn.Close() // it can neither say nor hear anything any more
	stop()
	if err := await(t, served); err == nil {
		t.Fatal("it served without a server")
	}
	close(gate)

	g.takeUp(path, listOf(targets, 40), items)
	g.join("w2", answering(items))
	if _, err := g.serve(within(t)); err != nil {
		t.Fatal(err)
	}
	wantOnceInFile(t, path, targets, items)
}

func TestTargetsThatAreInAStreamAreNotGivenOutAgain(t *testing.T) {
	const targets, items = 30, 2
	g := newGroup(t, listOf(targets, 6), items)
	path := filepath.Join(t.TempDir(), "scan.events")
	g.eventsFile(path, items)
	ctx, stop := context.WithCancel(within(t))
	served := g.serving(ctx)
	th := g.thief()
	d := th.steal(t) // so that something is there
	g.cfg.Conn.Close()
	stop()
	if err := await(t, served); err == nil {
		t.Fatal("it served without a server")
	}
	b := th.batch(t, d)
	th.tell(t, chunk{Batch: b.ID, Run: "one", End: &end{}}, b.Partition, th.resultsOf(&b)...)
	if err := d.done(within(t)); err != nil {
		t.Fatal(err)
	}

	g.takeUp(path, listOf(targets, 6), items)
	counts := make(chan [2]int64, 1000)
	inner := answering(items)
	g.join("w2", &runner{run: func(ctx context.Context, r Run) (Outcome, error) {
		all(&r.Batch, items, func(t *Target, item int) { counts <- [2]int64{t.Index, int64(item)} })
		return inner.run(ctx, r)
	}})
	if _, err := g.serve(within(t)); err != nil {
		t.Fatal(err)
	}
	wantOnceInFile(t, path, targets, items)
	close(counts)
	ran := make(map[[2]int64]int)
	for c := range counts {
		ran[c]++
	}
	all(&b, items, func(target *Target, item int) { ran[[2]int64{target.Index, int64(item)}]++ }) // by the thief
	for target := range targets {
		for item := range items {
			if n := ran[[2]int64{int64(target), int64(item)}]; n != 1 {
				t.Errorf("item %d of target %d was run %d times, want once", item, target, n)
			}
		}
	}
}
