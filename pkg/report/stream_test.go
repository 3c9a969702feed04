package report

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// recorder is a handler that remembers how it was called, and fails when told to.
type recorder struct {
	calls             []string
	events            []Event
	flushes           []time.Time
	startErr, failErr error
	failAt            int           // the number of the event that fails, from 1
	slow              chan struct{} // not nil: each event waits for it
}

func (r *recorder) Start() error { r.calls = append(r.calls, "start"); return r.startErr }

func (r *recorder) Event(e Event) error {
	if r.slow != nil {
		<-r.slow
	}
	r.events = append(r.events, e)
	if len(r.events) == r.failAt {
		return r.failErr
	}
	return nil
}

func (r *recorder) Flush() error { r.flushes = append(r.flushes, time.Now()); return nil }

func (r *recorder) Finish() error { r.calls = append(r.calls, "finish"); return nil }

func TestRunLosesNothing(t *testing.T) {
	const producers, each = 64, 500
	var rec recorder
	err := Run(t.Context(), &rec, func(_ context.Context, emit func(Event)) error {
		var wg sync.WaitGroup
		for p := range producers {
			wg.Go(func() {
				for i := range each {
					emit(&Result{Target: int64(p), Index: i})
				}
			})
		}
		wg.Wait()
		return nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	next := make([]int, producers)
	for _, e := range rec.events {
		r := e.(*Result)
		if r.Index != next[r.Target] {
			t.Fatalf("producer %d: got event %d, want %d", r.Target, r.Index, next[r.Target])
		}
		next[r.Target]++
	}
	if len(rec.events) != producers*each {
		t.Errorf("got %d events, want %d", len(rec.events), producers*each)
	}
	if want := []string{"start", "finish"}; !slices.Equal(rec.calls, want) {
		t.Errorf("calls %v, want %v", rec.calls, want)
	}
}

func TestEmitWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := recorder{slow: make(chan struct{})}
		emitted := 0
		err := Run(t.Context(), &rec, func(_ context.Context, emit func(Event)) error {
			var wg sync.WaitGroup
			wg.Go(func() {
				for range 3 * queueLimit {
					emit(&Waiting{})
					emitted++
				}
			})
			synctest.Wait() // the producer is stuck, or done
			// One batch is in the handler's hands, and the queue is full again behind it.
			if limit := 2 * queueLimit; emitted < queueLimit || emitted > limit {
				t.Errorf("%d events emitted past a handler that stands still, want %d to %d", emitted, queueLimit, limit)
			}
			close(rec.slow)
			wg.Wait()
			return nil
		}, nil)
		if err != nil || len(rec.events) != 3*queueLimit {
			t.Errorf("got %d events and %v, want %d and no error", len(rec.events), err, 3*queueLimit)
		}
	})
}

func TestFlushComesWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rec recorder
		start := time.Now()
		err := Run(t.Context(), &rec, func(_ context.Context, emit func(Event)) error {
			for range 25 { // for five seconds; then silence
				emit(&Waiting{})
				<-time.After(200 * time.Millisecond)
			}
			<-time.After(time.Minute)
			emit(&Waiting{})
			<-time.After(time.Minute)
			return nil
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		// The first event is handled after a moment of gathering, and flushed a second later. By then the sixth is in too.
		if got, want := rec.flushes[0].Sub(start), gather+FlushEvery; got != want {
			t.Errorf("first flush after %v, want %v", got, want)
		}
		// Events come each 200 ms, so the event that begins a new second comes up to 200 ms after the flush.
		if n := len(rec.flushes); n < 5 || n > 6 {
			t.Errorf("%d flushes, want one a second, none in silence, and one for the last event: 5 or 6", n)
		}
		for i := 1; i < len(rec.flushes); i++ {
			if gap := rec.flushes[i].Sub(rec.flushes[i-1]); i < 5 && gap > FlushEvery+200*time.Millisecond {
				t.Errorf("flush %d came %v after the one before", i, gap)
			}
		}
		last := start.Add(5*time.Second + time.Minute + gather + FlushEvery)
		if got := rec.flushes[len(rec.flushes)-1]; !got.Equal(last) {
			t.Errorf("last flush at %v, want %v", got.Sub(start), last.Sub(start))
		}
	})
}

func TestLastEventSeesAllOthers(t *testing.T) {
	tally := NewTally(0)
	var rec recorder
	stopped := errors.New("stopped")
	err := Run(t.Context(), NewMulti(nil, tally, &rec), func(_ context.Context, emit func(Event)) error {
		for range 1000 {
			emit(&Result{Host: "a", Port: "80"})
		}
		return stopped
	}, func(err error) Event {
		if !errors.Is(err, stopped) {
			t.Errorf("last was told %v, want %v", err, stopped)
		}
		s := new(Summary)
		tally.Fill(s)
		return s
	})
	if !errors.Is(err, stopped) {
		t.Errorf("got %v, want the producer's error", err)
	}
	s, ok := rec.events[len(rec.events)-1].(*Summary)
	if !ok || s.Done != 1000 {
		t.Errorf("the last event is %#v, want a summary of 1000 items", rec.events[len(rec.events)-1])
	}
}

// A scan that is stopped writes all that it found.
func TestCancelledScanKeepsItsResults(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out, path := file(t, "out")
	err := Run(ctx, NewJSONL(out, false), func(ctx context.Context, emit func(Event)) error {
		for range 3000 {
			emit(admin())
		}
		cancel()
		emit(admin()) // an item that was in flight
		return ctx.Err()
	}, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if n := strings.Count(read(t, path), "\n"); n != 3001 {
		t.Errorf("%d lines on disk, want 3001", n)
	}
}

func TestHandlerThatFailsStopsAlone(t *testing.T) {
	full := &OutputError{Name: "events file x", Err: errors.New("no space left on device")}
	bad := recorder{failAt: 2, failErr: full}
	var good recorder
	var heard []error
	m := NewMulti(func(err error) { heard = append(heard, err) }, &bad, &good)
	err := Run(t.Context(), m, func(_ context.Context, emit func(Event)) error {
		for range 10 {
			emit(&Waiting{})
		}
		return nil
	}, nil)
	var out *OutputError
	if !errors.As(err, &out) || out.Name != "events file x" || !strings.Contains(err.Error(), "no space") {
		t.Errorf("got %v, want the error that names the file", err)
	}
	if len(bad.events) != 2 || len(good.events) != 10 {
		t.Errorf("the failed handler got %d events and the other %d, want 2 and 10", len(bad.events), len(good.events))
	}
	if len(heard) != 1 || len(bad.calls) != 2 {
		t.Errorf("the failure was told %d times, and the handler's calls were %v; want once, and a finish", len(heard), bad.calls)
	}
}

func TestStartThatFailsRunsNothing(t *testing.T) {
	bad := recorder{startErr: errors.New("no")}
	var good recorder
	err := Run(t.Context(), NewMulti(nil, &good, &bad), func(context.Context, func(Event)) error {
		t.Error("the scan ran without an output")
		return nil
	}, nil)
	if !errors.Is(err, bad.startErr) || err.Error() != "no" {
		t.Errorf("got %v, want %v, once", err, bad.startErr)
	}
	if want := []string{"start", "finish"}; !slices.Equal(good.calls, want) || !slices.Equal(bad.calls, want) {
		t.Errorf("calls %v and %v, want %v", good.calls, bad.calls, want)
	}
}

func TestPanicOfTheScanKeepsWhatWasFound(t *testing.T) {
	var rec recorder
	defer func() {
		if recover() == nil {
			t.Error("the panic was swallowed")
		}
		if len(rec.events) != 1 || len(rec.calls) != 2 {
			t.Errorf("got %d events and calls %v, want the event and a finish", len(rec.events), rec.calls)
		}
	}()
	_ = Run(t.Context(), &rec, func(_ context.Context, emit func(Event)) error {
		emit(&Waiting{})
		panic("a bug in the scan")
	}, nil)
}

func TestMisuseOfEmitIsLoud(t *testing.T) {
	var late func(Event)
	_ = Run(t.Context(), &recorder{}, func(_ context.Context, emit func(Event)) error {
		mustPanic(t, "nil event", func() { emit(nil) })
		late = emit
		return nil
	}, nil)
	mustPanic(t, "emit after the end", func() { late(&Waiting{}) })
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	f()
}

// countOnly is the cheapest handler: what is left is the cost of the way.
type countOnly struct{ n int }

func (*countOnly) Start() error        { return nil }
func (c *countOnly) Event(Event) error { c.n++; return nil }
func (*countOnly) Finish() error       { return nil }

func BenchmarkEmit(b *testing.B) {
	e := admin()
	b.ReportAllocs()
	_ = Run(b.Context(), new(countOnly), func(_ context.Context, emit func(Event)) error {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				emit(e)
			}
		})
		return nil
	}, nil)
}
