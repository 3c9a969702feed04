package executor

import "time"

// minProven is how many hosts must have answered, and have work left, for an outage to be told from hosts that are dead.
const minProven = 3

// Pause keeps all items from starting until Resume. Those in flight go on; the wait for parked hosts and the time of
// each host stand still. It may be called from any goroutine.
func (e *Executor[T]) Pause() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.paused = true
	e.clocks.halt(e.moment(time.Now()))
}

// Resume ends a Pause. It may be called from any goroutine.
func (e *Executor[T]) Resume() {
	e.mu.Lock()
	e.paused = false
	e.clocks.resume(e.moment(time.Now()))
	e.mu.Unlock()
	e.kick()
}

// Recall takes back what failed since the moment, because an outage was to blame and not the hosts: attempts spent since
// then are given back, items held as failed go again, and parked hosts that are no longer quarantined go on. What was
// told of already stays as it is, see Config.Doubt. It returns how many items were put back. It may be called from any goroutine, best under a Pause.
func (e *Executor[T]) Recall(since time.Time) (items int) {
	var n news[T]
	free := e.freeHosts()
	e.mu.Lock()
	now, from := e.moment(time.Now()), e.moment(since)
	e.recalled = now
	for _, h := range free {
		if h.place == parked {
			e.unparkLocked(h)
		}
	}
	for _, h := range e.hosts {
		again := h.recall(from, now, &n)
		items += again
		if again > 0 || h.place == nowhere {
			if h.place == doubted {
				e.detachLocked(h)
			}
			e.placeLocked(h, now, &n)
		}
	}
	e.mu.Unlock()
	e.tell(&n)
	e.kick()
	return items
}

// freeHosts are the parked hosts that may be called now.
func (e *Executor[T]) freeHosts() []*host[T] {
	e.mu.Lock()
	var all []*host[T]
	for _, h := range e.hosts {
		if h.place == parked {
			all = append(all, h)
		}
	}
	e.mu.Unlock()
	free := all[:0]
	for _, h := range all {
		now := time.Now()
		if quarantined, at := e.ask(h.key, now); !quarantined && !at.After(now) {
			free = append(free, h)
		}
	}
	return free
}

// unparkLocked takes a host back into work as if it had not been parked the last time.
func (e *Executor[T]) unparkLocked(h *host[T]) {
	e.detachLocked(h)
	e.setWorkingLocked(h, true)
	h.contacted, h.hold, h.doomed = h.answered, 0, false
	h.parks = max(h.parks, 1) - 1
}

// recall gives the items back that failed from a moment on, and says how many there were.
func (h *host[T]) recall(from, now moment, n *news[T]) (items int) {
	if h.rest == nil {
		return 0
	}
	back := h.rest.back
	h.rest.back = nil
	for _, en := range back {
		if en.recall(from, now) {
			n.waive(&en)
			items++
		}
		h.putBack(en)
	}
	open := h.rest.suspects[:0]
	for _, s := range h.rest.suspects {
		if s.at < from {
			open = append(open, s)
			continue
		}
		items++
		s.recall(from, now)
		s.at = now
		h.putBack(s.entry)
	}
	clear(h.rest.suspects[len(open):])
	if h.rest.suspects = open; len(open) == 0 {
		h.rest.suspects = nil
	}
	return items
}

// lapsedAt notes an attempt that was spent. heard is when the last request was sent that any host answered.
func (en *entry[T]) lapsedAt(now, heard moment) {
	if en.lapsed == 0 || en.lapse <= heard {
		en.lapsed, en.lapse = 0, now
	}
	en.lapsed = min(en.lapsed+1, 255)
}

// recall returns the attempts that failed from a moment on, and has the item go again at once.
func (en *entry[T]) recall(from, now moment) bool {
	if en.lapsed == 0 || en.lapse < from {
		return false
	}
	en.attempts -= min(en.attempts, uint16(en.lapsed))
	en.lapsed = 0
	en.at = min(en.at, now)
	return true
}

// heardLocked notes that a host has answered what was sent at some moment: there was no outage then, and what had been in
// doubt is certain.
func (e *Executor[T]) heardLocked(sent, now moment, n *news[T]) {
	e.heard = max(e.heard, sent)
	for h := e.doubted.head; h != nil && h.wake <= sent.after(e.cfg.Doubt); h = e.doubted.head {
		e.detachLocked(h)
		e.failSuspectsLocked(h, farFuture, n)
		e.placeLocked(h, now, n)
	}
}

// doubtfulLocked is until when the last failure may turn out to be the work of an outage: so long no host is given up. Calls
// that go on failing do not put that off for ever.
func (e *Executor[T]) doubtfulLocked() moment {
	if !e.lingering || e.cfg.Doubt == 0 || e.proven < minProven || e.lapse <= e.heard {
		return 0
	}
	return min(e.lapse, e.lingerUntil).after(e.cfg.Doubt)
}

// doubtLocked says that what a host has left are failures that an outage may yet explain.
func (e *Executor[T]) doubtLocked(h *host[T]) bool {
	return e.cfg.Doubt > 0 && e.proven >= minProven && !e.stopping && h.rest != nil && len(h.rest.suspects) > 0
}

// doubtDeathLocked gives a host that is found dead, or is not called again, the benefit of the doubt, once.
func (e *Executor[T]) doubtDeathLocked(h *host[T]) bool {
	if h.doomed || e.cfg.Doubt == 0 || e.proven < minProven || e.stopping {
		return false
	}
	h.doomed = true
	return true
}
