package report

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// FlushEvery is the longest time that a handled event stays in a buffer of ours.
	FlushEvery = time.Second

	// gather is how long the consumer lets a batch grow after its first event: two
	// wake-ups for each batch instead of one for each event, and too short to be seen.
	gather = 5 * time.Millisecond

	// batchFull ends gathering early; queueLimit is where emit begins to wait.
	batchFull  = 1024
	queueLimit = 8192
)

// Run starts h, runs produce, and passes every event that produce emits to h, on
// one goroutine, in order. emit may be called from any number of goroutines; it
// waits while too many events are on their way. It is an error of the caller, and
// a panic, to emit after produce has returned.
//
// When produce has returned, or panicked, what it emitted is handled; then last,
// when not nil, is asked for one more event (the summary, made of what the
// handlers have seen by now; nil for none), and h is finished. ctx is passed on to produce;
// its end stops nothing by itself, since what has been found is to be written.
//
// The error is that of produce joined with what the outputs had to say (see [OutputError]).
// When h cannot be started, produce is not run.
func Run(ctx context.Context, h Handler, produce func(ctx context.Context, emit func(Event)) error, last func(error) Event) (err error) {
	if err := h.Start(); err != nil {
		_ = h.Finish() // nothing was written that it could lose
		return err
	}
	c := consumer{handler: h, queue: newQueue()}
	c.flusher, _ = h.(Flusher)

	var wg sync.WaitGroup
	wg.Go(func() {
		c.run() // until the queue is closed: err is settled then
		if last != nil {
			if e := last(err); e != nil {
				c.handle(e)
			}
		}
		c.finish()
	})
	// Deferred, so that a panic of produce loses nothing that was found before it.
	defer func() {
		c.queue.close()
		wg.Wait()
		err = errors.Join(err, c.err)
	}()
	return produce(ctx, c.queue.put)
}

// consumer is the one goroutine that calls the handler.
type consumer struct {
	handler Handler
	flusher Flusher // nil when the handler holds nothing back
	queue   *queue
	err     error     // the handler's first; set: it gets no more events
	dirty   time.Time // when the oldest event not flushed was handled; zero: none
}

func (c *consumer) run() {
	var batch []Event
	for {
		wait := time.Duration(-1)
		if !c.dirty.IsZero() {
			wait = max(FlushEvery-time.Since(c.dirty), 0)
		}
		var open bool
		batch, open = c.queue.take(batch, wait)
		for i, e := range batch {
			c.handle(e)
			batch[i] = nil
		}
		if !c.dirty.IsZero() && time.Since(c.dirty) >= FlushEvery {
			c.flush()
		}
		if !open {
			return
		}
	}
}

func (c *consumer) handle(e Event) {
	if c.err != nil {
		return
	}
	if c.flusher != nil && c.dirty.IsZero() {
		c.dirty = time.Now()
	}
	c.err = c.handler.Event(e)
}

func (c *consumer) flush() {
	c.dirty = time.Time{}
	if c.err == nil {
		c.err = c.flusher.Flush()
	}
}

func (c *consumer) finish() {
	if err := c.handler.Finish(); c.err == nil {
		c.err = err
	}
}
