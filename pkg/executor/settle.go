package executor

// settleLocked draws the consequences of a run: for its host first, then for its item.
func (e *Executor[T]) settleLocked(c *claim[T], out Outcome[T], quarantined bool, now moment, n *news[T]) {
	h, en := c.host, c.entry
	if out.Kind != NotAdmitted {
		en.sends++
		en.owed = out.repeats()
	}
	if out.Kind == HostError && !out.Spent && c.began < e.recalled { // of the outage, and late
		n.waive(&en)
		e.againLocked(h, en, now, n)
		return
	}
	if out.answered() {
		e.heardLocked(c.began, now, n)
	}
	if out.answered() && c.era == h.era {
		e.answeredLocked(h, c.began, n)
	}
	if out.Kind == HostError {
		h.streak++
		h.lastErr = out.Err
		e.lapse = now
	}
	switch out.Kind {
	case Done:
		e.serveLocked(h)
		e.tally.Done++
	case Moot:
		e.tally.Done++
	case CheckError:
		e.failLocked(n, h, en.tried(), out.Err)
	case HostError:
		en.at = now // since when its host is suspected
		e.settleErrorLocked(c, en, out, quarantined, n)
	case Neutral:
		if en.neutral++; en.neutral > maxNeutral {
			e.failLocked(n, h, en.tried(), out.Err)
			return
		}
		pause := neutralPause << min(en.neutral-1, 5)
		e.againLocked(h, en, max(now.after(pause), e.moment(out.At)), n)
	case NotAdmitted:
		e.againLocked(h, en, max(now.after(paceStep), e.moment(out.At)), n)
		e.buryLocked(h, out, now, n)
	case Retry:
		if out.Free {
			en.free++
		} else {
			en.attempts++
		}
		e.againLocked(h, en, e.moment(out.At), n)
	case Abandon:
		h.lastErr = out.Err
		h.putBack(en)
		e.abandonLocked(n, h, out.Reason)
	}
}

// buryLocked gives up a host of which a run has learnt that it will not be admitted any more.
func (e *Executor[T]) buryLocked(h *host[T], out Outcome[T], now moment, n *news[T]) {
	if out.Kind != NotAdmitted || e.moment(out.At) < now.after(never) {
		return
	}
	if h.lastErr == nil {
		h.lastErr = out.Err
	}
	e.abandonLocked(n, h, Dead)
}

// settleErrorLocked decides what a host error means for the item that met it.
func (e *Executor[T]) settleErrorLocked(c *claim[T], en entry[T], out Outcome[T], quarantined bool, n *news[T]) {
	h := c.host
	final := out.At.IsZero()
	switch {
	case out.Spent:
		e.failLocked(n, h, en.tried(), out.Err)
	case c.probe && !h.answered && h.place != ended:
		h.giveBack(en) // as good as untried: the next call may as well take it again, and a cursor costs nothing
	case c.probe: // the host was asked, not the item, which may be why it failed: the next call takes another
		e.againLocked(h, en, 0, n)
	case !final:
		en.attempts++
		en.lapsedAt(en.at, e.heard)
		e.againLocked(h, en, e.moment(out.At), n)
	case e.cfg.Quarantined == nil || h.place == ended:
		e.failLocked(n, h, en.tried(), out.Err)
	default:
		x := h.more()
		x.suspects = append(x.suspects, suspect[T]{entry: en, err: out.Err})
		if quarantined || h.place == parked {
			e.giveSuspectsBackLocked(h, n)
		}
	}
}

// tried counts the run that is not to be given back.
func (en entry[T]) tried() entry[T] {
	en.attempts++
	return en
}

func (out Outcome[T]) answered() bool {
	return out.Kind == Done || out.Kind == Retry || out.Answered
}

// againLocked puts an item back, unless its host was given up meanwhile.
func (e *Executor[T]) againLocked(h *host[T], en entry[T], at moment, n *news[T]) {
	if h.place == ended || h.place == parked {
		n.waive(&en)
	}
	if h.place == ended {
		e.skipOneLocked(n, h, en)
		return
	}
	en.at = min(max(0, at), farFuture-1)
	h.putBack(en)
}

func (e *Executor[T]) skipOneLocked(n *news[T], h *host[T], en entry[T]) {
	n.waive(&en)
	e.tally.Skipped++
	e.loseLocked(h, 1)
	n.skipped = append(n.skipped, Skipped[T]{
		Host: h.key, Target: en.of.target, Again: []int{int(en.check)}, Reason: h.more().gone, Err: h.lastErr,
	})
}

// answeredLocked notes a sign of life: the failures before it were the items' own. A late one, of a host that was parked
// meanwhile, says nothing: only a probe decides.
func (e *Executor[T]) answeredLocked(h *host[T], sent moment, n *news[T]) {
	if h.place == parked || h.place == ended {
		return
	}
	h.streak, h.parks, h.misses = 0, 0, 0
	if h.calling {
		h.calling = false
		e.calling--
		e.lingering = false // the wait was worth it; what is left has its own
	}
	if !h.answered {
		e.proven++
	}
	h.contacted, h.answered, h.doomed = true, true, false
	h.window = min(h.window+1, int32(e.cfg.HostConcurrency))
	e.failSuspectsLocked(h, sent, n)
}

// failSuspectsLocked fails the items that were suspected before the host gave the answer to what was sent at that moment:
// an answer to an earlier request does not show that the host was well when they failed.
func (e *Executor[T]) failSuspectsLocked(h *host[T], sent moment, n *news[T]) {
	if h.rest == nil || h.rest.suspects == nil {
		return
	}
	open := h.rest.suspects[:0]
	for _, s := range h.rest.suspects {
		if s.at > sent {
			open = append(open, s)
		} else {
			e.failLocked(n, h, s.tried(), s.err)
		}
	}
	clear(h.rest.suspects[len(open):])
	if h.rest.suspects = open; len(open) == 0 {
		h.rest.suspects = nil
	}
}

// giveSuspectsBackLocked returns their last attempt to the items whose host has tripped.
func (e *Executor[T]) giveSuspectsBackLocked(h *host[T], n *news[T]) {
	if h.rest == nil {
		return
	}
	for _, s := range h.rest.suspects {
		if s.given >= maxGiven {
			e.failLocked(n, h, s.tried(), s.err)
			continue
		}
		s.given++
		s.at = 0
		h.putBack(s.entry)
	}
	h.rest.suspects = nil
}

// settleCallLocked draws the consequences of a plain probe, which took an item's place and says nothing of it.
func (e *Executor[T]) settleCallLocked(c *claim[T], out Outcome[T], now moment, n *news[T]) {
	h := c.host
	if h.place == ended {
		e.skipOneLocked(n, h, c.entry)
		return
	}
	h.giveBack(c.entry)
	switch {
	case out.answered():
		e.heardLocked(c.began, now, n)
		e.answeredLocked(h, c.began, n)
	case out.Kind == HostError:
		h.streak++
		h.lastErr = out.Err
		e.lapse = now
	case out.Kind == Abandon:
		h.lastErr = out.Err
		e.abandonLocked(n, h, out.Reason)
	default:
		h.hold = max(now.after(neutralPause), e.moment(out.At))
		if h.misses++; h.misses > maxNeutral {
			e.abandonLocked(n, h, Quarantined)
		}
		e.buryLocked(h, out, now, n)
	}
}

// hostLocked gives the host of a name, a new one if there is none.
func (e *Executor[T]) hostLocked(key string) *host[T] {
	h := e.hosts[key]
	if h == nil {
		h = &host[T]{key: key, slot: -1, window: 1}
		e.hosts[key] = h
		e.tally.Hosts++
		e.setWorkingLocked(h, true)
		e.clocks.meet(h)
	}
	return h
}
