package requester

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redialscan/redial/pkg/hosterrors"
)

const (
	// canaryStep is the least time from one round of the canary to the next.
	canaryStep = time.Second
	// canaryPatience is how long hosts are waited for in the first round; it doubles with each, up to the time limits of
	// requests, so that hosts which are slow to answer are heard as well.
	canaryPatience = 5 * time.Second
	// canaryOthers of the hosts that have answered, and did not fail, are asked as well, in turn.
	canaryOthers = 20
)

// OutageHooks are told of outages, by the goroutine of Watch. All are required.
type OutageHooks struct {
	// Paused says that an outage has begun: from now on every send is refused, and nothing that fails is counted.
	Paused func(Outage)
	// Over comes right before sends are admitted again.
	Over func(Outage, OutageEnd)
}

// OutageEnd is how an outage ended.
type OutageEnd struct {
	// Ours: a host that had failed answers, so the breaker has taken back what the outage did to the hosts. Otherwise it was
	// no outage: others answer, and those that failed did so by themselves.
	Ours     bool
	Answered string // the host that answered
	Undone   int    // hosts that are not quarantined any more
}

// LongOutageError says that an outage has lasted for longer than Config.OutageTimeout.
type LongOutageError struct {
	Outage
	After time.Duration
}

func (e *LongOutageError) Error() string {
	return fmt.Sprintf("nothing got through for %v: %d hosts that had answered failed, the last with: %v", e.After, e.Hosts, e.Err)
}

func (e *LongOutageError) Unwrap() error { return e.Err }

// Watch waits for outages until ctx ends, and sits each one out: it asks the hosts that had answered until one does, and
// has the breaker take back what the outage did to them. It returns nil when ctx has ended, and a *LongOutageError when
// an outage did not. With Config.OutageTimeout 0 there is nothing to watch for.
func (c *Client) Watch(ctx context.Context, hooks OutageHooks) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.outage.declared:
		}
		if err := c.sitOut(ctx, hooks); err != nil {
			return err
		}
	}
}

func (c *Client) sitOut(ctx context.Context, hooks OutageHooks) error {
	found, failing, others := c.outage.parties(canaryOthers)
	hooks.Paused(found)
	c.gates.clear(false) // a connection that idled through an outage is as good as closed
	limited, cancel := context.WithTimeout(ctx, c.cfg.OutageTimeout)
	defer cancel()
	asked := canary{ask: c.sound, failing: failing, others: others, most: c.cfg.DialTimeout + c.cfg.Timeout}
	end := OutageEnd{}
	var ok bool
	end.Answered, end.Ours, ok = asked.listen(limited)
	if !ok {
		if ctx.Err() != nil {
			return nil
		}
		return &LongOutageError{Outage: found, After: c.cfg.OutageTimeout}
	}
	if end.Ours && c.cfg.Breaker != nil {
		end.Undone = c.cfg.Breaker.Undo(found.Since)
	}
	if end.Ours && c.cfg.Window != nil {
		c.cfg.Window.Undo(found.Since)
		c.gates.reconsider(time.Now())
	}
	hooks.Over(found, end)
	for _, key := range c.outage.end(end.Ours) {
		if g := c.gates.find(key); g != nil {
			g.answered.Store(false)
		}
	}
	return nil
}

// sound asks a host for a sign of life, by the shortest way: no pace, no breaker, a fresh connection.
func (c *Client) sound(ctx context.Context, at origin) bool {
	req := &Request{Scheme: at.scheme, Host: at.host, Port: at.port}
	if at.scheme == "tcp" || at.scheme == "tls" {
		req.Talk = &silence
	}
	key := appendKey(nil, at.host, at.port)
	g, err := c.gates.enter(key, time.Now(), func() error { return c.welcome(req) })
	if err != nil {
		return false
	}
	defer c.leave(g)
	s := sending{client: c, ctx: ctx, req: req, gate: g}
	s.booking = booking{client: c, gate: g, done: true}
	_, _, err = s.once(true)
	return hosterrors.Judge(err).Blame == hosterrors.BlameAlive
}

// canary asks hosts until one answers.
type canary struct {
	ask             func(context.Context, origin) bool
	failing, others map[string]origin
	most            time.Duration // that a host is waited for
}

// patience is how long hosts are waited for in a round.
func (k *canary) patience(round int) time.Duration {
	return min(k.most, canaryPatience<<min(round, 10))
}

// listen asks two of the hosts that fail and one of the others at a time. ours: one that failed has answered. When only others do, all that fail are asked once more, and when none
// of them answers, the fault is theirs. ok is false when ctx has ended first.
func (k *canary) listen(ctx context.Context) (answered string, ours, ok bool) {
	failing, others := slices.Sorted(maps.Keys(k.failing)), slices.Sorted(maps.Keys(k.others))
	for round := 0; ; round++ {
		next := time.After(canaryStep)
		var asked []string
		for i := range min(2, len(failing)) {
			asked = append(asked, failing[(2*round+i)%len(failing)])
		}
		if len(others) > 0 {
			asked = append(asked, others[round%len(others)])
		}
		answered = k.first(ctx, asked, k.patience(round))
		if answered != "" {
			if _, failed := k.failing[answered]; failed {
				return answered, true, true
			}
			if again := k.first(ctx, failing, k.most); again != "" {
				return again, true, true
			}
			return answered, false, ctx.Err() == nil
		}
		select {
		case <-next:
		case <-ctx.Done():
			return "", false, false
		}
	}
}

// first asks some hosts at once and gives the first that answers, of which one that had failed comes before the others.
func (k *canary) first(ctx context.Context, keys []string, patience time.Duration) string {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var failing, other atomic.Pointer[string]
	var asking sync.WaitGroup
	for _, key := range keys {
		at, fails := k.failing[key]
		if !fails {
			at = k.others[key]
		}
		asking.Go(func() {
			switch {
			case !k.ask(ctx, at):
			case fails:
				failing.CompareAndSwap(nil, &key)
				cancel()
			default:
				other.CompareAndSwap(nil, &key)
			}
		})
	}
	asking.Wait()
	for _, p := range [...]*string{failing.Load(), other.Load()} {
		if p != nil {
			return *p
		}
	}
	return ""
}
