package report

import (
	"sync"
	"time"
)

// queue is the way from many goroutines to one. A slice under a lock costs a
// fraction of a channel operation for each event, and the consumer takes all at once.
type queue struct {
	first chan struct{} // holds a token when pending is not empty, or the queue closed
	full  chan struct{} // holds a token when pending has reached batchFull, or the queue closed

	mu      sync.Mutex
	room    sync.Cond // signalled when pending was taken
	pending []Event
	closed  bool
}

func newQueue() *queue {
	q := &queue{first: make(chan struct{}, 1), full: make(chan struct{}, 1)}
	q.room.L = &q.mu
	return q
}

// put appends an event, and waits for room first.
func (q *queue) put(e Event) {
	if e == nil {
		panic("report: a nil event was emitted")
	}
	q.mu.Lock()
	for len(q.pending) >= queueLimit && !q.closed {
		q.room.Wait()
	}
	if q.closed {
		q.mu.Unlock()
		panic("report: an event was emitted after the end of the scan")
	}
	q.pending = append(q.pending, e)
	n := len(q.pending)
	q.mu.Unlock()
	// Outside the lock: whoever is woken can go on at once.
	switch n {
	case 1:
		signal(q.first)
	case batchFull:
		signal(q.full)
	}
}

// close lets take run dry.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.room.Broadcast()
	signal(q.first)
	signal(q.full)
}

// take swaps an emptied batch for what is pending, after a moment in which more can
// gather. With nothing pending it waits, for at most wait; negative is without end.
// The batch may be empty. open is false when no event will follow: take is not called again.
func (q *queue) take(emptied []Event, wait time.Duration) (batch []Event, open bool) {
	if !await(q.first, wait) {
		return emptied[:0], true
	}
	await(q.full, gather)

	q.mu.Lock()
	defer q.mu.Unlock()
	batch, q.pending = q.pending, emptied[:0]
	// Tokens that belong to this batch would cut the gathering of the next one short.
	drain(q.first)
	drain(q.full)
	q.room.Broadcast()
	return batch, !q.closed
}

// await reports whether a token came in time.
func await(token <-chan struct{}, wait time.Duration) bool {
	if wait < 0 {
		<-token
		return true
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-token:
		return true
	case <-timer.C:
		return false
	}
}

func signal(token chan<- struct{}) {
	select {
	case token <- struct{}{}:
	default:
	}
}

func drain(token <-chan struct{}) {
	select {
	case <-token:
	default:
	}
}
