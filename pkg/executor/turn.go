package executor

import (
	"context"
	"sync"
	"time"
)

// slot is what an item in flight holds.
type slot uint8

const (
	noSlot      slot = iota
	dialSlot         // the host has not answered, and the item has not dialled yet
	contactSlot      // a worker, lent to an item of a host that has not answered
	workerSlot       // a worker
)

// floor is what all items share: the workers, the dial slots and the queues for them. It does not depend on the type of
// the targets, so that a Turn needs no type parameter.
type floor struct {
	began time.Time
	wake  chan struct{} // capacity 1: the dispatcher has something to do

	mu       sync.Mutex // also guards the executor that embeds the floor
	workers  int        // free; less than 0 while more are at work than a lowered limit allows
	dials    int        // free; likewise
	contacts int        // workers lent to hosts that have not answered
	// maxContacts is less than all workers, so that hosts that accept and fall silent do not starve those that answer.
	maxContacts int
	resuming    []*Turn // their wait is over; they need a worker
	dialed      []*Turn // likewise, for hosts that have not answered
	sleepers    timeHeap[*Turn]
	asleep      moment // until when the dispatcher sleeps
}

func newFloor(workers, dials int) floor {
	return floor{
		began: time.Now(), wake: make(chan struct{}, 1),
		workers: workers, dials: dials, maxContacts: contactsOf(workers),
	}
}

// contactsOf is how many of the workers may be lent to hosts that have not answered.
func contactsOf(workers int) int { return workers - workers/4 }

func (f *floor) moment(t time.Time) moment { return moment(t.Sub(f.began)) }

func (f *floor) kick() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *floor) releaseLocked(s slot) {
	switch s {
	case dialSlot:
		f.dials++
	case contactSlot:
		f.contacts--
		f.workers++
	case workerSlot:
		f.workers++
	}
}

// grantLocked hands free workers to the items that wait for one, before any new item gets a chance.
func (f *floor) grantLocked() {
	for f.workers > 0 {
		switch {
		case len(f.resuming) > 0:
			f.resuming = f.giveLocked(f.resuming, workerSlot)
		case len(f.dialed) > 0 && f.contacts < f.maxContacts:
			f.contacts++
			f.dialed = f.giveLocked(f.dialed, contactSlot)
		default:
			return
		}
	}
}

func (f *floor) giveLocked(queue []*Turn, s slot) []*Turn {
	t := queue[0]
	f.releaseLocked(t.held) // a dial slot is exchanged, not given up before
	f.workers--
	t.held = s
	t.ready <- struct{}{}
	queue[0] = nil
	return queue[1:]
}

// wakeSleepersLocked queues for a worker all whose wait is over.
func (f *floor) wakeSleepersLocked(now moment) {
	for f.sleepers.top() <= now {
		t := f.sleepers.pop()
		if t.held != noSlot {
			t.ready <- struct{}{} // waited on its dial slot
			continue
		}
		f.enqueueLocked(t)
	}
	f.grantLocked()
}

func (f *floor) enqueueLocked(t *Turn) {
	if t.fresh {
		f.dialed = append(f.dialed, t)
	} else {
		f.resuming = append(f.resuming, t)
	}
}

// Turn is the hold of a running item on its worker. It belongs to the goroutine that runs the item and ends with it.
type Turn struct {
	floor *floor
	ready chan struct{} // capacity 1: the wait is over, the slot is held
	fresh bool          // the host has not answered yet
	row   row

	// Guarded by floor.mu.
	held  slot
	until moment
	place int
}

func newTurn(f *floor) *Turn {
	return &Turn{floor: f, ready: make(chan struct{}, 1), place: -1}
}

func (t *Turn) due() moment    { return t.until }
func (t *Turn) index() int     { return t.place }
func (t *Turn) setIndex(i int) { t.place = i }

// Wait returns when it is until, or with the context's error. The item gives its worker back meanwhile and returns with
// one; in a contact that has not dialled it keeps its dial slot, which is no worker. A time that has passed costs nothing.
func (t *Turn) Wait(ctx context.Context, until time.Time) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	f := t.floor
	now := time.Now()
	if !until.After(now) {
		return nil
	}
	f.mu.Lock()
	freed := t.held != dialSlot
	if freed {
		f.releaseLocked(t.held)
		t.held = noSlot
		f.grantLocked()
	}
	t.until = f.moment(until)
	f.sleepers.push(t)
	kick := t.until < f.asleep || freed
	f.mu.Unlock()
	if kick {
		f.kick()
	}
	return t.await(ctx)
}

// Dialed says that the connection stands: an item of a host that has not answered exchanges its dial slot for a worker,
// and may have to wait for one. For every other item it does nothing.
func (t *Turn) Dialed(ctx context.Context) error {
	f := t.floor
	f.mu.Lock()
	if t.held != dialSlot {
		f.mu.Unlock()
		return nil
	}
	f.enqueueLocked(t)
	f.grantLocked()
	f.mu.Unlock()
	f.kick() // a dial slot may be free
	return t.await(ctx)
}

func (t *Turn) await(ctx context.Context) error {
	select {
	case <-t.ready:
		return nil
	case <-ctx.Done():
	}
	f := t.floor
	f.mu.Lock()
	defer f.mu.Unlock()
	if t.place >= 0 {
		f.sleepers.remove(t)
	}
	f.resuming = without(f.resuming, t)
	f.dialed = without(f.dialed, t)
	select {
	case <-t.ready: // granted in the same instant
	default:
	}
	return context.Cause(ctx)
}

func without(queue []*Turn, t *Turn) []*Turn {
	for i, q := range queue {
		if q == t {
			return append(queue[:i], queue[i+1:]...)
		}
	}
	return queue
}
