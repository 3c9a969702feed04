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
func (g *Grant) Cancel(now time.Time) {
	first, second := g.first, g.second
	g.first, g.second = hold{}, hold{}
	if first.from != nil {
		first.from.giveBack(first.slot, now)
	}
	if second.from != nil {
		second.from.giveBack(second.slot, now)
	}
}

// TakeBoth asks for one request under two rules, and takes from both or from
// neither. A nil limiter is no rule.
//
// Both are locked while the two decisions are made, always scan before host: use a
// limiter in one of the two places only, never in both.
//
// When both grant, Wait is the longer one. The place of the rule with the shorter
// wait is then used late by the difference, so its spacing can be off by that much
// for a moment (never its rate in the long run). Ask when NextAdmit of both is
// near, and the difference is small. When one or both refuse, Wait is the time
// until both would take the request.
func TakeBoth(scan, host *Limiter, now time.Time) Grant {
	switch {
	case scan == nil && host == nil:
		return Grant{OK: true}
	case scan == nil:
		return host.Take(now)
	case host == nil || host == scan:
		return scan.Take(now)
	}
	scan.mu.Lock()
	host.mu.Lock()
	scanAt, scanLate := scan.clockLocked(now)
	hostAt, hostLate := host.clockLocked(now)
	scanSlot, hostSlot := scan.judgeLocked(scanAt), host.judgeLocked(hostAt)
	scanWait, hostWait := scanSlot.wait(scanAt), hostSlot.wait(hostAt)
	ok := scanWait <= scan.maxWait && hostWait <= host.maxWait
	if ok {
		scan.bookLocked(scanSlot)
		host.bookLocked(hostSlot)
	}
	host.mu.Unlock()
	scan.mu.Unlock()
	if !ok {
		return Grant{Wait: time.Duration(max(scanWait-scan.maxWait+scanLate, hostWait-host.maxWait+hostLate))}
	}
	return Grant{
		OK:     true,
		Wait:   time.Duration(max(scanWait+scanLate, hostWait+hostLate)),
		first:  hold{scan, scanSlot},
		second: hold{host, hostSlot},
	}
}
