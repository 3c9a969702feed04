package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"pgregory.net/rapid"

	"github.com/redialscan/redial/pkg/report"
)

// asked notes which items its batches have, and ends them.
type asked struct {
	runner
	mu    sync.Mutex
	items map[[2]int64]int
}

func asking(items int) *asked {
	a := &asked{items: make(map[[2]int64]int)}
	a.run = func(ctx context.Context, r Run) (Outcome, error) {
		a.mu.Lock()
		all(&r.Batch, items, func(t *Target, item int) { a.items[[2]int64{t.Index, int64(item)}]++ })
		a.mu.Unlock()
		return answering(items).run(ctx, r)
	}
	return a
}

func TestWhatADeadWorkerHasToldOfIsNotSentAgain(t *testing.T) {
	const targets, items = 30, 4
	g := newGroup(t, listOf(targets, 6), items)
	g.cfg.Spec.Partitions = 1
	served := g.serving(within(t))
	th := g.thief()
	d := th.steal(t)
	b := th.batch(t, d)
	told := make(map[[2]int64]bool)
	var events []report.Event
	for i, tg := range b.Targets { // all of some targets, parts of others in whatever order, nothing of the last
		for item := range items {
			if i%3 == 0 || i%3 == 1 && item != 1 && i != len(b.Targets)-1 {
				told[[2]int64{tg.Index, int64(item)}] = true
				events = append(events, &report.Result{Target: tg.Index, Index: item, Host: tg.Key, Attempts: 1})
			}
		}
	}
	th.tell(t, chunk{Batch: b.ID, Run: "one"}, b.Partition, events...)
	g.book.await(t, len(told))
	if err := d.say(within(t), "-NAK"); err != nil {
		t.Fatal(err)
	}
	heir := asking(items)
	g.join("heir", heir)
	if err := await(t, served); err != nil {
		t.Fatal(err)
	}
	g.book.wantOnce(t, targets, items)
	for item, n := range heir.items {
		if n != 1 || told[item] {
			t.Errorf("item %d of target %d was run %d times by the next worker, though told of before: %v", item[1], item[0], n, told[item])
		}
	}
	if want := targets*items - len(told); len(heir.items) != want {
		t.Errorf("%d items were run by the next worker, want %d", len(heir.items), want)
	}
}

func TestABatchThatHasComeBackIsNotRunAgain(t *testing.T) {
	const targets, items = 40, 2
	g := newGroup(t, listOf(targets, 10), items)
	served := g.serving(within(t))
	th := g.thief()
	d := th.steal(t)
	b := th.batch(t, d)
	// It parks all but one item and ends; only the word that it lets go of the batch is lost.
	h := th.shift.hold(d, b)
	rest := slices.Clone(b.Targets)
	rest[0].From = 1
	e, err := h.putAside(within(t), rest, nil, parked{})
	if err != nil {
		t.Fatal(err)
	}
	th.tell(t, chunk{Batch: b.ID, Run: "one", End: &e}, b.Partition, &report.Result{Target: b.Targets[0].Index, Host: b.Targets[0].Key, Attempts: 1})
	g.book.await(t, 1)
	if err := d.say(within(t), "-NAK"); err != nil {
		t.Fatal(err)
	}
	heir := asking(items)
	g.join("heir", heir)
	if err := await(t, served); err != nil {
		t.Fatal(err)
	}
	g.book.wantOnce(t, targets, items)
	for item, n := range heir.items {
		if n != 1 {
			t.Errorf("item %d of target %d was run %d times", item[1], item[0], n)
		}
	}
}

// await waits until so many items have ended.
func (b *book) await(t *testing.T, n int) {
	t.Helper()
	for ctx := within(t); ; {
		b.mu.Lock()
		have := len(b.results)
		b.mu.Unlock()
		if have >= n {
			return
		}
		select {
		case <-b.more:
		case <-ctx.Done():
			t.Fatalf("%d items have ended, want %d", have, n)
		}
	}
}

func TestAnswersThatMakeNoSenseChangeNothing(t *testing.T) {
	const items = 5
	g := newGroup(t, listOf(1, 1), items)
	th := g.thief()
	refused := watched(t)
	th.shift.w.cfg.Refused = refused.Refusals
	q := &question{Worker: "w", Batch: "b1", Targets: []int64{3, 8}}
	if _, err := th.shift.ask(within(t), q); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("nobody answers: got %v, want ErrNoResponders", err)
	}
	replies := make(chan string, 1)
	sub, err := g.cfg.Conn.nc.Subscribe(th.shift.names.ledgerSubject(), func(m *nats.Msg) { _ = m.Respond([]byte(<-replies)) })
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := g.cfg.Conn.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, reply := range []string{
		"", "{", "[]", `{"batch":"b1","left":[{"from":0}]}{}`, `{"batch":"b1","left":[{"from":0,"to":9}]}`,
		`{"batch":"b2"}`, `{"batch":""}`, `{"batch":"b1","left":[{"from":0},{"from":0},{"from":0}]}`,
		`{"batch":"b1","left":[{"from":-1}]}`, `{"batch":"b1","left":[{"from":6}]}`, `{"batch":"b1","left":[{"from":1e99}]}`,
		`{"batch":"b1","left":[{"from":2,"again":[2]}]}`, `{"batch":"b1","left":[{"from":3,"again":[1,1]}]}`,
		`{"batch":"b1","left":[{"from":3,"again":[2,1]}]}`, `{"batch":"b1","left":[{"from":3,"again":[-1]}]}`,
		`{"batch":"b1","left":[{"from":0,"again":[` + strings.Repeat("0,", 400_000) + `0]}]}`,
	} {
		replies <- reply
		before := refused.Count()
		if a, err := th.shift.ask(within(t), q); err == nil || a.Back || a.Left != nil || refused.Count() != before+1 {
			t.Errorf("%.80s: got %+v, %v, and %d refusals, want an error and one", reply, a, err, refused.Count()-before)
		}
	}
	replies <- `{"batch":"b1","left":[{"from":3,"again":[0,2]}]}`
	if a, err := th.shift.ask(within(t), q); err != nil || len(a.Left) != 1 || a.Left[0].From != 3 {
		t.Errorf("a good answer: got %+v, %v", a, err)
	}
}

func TestQuestionsThatMakeNoSenseGetNoAnswer(t *testing.T) {
	for _, q := range []question{
		{Worker: "w", Batch: ""}, {Worker: "*", Batch: "b"}, {Worker: "w", Batch: "b", Targets: []int64{-1}},
		{Worker: "w", Batch: "b", Targets: []int64{2, 1}}, {Worker: "w", Batch: "b", Targets: []int64{1, 1}},
		{Worker: "w", Batch: "b", Targets: []int64{maxTarget}}, {Worker: "w", Batch: "b", Targets: make([]int64, MaxBatchTargets+1)},
	} {
		if err := q.check(); err == nil {
			t.Errorf("%.100v was accepted", q)
		}
	}
}

func TestWhatIsLeftOfATargetForWhomIsHandedOutAgain(t *testing.T) {
	const items = 12
	draw := func(t *rapid.T, name string) (from int, again []int) {
		from = rapid.IntRange(0, items).Draw(t, name)
		for i := range from {
			if rapid.Bool().Draw(t, fmt.Sprint(name, i)) {
				again = append(again, i)
			}
		}
		return from, again
	}
	has := func(from int, again []int, item int) bool { return item >= from || slices.Contains(again, item) }
	rapid.Check(t, func(t *rapid.T) {
		tg := target(1, "h.example:80")
		tg.From, tg.Again = draw(t, "batch")
		var l targetLeft
		l.From, l.Again = draw(t, "left")
		got := tg.meet(l)
		for item := range items {
			want := has(tg.From, tg.Again, item) && has(l.From, l.Again, item)
			if has(got.From, got.Again, item) != want {
				t.Fatalf("item %d is left: %v, want %v; %d %v of %d %v gives %d %v", item, !want, want, l.From, l.Again, tg.From, tg.Again, got.From, got.Again)
			}
		}
		if got.From < items || len(got.Again) > 0 {
			if err := got.check(&Spec{Items: items}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
