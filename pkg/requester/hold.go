package requester

import (
	"slices"
	"time"
)

// slotFrom is the throttle's part of a slot.
type slotFrom struct {
	gate *gate
	at   time.Time
}

// takeSlow takes a slot of a host that has asked for less; any other has no such slots.
func (g *gate) takeSlow(now time.Time) (slot slotFrom, at time.Time, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.slow == nil {
		return slotFrom{}, now, true
	}
	at, ok = g.slow.take(now)
	return slotFrom{g, at}, at, ok
}

// cancel gives the slot back.
func (s slotFrom) cancel() {
	if s.gate == nil {
		return
	}
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	if s.gate.slow != nil {
		s.gate.slow.giveBack(s.at)
	}
}

// shutUntil is until when nothing may be sent to the host at all: it has named a time, or is at the limit of its failure window.
func (g *gate) shutUntil(now time.Time) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	until := g.held
	if g.slow != nil {
		until = later(until, g.slow.until)
	}
	return later(now, until)
}

// nextAdmit is the gate's answer to when a request may go: failure window, throttle and pace.
func (g *gate) nextAdmit(now time.Time) time.Time {
	at := now
	if g.pace != nil {
		at = g.pace.NextAdmit(now)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.slow != nil {
		at = later(at, g.slow.nextAdmit(now))
	}
	return later(at, g.held)
}

// quietLocked says that the gate has nothing to remember of how the host is to be paced.
func (g *gate) quietLocked(now time.Time) bool {
	return !g.held.After(now) && g.served.idle(now) && (g.slow == nil || g.slow.idle(now)) &&
		(g.pace == nil || g.pace.Idle(now))
}

// isHeld says that the host is at the limit of its failure window.
func (g *gate) isHeld(now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.held.After(now)
}

// hear takes an answer: one that asks for less holds the host back, any other lets it recover.
func (c *Client) hear(g *gate, resp *Response, now time.Time) {
	g.mu.Lock()
	d, told := c.hearLocked(g, resp, now)
	g.mu.Unlock()
	if told {
		c.tell(d)
	}
}

func (c *Client) hearLocked(g *gate, resp *Response, now time.Time) (d Decision, told bool) {
	d = Decision{At: now, Key: g.key, Status: resp.Status}
	if !c.asksForLess(g, resp) {
		if resp.Status != 503 {
			g.served.add(now)
		}
		if g.slow != nil && g.slow.answered(now) {
			d.Kind, d.Status, told = Restored, 0, true
		}
		return d, told
	}
	if g.slow == nil {
		g.slow = &throttle{}
	}
	if resp.RetryAfter > 0 {
		until := now.Add(resp.RetryAfter)
		d.Kind, d.Until = Waits, until
		told = g.slow.hold(now, until)
	} else {
		d.Kind = Slowed
		told = g.slow.halve(now, g.served.count(now), g.served.full(now), c.top)
		d.Rate = g.slow.rate
	}
	resp.Throttled, resp.Again = true, g.slow.nextAdmit(now)
	return d, told
}

// asksForLess: 429 and what the user has named always do; 503 does where it says when to come back, and from a host that
// was seen to answer otherwise.
func (c *Client) asksForLess(g *gate, resp *Response) bool {
	switch {
	case resp.Status == 429 || slices.Contains(c.cfg.ThrottleStatus, resp.Status):
		return true
	case resp.Status == 503:
		return resp.RetryAfter > 0 || !g.served.last.IsZero()
	}
	return false
}

// mayName says that an answer of the status may say how long to wait.
func (c *Client) mayName(status int) bool {
	return status == 429 || status == 503 || slices.Contains(c.cfg.ThrottleStatus, status)
}

// record counts a failure of the host in its window, and tells when that is one too many.
func (c *Client) record(g *gate, err error) {
	c.cfg.Window.Record(g.key)
	wait, ok := c.cfg.Window.Admit(g.key)
	if ok {
		return
	}
	now := time.Now()
	g.mu.Lock()
	news := !g.held.After(now)
	g.held = later(g.held, now.Add(wait))
	d := Decision{At: now, Key: g.key, Kind: Held, Until: g.held, Err: err}
	g.mu.Unlock()
	if news {
		c.tell(d)
	}
}

func (c *Client) tell(d Decision) {
	if c.cfg.Observe != nil {
		c.cfg.Observe(d)
	}
}
