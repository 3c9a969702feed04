package cluster

import (
	"context"
	"encoding/json"
	"time"
)

const (
	paceEvery   = 5 * time.Millisecond
	paceTimeout = 500 * time.Millisecond
	syncEvery   = time.Second // while the coordinator's clock is not known well enough
)

// pace fetches permits as they are wanted, until ctx ends.
func (s *shift) pace(ctx context.Context, p Pace) {
	var o offset
	began := time.Now()
	var again, synced time.Time
	for pause(ctx, paceEvery) {
		now := time.Now()
		want := p.Wanted(now)
		blurred := o.blur(now.Sub(began)) > usualBlur && now.Sub(synced) >= syncEvery
		if want <= 0 && !blurred || now.Before(again) {
			continue
		}
		a := ask{Worker: s.w.cfg.Name, Want: want, Blur: o.blur(now.Sub(began))}
		if a.Blur > maxBlur { // nothing could be done with slots: learn the time first
			a.Want, a.Blur = 0, 0
		}
		g, err := s.permits(ctx, a, began, &o)
		synced = now
		if err != nil {
			again = time.Now().Add(reconnectWait / 2)
			continue
		}
		again = time.Now().Add(g.Again)
		// What came late is used with what is known of the clocks by now: its slots have passed, rather than moved.
		if g.N > 0 && o.blur(time.Since(began)) <= max(a.Blur, usualBlur) {
			p.Add(began.Add(o.ours(g.First)), g.Every, g.N)
		}
	}
}

func (s *shift) permits(ctx context.Context, a ask, began time.Time, o *offset) (grant, error) {
	ctx, stop := context.WithTimeout(ctx, paceTimeout)
	defer stop()
	var g grant
	data, err := json.Marshal(a)
	if err != nil {
		return g, err
	}
	asked := time.Since(began)
	m, err := s.conn.nc.RequestWithContext(ctx, s.names.permitsSubject(), data)
	if err != nil {
		return g, err
	}
	answered := time.Since(began)
	if err := decode(m.Data, maxHeader, &g, g.check); err != nil {
		s.w.cfg.Refused.note("permits", s.names.permitsSubject(), err)
		return g, err
	}
	o.learn(g.Epoch, asked, answered, g.Now)
	return g, nil
}
