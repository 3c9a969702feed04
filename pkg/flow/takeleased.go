package flow

import "time"

// TakeLeased asks for one request under a leased pace and the rule of a host, and takes from both or from neither. A nil host
// is no rule. The request leaves no earlier than at a moment that others have set for it, or now when that is later.
//
// When both grant, Wait is the longer one, and the request has to leave within SlotLife of that moment, see [Grant.Renew].
// When one or both refuse, Wait is the time until it makes sense to ask again.
func TakeLeased(leased *Leased, host *Limiter, now, at time.Time) Grant {
	leased.mu.Lock()
	defer leased.mu.Unlock()
	var hostSlot slot
	var hostWait time.Duration
	if host != nil {
		host.mu.Lock()
		defer host.mu.Unlock()
		t, late := host.clockLocked(now)
		hostSlot = host.judgeLocked(t)
		wait := hostSlot.wait(t)
		if wait > host.maxWait {
			return Grant{Wait: time.Duration(wait - host.maxWait + late)}
		}
		hostWait = time.Duration(wait + late)
	}
	leased.noteLocked(now)
	wait := max(0, hostWait, at.Sub(now))
	slotAt, ok := leased.takeLocked(now, now.Add(wait))
	if !ok {
		return Grant{Wait: max(askAgain, wait-SlotLife)}
	}
	g := Grant{OK: true, Wait: max(wait, slotAt.Sub(now)), leased: leased, at: slotAt}
	if host != nil {
		host.bookLocked(hostSlot)
		g.first = hold{host, hostSlot}
	}
	return g
}
