package executor

// moveLocked replaces the target of an item, and takes the target with what it has left to the host of its new name.
func (e *Executor[T]) moveLocked(c *claim[T], target T, key string, now moment, n *news[T]) {
	from, b := c.host, c.entry.of
	b.target = target
	if key == from.key || from.place == ended {
		return
	}
	to := e.hostLocked(key)
	if _, before := from.movedTo(b); !before {
		from.handOver(b, to)
	}
	if from.inflight > 0 {
		from.noteMove(b, key)
	}
	c.host, c.era = to, to.era
	e.clocks.start(to, now)
	e.loseLocked(to, from.lost)
	from.lost = 0
	e.leftLocked(from, now, n)
}

// leftLocked puts a host in its place after an item of it has gone to another.
func (e *Executor[T]) leftLocked(from *host[T], now moment, n *news[T]) {
	if from.place != ended && from.idle(e.checks) && (from.rest == nil || len(from.rest.suspects) == 0) {
		e.tally.Hosts-- // it goes on under its full name
	}
	e.restLocked(from, now, n)
}

// followLocked takes an item that will be put back to the host to which its target went while it was in flight, and says
// whether it did.
func (e *Executor[T]) followLocked(c *claim[T]) bool {
	key, moved := c.host.movedTo(c.entry.of)
	if moved {
		c.host = e.hostLocked(key)
		c.era = c.host.era
	}
	return moved
}

func (h *host[T]) noteMove(b *backlog[T], key string) {
	x := h.more()
	if x.moved == nil {
		x.moved = make(map[*backlog[T]]string)
	}
	x.moved[b] = key
}

func (h *host[T]) movedTo(b *backlog[T]) (key string, moved bool) {
	if h.rest == nil {
		return "", false
	}
	key, moved = h.rest.moved[b]
	return key, moved
}

// handOver moves a target and its items that wait to another host.
func (h *host[T]) handOver(b *backlog[T], to *host[T]) {
	if h.first == b {
		h.first = nil
	}
	to.addTarget(b)
	x := h.rest
	if x == nil {
		return
	}
	back, suspects := x.back, x.suspects
	x.back, x.suspects = nil, nil
	for _, en := range back {
		if en.of == b {
			to.putBack(en)
		} else {
			h.putBack(en)
		}
	}
	for _, s := range suspects {
		dest := h
		if s.of == b {
			dest = to
		}
		dest.more().suspects = append(dest.more().suspects, s)
	}
	for i, m := range x.more {
		if m == b {
			x.more = append(x.more[:i], x.more[i+1:]...)
			break
		}
	}
}
