package cluster

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/redialscan/redial/pkg/report"
)

// ward is a made-up breaker: its hosts are quarantined in their first run, and some never come back.
type ward struct {
	t     *testing.T
	items int

	mu    sync.Mutex
	known map[string][]Host // what each run of a host was told, in order
}

const goner = "h1.example:80"

func (w *ward) run(_ context.Context, r Run) (Outcome, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	told := make(map[string]Host)
	for _, h := range r.Batch.Hosts {
		told[h.Key] = h
	}
	var out Outcome
	seen := make(map[string]bool)
	for _, target := range r.Batch.Targets {
		h, before := told[target.Key]
		if !seen[target.Key] {
			seen[target.Key] = true
			w.known[target.Key] = append(w.known[target.Key], h)
			if !before || target.Key == goner {
				state := Host{Key: target.Key, State: "open", Trips: h.Trips + 1, Seq: h.Seq + 1, LastError: "refused"}
				state.Left = report.Duration(10 * time.Millisecond)
				if target.Key == goner && h.Trips > 0 {
					state.Left = report.Duration(time.Hour)
				}
				out.Hosts = append(out.Hosts, state)
			}
		}
		if !before || target.Key == goner {
			if target.From == 0 { // one item is done before it goes
				r.Emit(&report.Result{Target: target.Index, Host: target.Key, Attempts: 1})
			}
			r.Emit(&report.Skipped{
				Target: target.Index, Host: target.Key, Reason: "quarantined", From: max(1, target.From), To: w.items, Again: target.Again,
			})
			continue
		}
		if target.From != 1 || len(target.Again) != 0 {
			w.t.Errorf("target %d comes back from %d and %v, want from 1", target.Index, target.From, target.Again)
		}
		all(&Batch{Targets: []Target{target}}, w.items, func(target *Target, item int) {
			r.Emit(&report.Result{Target: target.Index, Index: item, Host: target.Key, Attempts: 1})
		})
	}
	return out, nil
}

func TestWhatIsLeftComesBackWithTheStatesOfItsHosts(t *testing.T) {
	const targets, hosts, items = 24, 8, 3
	g := newGroup(t, listOf(targets, hosts), items)
	g.cfg.Linger = 30 * time.Second
	w := &ward{t: t, items: items, known: make(map[string][]Host)}
	g.join("w1", &runner{run: w.run})
	g.join("w2", &runner{run: w.run})
	if _, err := g.serve(within(t)); err != nil {
		t.Fatal(err)
	}
	g.book.wantOnce(t, targets, items)
	for host, known := range w.known {
		if len(known) != 2 {
			t.Errorf("%s was in %d runs, want 2", host, len(known))
			continue
		}
		if h := known[1]; h.State != "open" || h.Trips != 1 || h.Seq != 1 || h.LastError != "refused" ||
			h.Left > report.Duration(10*time.Millisecond) {
			t.Errorf("%s came back as %+v, want as it was left", host, h)
		}
	}
	// The goner's next time is after the linger: it is not waited for.
	lost := targets / hosts * (items - 1)
	if n := g.book.skipped["quarantined"]; n != lost || len(g.book.skipped) != 1 {
		t.Errorf("skipped are %v, want %d quarantined", g.book.skipped, lost)
	}
	for _, e := range g.book.events {
		if s, ok := e.(*report.Skipped); ok && (s.Host != goner || s.State != "open" || s.Trips != 2 || s.LastError != "refused") {
			t.Errorf("skipped: %+v, want %s with its state", s, goner)
		}
	}
}

func TestWithoutRevisitsAQuarantineIsFinal(t *testing.T) {
	const targets, hosts, items = 24, 8, 3
	g := newGroup(t, listOf(targets, hosts), items)
	g.cfg.Spec.NoRevisit = true
	w := &ward{t: t, items: items, known: make(map[string][]Host)}
	g.join("w1", &runner{run: w.run})
	if _, err := g.serve(within(t)); err != nil {
		t.Fatal(err)
	}
	g.book.wantOnce(t, targets, items)
	if n := g.book.skipped["quarantined"]; n != targets*(items-1) {
		t.Errorf("%d items are quarantined, want %d", n, targets*(items-1))
	}
}

// A second batch of a host finds what the first one has learnt, though nothing was left of it.
func TestStatesGoWithThePartition(t *testing.T) {
	const items = 1
	input := &list{}
	for i := range MaxBatchTargets + 1 { // one more than a batch holds
		input.targets = append(input.targets, target(i, "h.example:80"))
	}
	g := newGroup(t, input, items)
	inner := answering(items)
	var mu sync.Mutex
	var known [][]Host
	r := &runner{run: func(ctx context.Context, r Run) (Outcome, error) {
		mu.Lock()
		known = append(known, r.Batch.Hosts)
		mu.Unlock()
		r.Emit(&report.Transition{Host: "h.example:80", From: "closed", To: "open", Seq: 1, Trips: 1})
		_, err := inner.run(ctx, r)
		return Outcome{Hosts: []Host{{Key: "h.example:80", State: "closed", Errors: 2, Seq: 2}}}, err
	}}
	g.join("w1", r)
	g.join("w2", r)
	if _, err := g.serve(within(t)); err != nil {
		t.Fatal(err)
	}
	g.book.wantOnce(t, len(input.targets), items)
	if len(known) != 2 || len(known[0]) != 0 || len(known[1]) != 1 || known[1][0].Errors != 2 || known[1][0].State != "closed" {
		t.Errorf("the batches were told %+v, want nothing and then what the first has learnt", known)
	}
}

func TestABatchThatCannotBeRunGoesToAnother(t *testing.T) {
	const targets, items = 4, 2
	g := newGroup(t, listOf(targets, 4), items)
	g.cfg.Spec.Partitions = 1
	failed := make(chan struct{}, 100)
	g.join("broken", &runner{run: func(context.Context, Run) (Outcome, error) {
		failed <- struct{}{}
		return Outcome{}, errors.New("no legs")
	}})
	served := g.serving(within(t))
	await(t, failed)
	var failures int
	inner := answering(items)
	g.join("well", &runner{run: func(ctx context.Context, r Run) (Outcome, error) {
		failures = r.Batch.Failures
		return inner.run(ctx, r)
	}})
	if err := await(t, served); err != nil {
		t.Fatal(err)
	}
	g.book.wantOnce(t, targets, items)
	if failures < 1 {
		t.Errorf("the batch has %d failures, want those that it had", failures)
	}
}
