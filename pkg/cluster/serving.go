package cluster

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

const countEvery = 500 * time.Millisecond

// servePermits answers requests for the scan-wide rate until the function that it returns is called.
func (c *Coordinator) servePermits() (stop func(), err error) {
	if c.spec.Rate == 0 {
		return func() {}, nil
	}
	var mu sync.Mutex
	p := permits{rate: c.spec.Rate}
	began, epoch := time.Now(), NewScanID()
	return hear(c.conn, c.names.permitsSubject(), "permits", maxHeader, c.cfg.Refused, func(a ask, m *nats.Msg) {
		if m.Reply == "" {
			return
		}
		mu.Lock()
		g := p.take(time.Since(began), a)
		mu.Unlock()
		g.Epoch = epoch
		_ = m.Respond(mustEncode(g)) // who hears nothing asks again
	})
}

// countWorkers asks again and again who takes part, until ctx ends.
func (c *Coordinator) countWorkers(ctx context.Context, census chan<- []WorkerStatus) {
	for pause(ctx, countEvery) {
		all, _, err := c.conn.census(ctx, c.cfg.Refused, 0, censusWait)
		if err != nil {
			continue // the server is away, and comes back
		}
		select {
		case census <- all:
		case <-ctx.Done():
		}
	}
}
