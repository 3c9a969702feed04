package executor

import "time"

// giveUpBatch is how many hosts are given up before they are told of: what a scan says of 200,000 at once would take more
// memory than they did.
const giveUpBatch = 1000

// parkedLevels is how many numbers of parks in a row are told apart when room is short.
const parkedLevels = 16

func (e *Executor[T]) level(h *host[T]) int { return min(int(h.parks), parkedLevels-1) }

// parkLocked takes a quarantined host out of work until at. What was held back is given back: the host was at fault.
func (e *Executor[T]) parkLocked(h *host[T], at time.Time, now moment, n *news[T]) {
	switch h.place {
	case ended:
		return
	case parked:
		e.recallLocked(h, at, now)
		return
	}
	e.detachLocked(h)
	e.setWorkingLocked(h, false)
	h.contacted, h.window, h.streak = false, 1, 0
	h.parks = min(h.parks+1, parkedLevels)
	h.era++
	e.giveSuspectsBackLocked(h, n)
	n.waiveAll(h)
	wait := at.Sub(e.began.Add(time.Duration(now)))
	switch {
	case h.idle(e.checks):
		e.endLocked(h, n)
		return
	case wait >= never && e.doubtDeathLocked(h):
		wait = e.cfg.Doubt
	case wait >= never:
		e.abandonLocked(n, h, Dead)
		return
	case e.cfg.NoRevisit && e.doubtDeathLocked(h):
		wait = e.cfg.Doubt
	case e.cfg.NoRevisit:
		e.abandonLocked(n, h, Quarantined)
		return
	}
	h.rewind()
	h.place, h.wake = parked, now.after(max(wait, minPark))
	e.timers.push(h)
	if e.parkedBy == nil {
		e.parkedBy = make([]line[T], parkedLevels)
	}
	e.parkedBy[e.level(h)].push(h)
	e.tally.Parked++
	if e.tally.Parked > e.cfg.MaxParked {
		e.abandonLocked(n, e.mostParkedLocked(), BacklogFull)
	}
}

// recallLocked brings the call of a parked host forward, if what is known by now says so.
func (e *Executor[T]) recallLocked(h *host[T], at time.Time, now moment) {
	wake := max(now.after(minPark), e.moment(at))
	if wake >= h.wake || e.cfg.NoRevisit {
		return
	}
	e.wakeAtLocked(h, wake)
}

func (e *Executor[T]) wakeAtLocked(h *host[T], wake moment) {
	e.timers.remove(h)
	h.wake = wake
	e.timers.push(h)
}

// lapseLocked gives up a host that is not called again, now that no outage has explained its quarantine. A pause is to tell.
func (e *Executor[T]) lapseLocked(h *host[T], now moment, n *news[T]) {
	if e.paused {
		e.wakeAtLocked(h, now.after(e.cfg.Doubt))
		return
	}
	e.abandonLocked(n, h, Quarantined)
}

// mostParkedLocked is the parked host that failed most often, of several the one whose call is furthest away.
func (e *Executor[T]) mostParkedLocked() *host[T] {
	for i := len(e.parkedBy) - 1; i > 0; i-- {
		if h := e.parkedBy[i].tail; h != nil {
			return h
		}
	}
	return e.parkedBy[0].tail
}

// endedLocked says whether the scan is over, and whether it has just begun to wait for parked hosts alone. It gives up
// the hosts for which it no longer waits, so many at a time; more says that some are left to be given up at once.
func (e *Executor[T]) endedLocked(now moment, n *news[T]) (over, waiting, more bool) {
	if e.stopping {
		if !e.inputDone || e.tally.InFlight > 0 {
			return false, false, false
		}
		for _, h := range e.hosts {
			if len(n.ended) >= giveUpBatch {
				return false, false, true
			}
			e.abandonLocked(n, h, e.stopWhy)
		}
		return true, false, false
	}
	if e.paused || !e.inputDone || e.tally.Working > e.calling {
		e.lingering = false
		return false, false, false
	}
	if !e.lingering {
		e.lingering = true
		e.lingerUntil = now.after(e.cfg.Linger)
		waiting = e.tally.Parked > 0 && e.cfg.Linger > 0 && !e.cfg.NoRevisit
	}
	if now < e.doubtfulLocked() {
		return false, waiting, false
	}
	underWay := e.tally.InFlight > 0 || e.fresh.n > 0 // a host that recovers keeps the scan, and with it the others
	if now >= e.lingerUntil || !underWay && e.timers.top() > e.lingerUntil {
		more = e.giveUpLocked(n)
		waiting = false
	}
	return e.tally.Working == 0 && e.tally.Parked == 0 && e.tally.InFlight == 0, waiting, more
}

// giveUpLocked skips hosts that are not called again, the last ones of the heap first, and says whether there may be more.
// A probe in flight is awaited.
func (e *Executor[T]) giveUpLocked(n *news[T]) (more bool) {
	batch := make([]*host[T], 0, giveUpBatch)
	for i := len(e.timers.list) - 1; i >= 0 && len(batch) < giveUpBatch; i-- {
		if h := e.timers.list[i]; h.inflight == 0 || h.place == parked {
			batch = append(batch, h)
		}
	}
	for _, h := range batch {
		e.abandonLocked(n, h, Quarantined)
	}
	return len(batch) == giveUpBatch
}
