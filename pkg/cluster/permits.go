package cluster

import (
	"errors"
	"fmt"
	"time"
)

const (
	// slotLife is how long after its moment a worker may use a slot.
	slotLife = 20 * time.Millisecond
	// usualBlur is by how much a worker's clock may be mistaken at no cost of rate.
	usualBlur = 5 * time.Millisecond
	maxBlur   = 250 * time.Millisecond
	blurLasts = 10 * time.Second

	permitLead  = 5 * time.Millisecond   // an answer needs some time to arrive
	permitAhead = 200 * time.Millisecond // slots are given out at most so far ahead
	askingLasts = 500 * time.Millisecond // how long a worker counts as one that wants slots
	permitShare = 100 * time.Millisecond // of the rate: what one request gets, and a dead worker costs, at most
)

// permits is the one queue that the slots of a scan-wide rate come from. It is pure: all times are given, counted from any
// one moment. Slots have a distance that makes up for how they are used: at most slotLife late, by clocks that are mistaken by
// blur either way. So in no second there are more sends than the rate.
type permits struct {
	rate   float64
	next   time.Duration // the first slot that is free
	blur   time.Duration // the largest that was told lately
	blurAt time.Duration
	asking map[string]time.Duration // when workers that want slots asked last
}

// grant is an answer to a request for slots.
type grant struct {
	Now   time.Duration `json:"now"`             // of the coordinator's clock, counted from a moment of its own
	First time.Duration `json:"first,omitempty"` // the moment of the first slot, of the same clock
	Every time.Duration `json:"every,omitempty"`
	N     int           `json:"n,omitempty"`
	Again time.Duration `json:"again,omitempty"` // with N 0: ask again so much later
	Epoch string        `json:"epoch"`           // another one: another clock
}

// ask is a request for slots.
type ask struct {
	Worker string        `json:"worker"`
	Want   int           `json:"want"` // 0: only the time
	Blur   time.Duration `json:"blur"` // how far the worker may be mistaken about the coordinator's clock
}

func (a *ask) check() error {
	switch {
	case !validID(a.Worker):
		return fmt.Errorf("worker %.40q, expected 1 to 64 letters, digits, dots and dashes", a.Worker)
	case a.Want < 0:
		return fmt.Errorf("%d slots wanted, expected 0 or more", a.Want)
	case a.Blur < 0 || a.Blur > maxBlur:
		return fmt.Errorf("a blur of %s, expected 0 to %s", a.Blur, maxBlur)
	}
	return nil
}

func (g *grant) check() error {
	switch {
	case g.N < 0 || g.N > 1<<20:
		return fmt.Errorf("%d slots, expected 0 to %d", g.N, 1<<20)
	case g.N > 0 && (g.Every <= 0 || g.First < g.Now || g.First > g.Now+time.Hour):
		return errors.New("slots without a distance, or at no time to come")
	case g.Again < 0 || g.Again > time.Hour:
		return fmt.Errorf("again after %s, expected 0 to 1h", g.Again)
	case !validID(g.Epoch):
		return fmt.Errorf("epoch %.40q, expected 1 to 64 letters, digits, dots and dashes", g.Epoch)
	}
	return nil
}

// every is the distance of slots.
func (p *permits) every(now time.Duration) time.Duration {
	if now-p.blurAt > blurLasts {
		p.blur = 0
	}
	spread := slotLife + 2*max(p.blur, usualBlur)
	return time.Duration(float64(time.Second+spread)/p.rate) + 1
}

// take gives out slots. Shares follow demand: each request is served where the queue stands, and whoever has what it wants
// does not ask.
func (p *permits) take(now time.Duration, a ask) grant {
	if a.Blur >= p.blur {
		p.blur, p.blurAt = a.Blur, now
	}
	g := grant{Now: now}
	if a.Want <= 0 {
		return g
	}
	rivals := p.rivals(now, a.Worker)
	first := max(p.next, now+permitLead)
	if first-now > permitAhead {
		g.Again = first - now - permitAhead + permitLead
		return g
	}
	g.First, g.Every = first, p.every(now)
	g.N = min(a.Want, max(1, int(p.rate*permitShare.Seconds())/rivals))
	p.next = first + time.Duration(g.N)*g.Every
	return g
}

// rivals is the number of workers that want slots at a time, with the one that asks. The more there are the less each gets
// at once, so that they take turns.
func (p *permits) rivals(now time.Duration, worker string) int {
	if p.asking == nil {
		p.asking = make(map[string]time.Duration)
	}
	p.asking[worker] = now
	for w, at := range p.asking {
		if now-at > askingLasts {
			delete(p.asking, w)
		}
	}
	return len(p.asking)
}
