package flow

import "time"

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
