package requester

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redialscan/redial/pkg/flow"
	"github.com/redialscan/redial/pkg/hosterrors"
)

// admit walks a request through flow, window and breaker. Whoever refuses, the flow slot is given back.
func (c *Client) admit(ctx context.Context, g *gate, turn Turn, patient bool) (hosterrors.Ticket, error) {
	if c.outage.down.Load() {
		if patient { // what a chain has come to cannot be put back
			return hosterrors.Ticket{}, &hosterrors.OutageError{}
		}
		return hosterrors.Ticket{}, &NotAdmittedError{Key: g.key, Until: time.Now().Add(canaryStep)}
	}
	grant, err := c.takeSlot(ctx, g, turn, patient)
	if err != nil {
		return hosterrors.Ticket{}, err
	}
	if c.cfg.Window != nil {
		if wait, ok := c.cfg.Window.Admit(g.key); !ok {
			now := time.Now()
			grant.Cancel(now)
			return hosterrors.Ticket{}, &NotAdmittedError{Key: g.key, Until: now.Add(wait)}
		}
	}
	if c.cfg.Breaker == nil {
		return hosterrors.Ticket{}, nil
	}
	ticket, ok := c.cfg.Breaker.Enter(g.key)
	if !ok {
		now := time.Now()
		grant.Cancel(now)
		return ticket, &NotAdmittedError{Key: g.key, Until: c.cfg.Breaker.NextAdmit(g.key, now)}
	}
	return ticket, nil
}

// takeSlot takes a slot of the scan's and the host's pace and waits for it. A patient caller has nothing to be put back to, so it
// waits where the rule would refuse it.
func (c *Client) takeSlot(ctx context.Context, g *gate, turn Turn, patient bool) (flow.Grant, error) {
	if c.scan == nil && g.pace == nil {
		return flow.Grant{}, nil
	}
	for {
		now := time.Now()
		grant := flow.TakeBoth(c.scan, g.pace, now)
		if !grant.OK && !patient {
			return grant, &NotAdmittedError{Key: g.key, Until: now.Add(grant.Wait)}
		}
		if grant.Wait > 0 {
			if err := wait(ctx, turn, now.Add(grant.Wait)); err != nil {
				grant.Cancel(time.Now())
				return grant, fmt.Errorf("waiting for a slot: %w", err)
			}
		}
		if grant.OK {
			return grant, nil
		}
	}
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
	req           *Request
	ticket        hosterrors.Ticket
	key           string
	ignoreTimeout bool
	done          bool
}

// success books that a response head came.
func (b *booking) success() {
	if !b.done {
		b.done = true
		b.ticket.Success()
		b.client.alive(b.gate, b.req)
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
		b.client.cfg.Window.Record(b.key)
	}
}

// counts tells whether the failure window counts the error: it counts what the breaker counts.
func (b *booking) counts(err error) bool {
	if slow, ok := errors.AsType[*hosterrors.TimeoutError](err); ok && b.ignoreTimeout && slow.Phase == hosterrors.PhaseHead {
		return false
	}
	return b.client.verdict(err).Blame == hosterrors.BlameHost
}
