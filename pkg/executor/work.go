package executor

import (
	"context"
	"runtime/debug"
	"time"
)

// work runs an item and then whatever can start next, until nothing can: a worker that has nothing to do is not kept.
func (e *Executor[T]) work(ctx context.Context, c claim[T]) {
	turn := newTurn(&e.floor)
	for ok := true; ok; {
		turn.held, turn.fresh = c.slot, c.fresh
		h := c.host
		if c, ok = e.step(ctx, c, turn); c.host != h {
			turn.row = row{}
		}
	}
}

func (e *Executor[T]) step(ctx context.Context, c claim[T], turn *Turn) (claim[T], bool) {
	now := time.Now()
	quarantined, at := e.ask(c.host.key, now)
	if quarantined || at.After(now) {
		return e.drop(c, turn, quarantined, at)
	}
	if c.entry.began == 0 {
		c.entry.began = max(1, e.moment(now))
	}
	item := c.entry.item(c.target, e.began)
	item.Attempt++
	item.Sends++
	item.Probe = c.probe
	if c.probe && e.cfg.LastCall != nil && e.cfg.LastCall(c.host.key) {
		item = Item[T]{Target: item.Target, Check: -1, Attempt: 1, Sends: 1, Began: now, Probe: true}
		out := e.guarded(ctx, e.cfg.Probe, item, turn)
		return e.finish(c, turn, out, true)
	}
	out := e.guarded(ctx, e.cfg.Run, item, turn)
	return e.finish(c, turn, out, false)
}

// ask asks whether a host may be called: not when it is quarantined, and not before at.
func (e *Executor[T]) ask(key string, now time.Time) (quarantined bool, at time.Time) {
	if e.cfg.Quarantined != nil {
		quarantined = e.cfg.Quarantined(key)
	}
	if e.cfg.NextAdmit != nil {
		at = e.cfg.NextAdmit(key, now)
		quarantined = quarantined || at.Sub(now) >= never
	}
	return quarantined, at
}

// guarded turns a panic of a run into a failure of its item.
func (e *Executor[T]) guarded(
	ctx context.Context, run func(context.Context, Item[T], *Turn) Outcome[T], item Item[T], turn *Turn,
) (out Outcome[T]) {
	defer func() {
		if v := recover(); v != nil {
			out = Outcome[T]{Kind: CheckError, Err: &PanicError{Value: v, Stack: debug.Stack()}}
		}
	}()
	return run(ctx, item, turn)
}

// drop takes an item that may not start back to its host, which waits until it may.
func (e *Executor[T]) drop(c claim[T], turn *Turn, quarantined bool, at time.Time) (claim[T], bool) {
	var n news[T]
	e.mu.Lock()
	now := e.moment(time.Now())
	h := c.host
	e.leaveLocked(h, turn, now, &n)
	e.paceRoom++
	if e.followLocked(&c) {
		e.leftLocked(h, now, &n)
		h, quarantined, at = c.host, false, time.Time{}
	}
	if h.place == ended {
		e.skipOneLocked(&n, h, c.entry)
	} else {
		if h.place == parked {
			n.waive(&c.entry)
		}
		h.giveBack(c.entry)
		if quarantined {
			e.parkLocked(h, at, now, &n)
		} else {
			h.hold = max(h.hold, e.moment(at))
		}
	}
	e.restLocked(h, now, &n)
	return e.nextLocked(now, &n)
}

// leaveLocked ends an item's hold on its host and its worker.
func (e *Executor[T]) leaveLocked(h *host[T], turn *Turn, now moment, n *news[T]) {
	h.inflight--
	e.tally.InFlight--
	e.backLocked(h, now, n)
	e.releaseLocked(turn.held)
	turn.held = noSlot
	e.grantLocked()
}

// nextLocked takes the next item for the goroutine that has just ended one, and gives the lock back.
func (e *Executor[T]) nextLocked(now moment, n *news[T]) (claim[T], bool) {
	next, ok := e.claimLocked(now, n)
	kick := !ok || e.newsLocked() // without a next item this may have been the last one
	e.mu.Unlock()
	e.tell(n)
	if kick {
		e.kick()
	}
	return next, ok
}

// finish settles an item that ran, or the plain call that took its place. The breaker is asked again, since the item may
// have changed what it says; a host that has just done an item needs no asking, unless it is parked.
func (e *Executor[T]) finish(c claim[T], turn *Turn, out Outcome[T], call bool) (claim[T], bool) {
	if out.Kind == HostError && e.silent(c.host) {
		e.cfg.Trip(c.host.key, out.Err)
	}
	key := c.host.key
	if out.Target != nil {
		key = e.cfg.Host(*out.Target)
	}
	var quarantined bool
	var at time.Time
	asked := out.Kind != Done
	if asked {
		quarantined, at = e.ask(key, time.Now())
	}
	e.mu.Lock()
	if !asked && c.host.place == parked {
		e.mu.Unlock()
		quarantined, at = e.ask(key, time.Now())
		e.mu.Lock()
	}
	var n news[T]
	now := e.moment(time.Now())
	e.leaveLocked(c.host, turn, now, &n)
	if out.Target != nil {
		e.moveLocked(&c, *out.Target, key, now, &n)
	} else if from := c.host; out.Kind != Done && e.followLocked(&c) {
		quarantined = false // it was the old name that was asked for
		e.leftLocked(from, now, &n)
	}
	h := c.host
	if call {
		e.settleCallLocked(&c, out, now, &n)
	} else {
		e.settleLocked(&c, out, quarantined, now, &n)
	}
	if quarantined || h.place == parked {
		e.parkLocked(h, at, now, &n)
	}
	e.restLocked(h, now, &n)
	if out.Kind == Done {
		e.stayLocked(h, turn, c.began, now)
	}
	return e.nextLocked(now, &n)
}

// silent says that one more host error is as many as a first contact takes.
func (e *Executor[T]) silent(h *host[T]) bool {
	if e.cfg.Trip == nil || e.cfg.FirstContact == 0 {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return !h.answered && h.place != parked && int(h.streak)+1 >= e.cfg.FirstContact
}

// restLocked puts a host in its place after one of its items has ended.
func (e *Executor[T]) restLocked(h *host[T], now moment, n *news[T]) {
	switch {
	case h.place == ended:
		n.end(h)
	case h.place == parked && h.idle(e.checks):
		e.endLocked(h, n)
	default:
		e.placeLocked(h, now, n)
	}
}
