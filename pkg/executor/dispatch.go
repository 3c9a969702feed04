package executor

import "time"

// claim is an item on its way to a worker.
type claim[T any] struct {
	host   *host[T]
	entry  entry[T]
	target T // as it was then: another item may settle it meanwhile
	began  moment
	slot   slot
	era    uint8
	fresh  bool // the host has not answered since it was new or parked
	probe  bool // the host is quarantined, and this is its call
}

// dispatch moves on all whose time has come and takes every item that can start. It is the only place that waits for a
// moment: next is how long nothing will happen by itself.
func (e *Executor[T]) dispatch(t time.Time) (claims []claim[T], next time.Duration, finished bool) {
	e.askPace(t)
	var n news[T]
	e.mu.Lock()
	now := e.moment(t)
	e.wakeSleepersLocked(now)
	expiring := e.expireLocked(now, &n)
	e.wakeHostsLocked(now, &n)
	for {
		c, ok := e.claimLocked(now, &n)
		if !ok {
			break
		}
		claims = append(claims, c)
	}
	finished, waiting, more := e.endedLocked(now, &n)
	until := e.nextTimeLocked()
	if e.cfg.Pace != nil && e.paceRoom <= 0 && e.lineUpLocked() {
		until = min(until, e.paceAt)
	}
	if doubtful := e.doubtfulLocked(); now < doubtful {
		until = min(until, doubtful)
	}
	if e.lingering && now < e.lingerUntil {
		until = min(until, e.lingerUntil)
	}
	if more || expiring {
		until = now
	}
	e.asleep = until
	parked := e.tally.Parked
	lingerUntil := e.began.Add(time.Duration(e.lingerUntil))
	e.mu.Unlock()

	e.tell(&n)
	if waiting && e.cfg.Waiting != nil {
		e.cfg.Waiting(parked, lingerUntil)
	}
	return claims, max(0, min(time.Duration(until-now), time.Hour)), finished
}

// askPace learns how many items may start, without the lock held.
func (e *Executor[T]) askPace(t time.Time) {
	if e.cfg.Pace == nil {
		return
	}
	e.mu.Lock()
	ask := e.paceRoom <= 0 && e.moment(t) >= e.paceAt && e.lineUpLocked()
	e.mu.Unlock()
	if !ask {
		return
	}
	at, room := e.cfg.Pace(t)
	e.mu.Lock()
	defer e.mu.Unlock()
	if at.After(t) {
		e.paceAt = e.moment(at)
		return
	}
	e.paceRoom = max(1, room)
	e.paceAt = e.moment(t).after(paceStep)
}

// lineUpLocked says that an item would start if the pace let it.
func (e *Executor[T]) lineUpLocked() bool {
	return !e.stopping && !e.paused && (e.workers > 0 && e.living.n > 0 || e.dials > 0 && e.fresh.n > 0)
}

// newsLocked says that the dispatcher has something to do before the time until which it sleeps.
func (e *Executor[T]) newsLocked() bool {
	return e.lineUpLocked() || e.nextTimeLocked() < e.asleep
}

// nextTimeLocked is when the next wait is over. No host is woken once the scan stops.
func (e *Executor[T]) nextTimeLocked() moment {
	if e.stopping {
		return e.sleepers.top()
	}
	return min(e.timers.top(), e.sleepers.top(), e.clocks.top())
}

// wakeHostsLocked takes out of the heap the hosts whose pause or cooldown is over.
func (e *Executor[T]) wakeHostsLocked(now moment, n *news[T]) {
	for !e.stopping && e.timers.top() <= now {
		h := e.timers.list[0]
		was := h.place
		if was == parked && e.cfg.NoRevisit {
			e.lapseLocked(h, now, n)
			continue
		}
		e.detachLocked(h)
		switch {
		case was == doubted && !e.paused: // a pause is to tell what failed, and why
			e.failSuspectsLocked(h, farFuture, n)
		case was == parked:
			h.calling = true
			e.calling++
			h.hold = 0
			e.setWorkingLocked(h, true)
		}
		e.placeLocked(h, now, n)
	}
}

// lineLocked chooses whose turn it is: of the hosts that answer when a worker is free, else of those that have not yet.
// Under a pace, which never lets all of them start, they take turns.
func (e *Executor[T]) lineLocked() (*line[T], slot) {
	living, fresh := e.workers > 0 && e.living.n > 0, e.dials > 0 && e.fresh.n > 0
	if living && !(fresh && e.cfg.Pace != nil && e.freshTurn) {
		return &e.living, workerSlot
	}
	return &e.fresh, dialSlot
}

// claimLocked takes the next item.
func (e *Executor[T]) claimLocked(now moment, n *news[T]) (claim[T], bool) {
	for e.lineUpLocked() && (e.cfg.Pace == nil || e.paceRoom > 0) {
		line, s := e.lineLocked()
		h := line.head
		e.detachLocked(h)
		en, ok := h.take(now, e.checks)
		if !ok {
			e.placeLocked(h, now, n)
			continue
		}
		if s == workerSlot {
			e.workers--
		} else {
			e.dials--
		}
		e.freshTurn = s == workerSlot
		e.paceRoom--
		e.clocks.start(h, now)
		h.inflight++
		e.tally.InFlight++
		e.placeLocked(h, now, n)
		return claim[T]{
			host: h, entry: en, target: en.of.target, began: now, slot: s, era: h.era, fresh: !h.contacted, probe: h.calling,
		}, true
	}
	return claim[T]{}, false
}

// placeLocked puts a host where it belongs by what it has left to send and when. A host that stays in its line keeps its
// turn. Parked hosts stay parked.
func (e *Executor[T]) placeLocked(h *host[T], now moment, n *news[T]) {
	if h.place == parked || h.place == ended {
		return
	}
	at := h.hold
	if !h.untried(e.checks) {
		at = max(at, h.nextBack())
	}
	if h == e.crowded && h.targets() < e.cfg.MaxBacklog {
		e.crowded = nil
		e.signalRoom()
	}
	switch {
	case at == farFuture && h.inflight == 0 && e.doubtLocked(h):
		e.detachLocked(h)
		h.place, h.wake = doubted, now.after(e.cfg.Doubt)
		e.timers.push(h)
		e.doubted.push(h)
	case at == farFuture && h.inflight == 0:
		e.failSuspectsLocked(h, farFuture, n)
		e.endLocked(h, n)
	case at == farFuture || h.inflight >= e.roomLocked(h):
		e.detachLocked(h)
	case at > now:
		e.detachLocked(h)
		h.place, h.wake = paused, at
		e.timers.push(h)
	case h.contacted && h.place != inLiving:
		e.detachLocked(h)
		h.place = inLiving
		e.living.push(h)
	case !h.contacted && h.place != inFresh:
		e.detachLocked(h)
		h.place = inFresh
		e.fresh.push(h)
	}
}

// detachLocked takes a host out of wherever it stands.
func (e *Executor[T]) detachLocked(h *host[T]) {
	switch h.place {
	case inFresh:
		e.fresh.remove(h)
	case inLiving:
		e.living.remove(h)
	case paused:
		e.timers.remove(h)
	case doubted:
		e.timers.remove(h)
		e.doubted.remove(h)
	case parked:
		e.timers.remove(h)
		e.parkedBy[e.level(h)].remove(h)
		e.tally.Parked--
	}
	h.place = nowhere
}

func (e *Executor[T]) setWorkingLocked(h *host[T], working bool) {
	if h.working == working {
		return
	}
	h.working = working
	if working {
		e.tally.Working++
		return
	}
	e.tally.Working--
	if h.calling {
		h.calling = false
		e.calling--
	}
	e.signalRoom()
}

// endLocked lets go of a host that has nothing left to send.
func (e *Executor[T]) endLocked(h *host[T], n *news[T]) {
	if h.place == ended {
		return
	}
	e.detachLocked(h)
	e.setWorkingLocked(h, false)
	h.place = ended
	e.leavesLocked(h)
	e.clocks.stop(h)
	if h.answered {
		e.proven--
	}
	if e.hosts[h.key] == h {
		delete(e.hosts, h.key)
	}
	n.end(h)
}
