package flow

import "time"

// A Grant is the answer to one request.
//
// OK: the request may go after Wait (0 = at once), which is to say at now + Wait.
// Not OK: it is refused and nothing was taken; asking again after Wait would be
// granted if nobody else asks meanwhile.
//
// A Grant is a value for one goroutine at a time. The zero value is a refusal.
type Grant struct {
	OK   bool
	Wait time.Duration

	first, second hold
	leased        *Leased // nil = no slot of one
	at            time.Time
}

// hold is what a grant took from one limiter.
type hold struct {
	from *Limiter
	slot slot
}

// Cancel gives back what the grant took, for a request that does not leave. It
// may be called before or after the wait is over. A repeated call is harmless, as
// is one on a refusal; but do not cancel two copies of one grant.
//
// What comes back depends on the mode:
//
//   - Reject: the request counts as never made.
//   - Newest slot of the other modes: the schedule, and the warmth, are as if it
//     had never been taken. Cancelling from the newest to the oldest undoes them all.
//   - A slot with others behind it: those keep their moments, since their owners
//     wait for them already. The slot is kept for the next request that asks before
//     its moment has passed. Up to 64 such slots are kept per limiter, the latest
//     ones; a slot that is past or beyond that number is lost, so that a
//     cancellation can make the pace slower than the rule but never faster.
//   - Slot of a Leased: it is there for others as long as it lives.
func (g *Grant) Cancel(now time.Time) {
	first, second, leased := g.first, g.second, g.leased
	g.first, g.second, g.leased = hold{}, hold{}, nil
	if first.from != nil {
		first.from.giveBack(first.slot, now)
	}
	if second.from != nil {
		second.from.giveBack(second.slot, now)
	}
	if leased != nil {
		leased.giveBack(g.at)
	}
}

// Renew is for a request that is about to leave, and may have come too late for its slot of a [Leased]: it takes another one
// in its place, for which there may be a wait. Not OK: there is none now, wait is when to look again, and the rest of the
// grant is as it was. A grant without such a slot is always OK.
func (g *Grant) Renew(now time.Time) (wait time.Duration, ok bool) {
	if g.leased == nil || now.Sub(g.at) <= SlotLife {
		return 0, true
	}
	g.leased.mu.Lock()
	defer g.leased.mu.Unlock()
	g.leased.noteLocked(now)
	at, ok := g.leased.takeLocked(now, now)
	if !ok {
		return askAgain, false
	}
	g.at = at
	return max(0, at.Sub(now)), true
}
