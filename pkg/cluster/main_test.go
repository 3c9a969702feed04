package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/redialscan/redial/pkg/report"
)

// list is a made-up input.
type list struct {
	mu      sync.Mutex
	targets []Target
	next    int
}

// listOf gives so many targets of so many hosts.
func listOf(targets, hosts int) *list {
	l := &list{}
	for i := range targets {
		l.targets = append(l.targets, target(i, fmt.Sprintf("h%d.example:80", i%hosts)))
	}
	return l
}

func target(i int, key string) Target {
	return Target{Index: int64(i), Key: key, Line: json.RawMessage(fmt.Sprintf(`"http://%s/%d"`, key, i))}
}

func (l *list) Next() (Target, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == len(l.targets) {
		return Target{}, io.EOF
	}
	l.next++
	return l.targets[l.next-1], nil
}

// book is a handler that counts how often each item ended, and how.
type book struct {
	mu      sync.Mutex
	results map[[2]int64]int
	skipped map[string]int
	events  []report.Event
	more    chan struct{}
}

func newBook() *book {
	return &book{results: make(map[[2]int64]int), skipped: make(map[string]int), more: make(chan struct{}, 1)}
}

func (b *book) Start() error  { return nil }
func (b *book) Finish() error { return nil }

// owned is an event to keep: results are lent.
func owned(e report.Event) report.Event {
	if r, ok := e.(*report.Result); ok {
		own := *r
		return &own
	}
	return e
}

func (b *book) Event(e report.Event) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, owned(e))
	switch e := e.(type) {
	case *report.Result:
		b.results[[2]int64{e.Target, int64(e.Index)}]++
	case *report.Skipped:
		for i := e.From; i < e.To; i++ {
			b.results[[2]int64{e.Target, int64(i)}]++
		}
		for _, i := range e.Again {
			b.results[[2]int64{e.Target, int64(i)}]++
		}
		b.skipped[e.Reason] += int(e.Count())
	}
	raise(b.more)
	return nil
}

// wantOnce fails unless each of so many targets ended with each of its items once, and nothing else did.
func (b *book) wantOnce(t *testing.T, targets, items int) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for target := range targets {
		for item := range items {
			if n := b.results[[2]int64{int64(target), int64(item)}]; n != 1 {
				t.Errorf("item %d of target %d ended %d times, want once", item, target, n)
			}
		}
	}
	if len(b.results) > targets*items {
		t.Errorf("%d items ended, want %d", len(b.results), targets*items)
	}
}

// runner is a Runner made of a function.
type runner struct {
	run  func(ctx context.Context, r Run) (Outcome, error)
	pace Pace
}

func (r *runner) Run(ctx context.Context, run Run) (Outcome, error) { return r.run(ctx, run) }
func (r *runner) Pace() Pace                                        { return r.pace }

// all calls f for each item of a batch that is to be run.
func all(b *Batch, items int, f func(t *Target, item int)) {
	for i := range b.Targets {
		t := &b.Targets[i]
		for _, item := range t.Again {
			f(t, item)
		}
		for item := t.From; item < items; item++ {
			f(t, item)
		}
	}
}

// answering ends every item with a result.
func answering(items int) *runner {
	return &runner{run: func(_ context.Context, r Run) (Outcome, error) {
		var sent int64
		all(&r.Batch, items, func(t *Target, item int) {
			r.Emit(&report.Result{Target: t.Index, Index: item, Host: t.Key, Attempts: 1})
			sent++
		})
		return Outcome{Sent: sent}, nil
	}}
}

// group is a server with a scan on it.
type group struct {
	t      *testing.T
	server *Server
	spec   Spec
	book   *book
	cfg    Config
}

func newGroup(t *testing.T, input *list, items int) *group {
	g := &group{t: t, server: startServer(t, EmbedConfig{}), book: newBook()}
	g.spec = Spec{Scan: "s1", Version: "v1", Items: items, Partitions: 4}
	g.cfg = Config{
		Conn: dial(t, g.server, Access{Name: "coordinator"}), Spec: g.spec, Targets: input, Handlers: []report.Handler{g.book},
		Refused: &Refusals{Tell: t.Logf}, Log: t.Logf,
	}
	return g
}

// serve runs the scan to its end.
func (g *group) serve(ctx context.Context) (Ending, error) {
	g.t.Helper()
	c, err := NewCoordinator(g.cfg)
	if err != nil {
		g.t.Fatal(err)
	}
	return c.Serve(ctx)
}

// serving is serve beside the test, which takes its error.
func (g *group) serving(ctx context.Context) <-chan error {
	g.t.Helper()
	served := make(chan error, 1)
	go func() {
		_, err := g.serve(ctx)
		served <- err
	}()
	return served
}

// prepared is a place for a scan on the server, and a connection to it.
func (g *group) prepared() (*Conn, Spec) {
	g.t.Helper()
	conn, spec := dial(g.t, g.server, Access{}), g.cfg.Spec
	spec.withDefaults()
	if _, err := conn.prepare(g.t.Context(), &spec); err != nil {
		g.t.Fatal(err)
	}
	return conn, spec
}

// join starts a worker on a connection of its own, and returns what ends it and waits for it.
func (g *group) join(name string, r Runner, more ...func(*WorkerConfig)) (leave func()) {
	g.t.Helper()
	cfg := WorkerConfig{
		Name: name, Version: "v1", Slots: 4, Dir: g.t.TempDir(),
		NewRunner: func(context.Context, Spec, string) (Runner, error) { return r, nil }, Log: g.t.Logf,
	}
	for _, m := range more {
		m(&cfg)
	}
	if cfg.Conn == nil {
		cfg.Conn = dial(g.t, g.server, Access{Name: name})
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Join(ctx, cfg) }()
	leave = sync.OnceFunc(func() {
		stop()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			g.t.Errorf("worker %s: %v", name, err)
		}
	})
	g.t.Cleanup(leave)
	return leave
}

// within is the longest that any of the tests may wait for what does not come.
func within(t *testing.T) context.Context {
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(stop)
	return ctx
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
