package executor

import "time"

// news is what the owner is to be told once the lock is given back.
type news[T any] struct {
	failed  []Failure[T]
	skipped []Skipped[T]
	ended   []string
	unsent  int // repeats that will not be made
}

// end notes the end of a host, once its last item in flight is back.
func (n *news[T]) end(h *host[T]) {
	if h.inflight == 0 && !h.told {
		h.told = true
		n.ended = append(n.ended, h.key)
	}
}

func (e *Executor[T]) tell(n *news[T]) {
	for _, f := range n.failed {
		if e.cfg.Failed != nil {
			e.cfg.Failed(f)
		}
	}
	for _, s := range n.skipped {
		if e.cfg.Skipped != nil {
			e.cfg.Skipped(s)
		}
	}
	if n.unsent > 0 && e.cfg.Unsent != nil {
		e.cfg.Unsent(n.unsent)
	}
	for _, key := range n.ended {
		if e.cfg.Ended != nil {
			e.cfg.Ended(key)
		}
	}
}

func (en entry[T]) item(target T, start time.Time) Item[T] {
	return Item[T]{
		Target: target, Check: int(en.check),
		Attempt: int(en.attempts), Sends: int(en.sends), Free: int(en.free), Repeat: en.owed,
		Began: start.Add(time.Duration(en.began)),
	}
}

func (e *Executor[T]) failLocked(n *news[T], h *host[T], en entry[T], err error) {
	e.tally.Failed++
	e.loseLocked(h, 1)
	n.failed = append(n.failed, Failure[T]{Item: en.item(en.of.target, e.began), Host: h.key, Err: err})
}

// loseLocked counts items that are not done. Whether they were lost by a host that serves may turn out later.
func (e *Executor[T]) loseLocked(h *host[T], items int32) {
	if h.served {
		e.tally.Lost += int64(items)
	} else {
		h.lost += items
	}
}

// serveLocked notes that an item of a host was done.
func (e *Executor[T]) serveLocked(h *host[T]) {
	h.served = true
	e.tally.Lost += int64(h.lost)
	h.lost = 0
}

// skipLocked skips what is left of a target: its cursor, and the items of it that were put back.
func (e *Executor[T]) skipLocked(n *news[T], h *host[T], b *backlog[T], again []int, why Reason) {
	s := Skipped[T]{
		Host: h.key, Target: b.target, From: int(b.next), To: int(e.checks), Again: again,
		Reason: why, Err: h.lastErr,
	}
	b.next = e.checks
	if s.Items() == 0 {
		return
	}
	e.tally.Skipped += int64(s.Items())
	e.loseLocked(h, int32(s.Items()))
	n.skipped = append(n.skipped, s)
}

// abandonLocked skips all that a host has left and ends it. Items in flight are settled as they end.
func (e *Executor[T]) abandonLocked(n *news[T], h *host[T], why Reason) {
	again := make(map[*backlog[T]][]int)
	var order []*backlog[T]
	note := func(b *backlog[T]) {
		if _, known := again[b]; !known {
			again[b] = nil
			order = append(order, b)
		}
	}
	if h.first != nil {
		note(h.first)
	}
	if x := h.rest; x != nil {
		for _, b := range x.more {
			note(b)
		}
		n.waiveAll(h)
		for _, en := range x.back {
			note(en.of)
			again[en.of] = append(again[en.of], int(en.check))
		}
		for _, s := range x.suspects {
			note(s.of)
			again[s.of] = append(again[s.of], int(s.check))
		}
	}
	for _, b := range order {
		e.skipLocked(n, h, b, again[b], why)
	}
	h.first, h.rest = nil, nil
	if h.inflight > 0 {
		h.more().gone = why
	}
	e.endLocked(h, n)
}
