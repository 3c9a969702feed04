package requester

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redialscan/redial/pkg/flow"
	"github.com/redialscan/redial/pkg/hosterrors"
)

// slot is a request's place in the pace of the scan and of its host.
type slot struct {
	grant flow.Grant
	slow  slotFrom
	began time.Time // when it was there to be used
}

// cancel gives the slot back, for a request that does not leave.
func (s *slot) cancel(now time.Time) {
	s.grant.Cancel(now)
	s.slow.cancel()
}

// admit walks a request that comes now through flow, window and breaker, and says when it has come through. Whoever refuses, the
// slot is given back.
func (c *Client) admit(ctx context.Context, g *gate, turn Turn, patient bool, now time.Time) (hosterrors.Ticket, time.Time, error) {
	var none hosterrors.Ticket
	if err := c.refuseInOutage(g, patient); err != nil {
		return none, now, err
	}
	taken, err := c.takeSlot(ctx, g, turn, patient, now)
	if err != nil {
		return none, now, err
	}
	now = taken.began
	if err := c.refuseInOutage(g, patient); err != nil { // it began while we waited
		taken.cancel(now)
		return none, now, err
	}
	if until := g.shutUntil(now); until.After(now) {
		taken.cancel(now)
		return none, now, &NotAdmittedError{Key: g.key, Until: until}
	}
	if c.cfg.Breaker == nil {
		return none, now, nil
	}
	ticket, ok := c.cfg.Breaker.Enter(g.key)
	if !ok {
		now := time.Now()
		taken.cancel(now)
		return none, now, &NotAdmittedError{Key: g.key, Until: c.cfg.Breaker.NextAdmit(g.key, now)}
	}
	return ticket, now, nil
}

// refuseInOutage refuses all but the canary. What a chain has come to cannot be put back.
func (c *Client) refuseInOutage(g *gate, patient bool) error {
	switch {
	case !c.outage.down.Load():
		return nil
	case patient:
		return &hosterrors.OutageError{}
	}
	return &NotAdmittedError{Key: g.key, Until: time.Now().Add(canaryStep), Outage: true}
}

// takeSlot takes a slot of the scan's and the host's pace, all of them or none, and waits for it. A patient caller has nothing
// to be put back to, so it waits where a pace would refuse it; a host that is shut refuses everybody.
func (c *Client) takeSlot(ctx context.Context, g *gate, turn Turn, patient bool, now time.Time) (slot, error) {
	for {
		if until := g.shutUntil(now); until.After(now) {
			return slot{}, &NotAdmittedError{Key: g.key, Until: until}
		}
		taken, at, ok := c.askSlot(g, now)
		if !ok && !patient {
			return slot{}, &NotAdmittedError{Key: g.key, Until: at}
		}
		if at.After(now) {
			err := wait(ctx, turn, at)
			if now = time.Now(); err != nil {
				taken.cancel(now)
				return slot{}, fmt.Errorf("waiting for a slot: %w", err)
			}
		}
		if ok {
			return c.onTime(ctx, g, turn, patient, taken, now)
		}
		now = time.Now()
	}
}

// onTime exchanges a leased slot that we come too late for: others may have had the worker for which the request waited.
func (c *Client) onTime(ctx context.Context, g *gate, turn Turn, patient bool, taken slot, now time.Time) (slot, error) {
	for {
		left, ok := taken.grant.Renew(now)
		switch {
		case ok && left == 0:
			taken.began = now
			return taken, nil
		case !ok && !patient:
			taken.cancel(now)
			return slot{}, &NotAdmittedError{Key: g.key, Until: now.Add(left)}
		}
		err := wait(ctx, turn, now.Add(left))
		if now = time.Now(); err != nil {
			taken.cancel(now)
			return slot{}, fmt.Errorf("waiting for a slot: %w", err)
		}
	}
}

// askSlot asks for a slot: its moment, or when to ask again.
func (c *Client) askSlot(g *gate, now time.Time) (taken slot, at time.Time, ok bool) {
	slow, at, ok := g.takeSlow(now)
	if !ok {
		return slot{}, at, false
	}
	grant := c.takeGrant(g, now, at)
	if !grant.OK {
		slow.cancel()
		return slot{}, now.Add(grant.Wait), false
	}
	return slot{grant: grant, slow: slow}, later(at, now.Add(grant.Wait)), true
}

func (c *Client) takeGrant(g *gate, now, at time.Time) flow.Grant {
	if c.cfg.Pace != nil {
		return flow.TakeLeased(c.cfg.Pace, g.pace, now, at)
	}
	return flow.TakeBoth(c.scan, g.pace, now)
}

func wait(ctx context.Context, turn Turn, until time.Time) error {
	if turn != nil {
		return turn.Wait(ctx, until)
	}
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// booking sees to it that a ticket gets exactly one outcome.
type booking struct {
	client        *Client
	gate          *gate
	sent          time.Time
	req           *Request
	ticket        hosterrors.Ticket
	ignoreTimeout bool
	done          bool
}

// success books that a response head came.
func (b *booking) success() {
	if !b.done {
		b.done = true
		b.ticket.Success()
		b.client.alive(b.gate, b.req, b.sent)
	}
}

// close books the error that the send ended with. Without one it can only have panicked, which says nothing about the host.
func (b *booking) close(err error) {
	if b.done {
		return
	}
	b.done = true
	if err == nil || errors.Is(err, hosterrors.ErrUnresponsiveHost) {
		b.ticket.Release()
		return
	}
	b.ticket.Fail(err, b.ignoreTimeout)
	if b.client.cfg.Window != nil && b.counts(err) {
		b.client.record(b.gate, err)
	}
}

// counts tells whether the failure window counts the error: it counts what the breaker counts.
func (b *booking) counts(err error) bool {
	if slow, ok := errors.AsType[*hosterrors.TimeoutError](err); ok && b.ignoreTimeout && slow.Phase == hosterrors.PhaseHead {
		return false
	}
	return b.client.verdict(err).Blame == hosterrors.BlameHost
}
