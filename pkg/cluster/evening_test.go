package cluster

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/redialscan/redial/pkg/report"
)

func workersWith(batches ...int) (all []WorkerStatus) {
	for i, n := range batches {
		all = append(all, WorkerStatus{Name: string(rune('a' + i)), Scan: "s1", Slots: 16, Batches: make([]BatchStatus, n)})
	}
	return all
}

func TestWhoHasTooMuchGives(t *testing.T) {
	for _, tt := range []struct {
		name string
		all  []WorkerStatus
		out  int
		want []give
	}{
		{"nobody", nil, 0, nil},
		{"one alone", workersWith(8), 8, nil},
		{"one of two", workersWith(8, 0), 8, []give{{"a", 4}}},
		{"one of three", workersWith(8, 0, 0), 8, []give{{"a", 5}}},
		{"two of three", workersWith(3, 2, 0), 5, []give{{"a", 1}}},
		{"one batch", workersWith(1, 0), 1, nil},
		{"more workers than batches", workersWith(2, 0, 0), 2, []give{{"a", 1}}},
		{"all have some", workersWith(7, 1), 8, nil},
		{"some wait to be taken", workersWith(8, 0), 9, nil},
		{"with another scan", append(workersWith(8), WorkerStatus{Name: "b", Scan: "s2", Slots: 16}), 8, nil},
		{"with one that cannot run any", append(workersWith(8), WorkerStatus{Name: "b", Scan: "s1", Slots: 16, Failing: true}), 8, nil},
		{"with one slot", append(workersWith(8), WorkerStatus{Name: "b", Scan: "s1", Slots: 1}), 8, []give{{"a", 1}}},
	} {
		if got := gives("s1", tt.all, tt.out); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Nobody gives so much that it has less than its share, and those without get no more than they can take.
func TestGivesAreFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.IntRange(0, 20), 1, 10).Draw(t, "batches")
		all, held, room := workersWith(counts...), 0, 0
		for i := range all {
			all[i].Slots = rapid.IntRange(1, 16).Draw(t, "slots")
			held += counts[i]
			if counts[i] == 0 {
				room += all[i].Slots
			}
		}
		for _, g := range gives("s1", all, held) {
			i := int(g.Worker[0] - 'a')
			room -= g.Batches
			if left := counts[i] - g.Batches; g.Batches < 1 || left*len(all) < held {
				t.Fatalf("worker %d of %v gives %d and keeps %d", i, counts, g.Batches, left)
			}
		}
		if room < 0 {
			t.Fatalf("%v: %d more than the others have slots for", counts, -room)
		}
	})
}

// A worker that joins when the first one has all batches gets some of them, each with what was left of it.
func TestAWorkerThatJoinsLateGetsItsShare(t *testing.T) {
	const targets, items = 40, 3
	g := newGroup(t, listOf(targets, 20), items)
	began, late := make(chan struct{}, 100), make(chan struct{})
	var handedBack atomic.Int64
	g.join("first", &runner{run: func(ctx context.Context, r Run) (Outcome, error) {
		began <- struct{}{}
		sent := int64(0)
		all(&r.Batch, 1, func(t *Target, item int) {
			r.Emit(&report.Result{Target: t.Index, Index: item, Host: t.Key, Attempts: 1})
			sent++
		})
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), ErrHandBack) {
				handedBack.Add(1)
			}
			for _, t := range r.Batch.Targets {
				r.Emit(&report.Skipped{Target: t.Index, Host: t.Key, Reason: "interrupted", From: max(1, t.From), To: items})
			}
		case <-late: // others are there: go on
			all(&r.Batch, items, func(t *Target, item int) {
				r.Emit(&report.Result{Target: t.Index, Index: item, Host: t.Key, Attempts: 1})
				sent++
			})
		}
		return Outcome{Sent: sent}, nil
	}}, func(c *WorkerConfig) { c.Slots = 8 })
	served := g.serving(within(t))
	for range g.spec.Partitions {
		await(t, began)
	}
	second := answering(items)
	run, once := second.run, sync.Once{}
	second.run = func(ctx context.Context, r Run) (Outcome, error) {
		once.Do(func() { close(late) })
		for _, target := range r.Batch.Targets {
			if target.From != 1 || r.Batch.Failures > 0 {
				t.Errorf("target %d comes from item %d after %d failures, want 1 and none", target.Index, target.From, r.Batch.Failures)
			}
		}
		return run(ctx, r)
	}
	g.join("second", second)
	if err := await(t, served); err != nil {
		t.Fatal(err)
	}
	g.book.wantOnce(t, targets, items)
	if handedBack.Load() == 0 {
		t.Error("the first worker handed nothing back")
	}
}
