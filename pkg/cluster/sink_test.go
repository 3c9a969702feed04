package cluster

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/redialscan/redial/internal/packing"
	"github.com/redialscan/redial/pkg/report"
)

// wire notes what a sink sends.
type wire struct {
	mu     sync.Mutex
	chunks []chunk
	events []report.Event
	sizes  []int
}

func (w *wire) send(_ context.Context, c chunk, data []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.chunks = append(w.chunks, c)
	w.sizes = append(w.sizes, len(data))
	events, err := unpacked(data)
	w.events = append(w.events, events...)
	return err
}

// unpacked gives the events that were packed.
func unpacked(data []byte) (all []report.Event, err error) {
	err = packing.Unpack(data, maxWeight, func(e report.Event) error {
		all = append(all, owned(e))
		return nil
	})
	return all, err
}

func wideBatch(targets int) *Batch {
	b := &Batch{ID: "b"}
	for i := range targets {
		b.Targets = append(b.Targets, target(100+i, "h:80"))
	}
	return b
}

// Whatever is emitted, from how many goroutines, comes in chunks of a bounded size, once, and the end comes last.
func TestSinkCarriesEverythingOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(rt, "events")
		size := rapid.SampledFrom([]int{0, 10_000, 60_000}).Draw(rt, "bytes of each")
		synctest.Test(t, func(*testing.T) {
			spec := testSpec()
			spec.Items = 1
			w := &wire{}
			s := newSink(chunk{Batch: "b", Run: "r", Worker: "w"}, newLeft(wideBatch(n+1), &spec), w.send)
			var carrying, emitting sync.WaitGroup
			var carried error
			carrying.Go(func() { carried = s.carry(context.Background()) })
			for part := range 3 {
				emitting.Go(func() {
					for i := part; i < n; i += 3 {
						s.emit(&report.Result{Target: int64(100 + i), Host: "h", Title: strconv.Itoa(i) + strings.Repeat("x", size)})
						s.emit(&report.Result{Target: int64(100 + i), Host: "h"}) // a second time
					}
				})
			}
			emitting.Wait()
			s.finish(end{Sent: 5})
			carrying.Wait()
			if carried != nil || len(w.events) != n {
				rt.Fatalf("%d of %d events came, %v", len(w.events), n, carried)
			}
			for i, c := range w.chunks {
				if c.Seq != i || (c.End != nil) != (i == len(w.chunks)-1) {
					rt.Fatalf("chunk %d of %d is %+v", i, len(w.chunks), c)
				}
				if w.sizes[i] > maxChunk {
					rt.Fatalf("chunk %d has %d bytes of small events", i, w.sizes[i])
				}
			}
			if rest, _ := s.rest(); len(rest) != 1 || rest[0].Index != int64(100+n) {
				rt.Fatalf("left is %v, want the target that nothing was told of", rest)
			}
		})
	})
}

func TestSinkDoesNotHoldBackWhatItHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := testSpec()
		w := &wire{}
		s := newSink(chunk{Batch: "b", Run: "r", Worker: "w"}, newLeft(wideBatch(2), &spec), w.send)
		ctx, stop := context.WithCancel(t.Context())
		var carrying sync.WaitGroup
		carrying.Go(func() { _ = s.carry(ctx) })
		s.emit(&report.Result{Target: 100, Host: "h"})
		timer := time.NewTimer(chunkWait)
		<-timer.C
		synctest.Wait()
		w.mu.Lock()
		if len(w.events) != 1 {
			t.Errorf("%d events came within %s, want 1", len(w.events), chunkWait)
		}
		w.mu.Unlock()
		stop()
		carrying.Wait()
	})
}

// Events that come while chunks before them are on their way are told soon afterwards, and do not wait for others.
func TestSinkTellsWhatCameBehindAFullChunk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := testSpec()
		const n = 40
		w := &wire{}
		var entered int
		going := make(chan struct{})
		send := func(ctx context.Context, c chunk, data []byte) error {
			if entered++; entered == 1 {
				<-going
			}
			return w.send(ctx, c, data)
		}
		s := newSink(chunk{Batch: "b", Run: "r", Worker: "w"}, newLeft(wideBatch(n), &spec), send)
		ctx, stop := context.WithCancel(t.Context())
		var carrying sync.WaitGroup
		carrying.Go(func() { _ = s.carry(ctx) })
		emit := func(i int, title string) { s.emit(&report.Result{Target: int64(100 + i), Host: "h", Title: title}) }
		emit(0, "")
		<-time.After(chunkWait)
		synctest.Wait() // it is in the first send
		large := strings.Repeat("x", fullChunk/20)
		i := 1
		for full := false; !full; i++ {
			emit(i, strconv.Itoa(i)+large)
			s.mu.Lock()
			full = len(s.queue) > 0
			s.mu.Unlock()
		}
		emit(i, "the last")
		close(going)
		<-time.After(2 * chunkWait)
		synctest.Wait()
		w.mu.Lock()
		if got := len(w.events); got != i+1 {
			t.Errorf("%d events came, want all %d", got, i+1)
		}
		w.mu.Unlock()
		stop()
		carrying.Wait()
	})
}

// While the network takes nothing, emit waits; when the batch is lost, it does not wait any more.
func TestSinkHoldsUpAndLetsGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := testSpec()
		ctx, lose := context.WithCancelCause(t.Context())
		s := newSink(chunk{Batch: "b", Run: "r", Worker: "w"}, newLeft(wideBatch(200), &spec),
			func(ctx context.Context, _ chunk, _ []byte) error {
				<-ctx.Done()
				return context.Cause(ctx)
			})
		var all sync.WaitGroup
		all.Go(func() { _ = s.carry(ctx) })
		long := func(i int) *report.Result {
			return &report.Result{Target: int64(i), Host: "h", Title: strconv.Itoa(i) + strings.Repeat("x", 60_000)}
		}
		emitted := 0
		all.Go(func() {
			for i := range 200 {
				s.emit(long(100 + i))
				emitted++
			}
		})
		synctest.Wait()
		line, err := report.AppendEvent(nil, long(100))
		if err != nil {
			t.Fatal(err)
		}
		if most := (maxQueued+maxChunk)/len(line) + 2; emitted > most || emitted < 10 {
			t.Errorf("%d events were taken while nothing was sent, want some, at most %d", emitted, most)
		}
		lose(ErrLeaseLost)
		all.Wait()
		if emitted != 200 {
			t.Errorf("%d events were emitted, want all when nobody waits for them", emitted)
		}
	})
}

// An event that is too large for a message comes all the same.
func TestLargeEventsComeByTheStoreOfFiles(t *testing.T) {
	const targets, items = 3, 1
	g := newGroup(t, listOf(targets, 3), items)
	text := strings.Repeat("y", 50_000)
	matches := slices.Repeat([]report.Match{{Response: text}}, 3*maxChunk/len(text))
	g.join("w1", &runner{run: func(_ context.Context, r Run) (Outcome, error) {
		for _, target := range r.Batch.Targets {
			r.Emit(&report.Result{Target: target.Index, Host: target.Key, Matched: true, Attempts: 1,
				Matches: matches})
		}
		return Outcome{}, nil
	}})
	if _, err := g.serve(within(t)); err != nil {
		t.Fatal(err)
	}
	g.book.wantOnce(t, targets, items)
	for _, e := range g.book.events {
		if r, ok := e.(*report.Result); ok && (len(r.Matches) != len(matches) || r.Matches[0].Response != text) {
			t.Errorf("target %d came without what its host sent", r.Target)
		}
	}
}
