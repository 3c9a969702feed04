package cluster

import (
	"context"
	"errors"
	"sync"
)

var errNotTried = errors.New("nobody has tried")

// makersAtOnce is how many consumers are made at a time: each waits for a disk, and a worker that joins waits for all that were asked
// for before.
const makersAtOnce = 2

// consumers makes the consumers of partitions beside the scan, since making one takes a while, and nobody has to wait for
// those of others. The zero value makes each when it is asked for. It is used by one goroutine, beside run.
type consumers struct {
	order []int              // partitions, in the order in which they are made
	tried map[int]chan error // holds what came of each; the map itself does not change
	heard map[int]struct{}   // of which that was taken
	ready map[int]struct{}
}

func newConsumers(partitions []int) *consumers {
	c := &consumers{order: partitions, tried: make(map[int]chan error), heard: make(map[int]struct{}), ready: make(map[int]struct{})}
	for _, p := range partitions {
		c.tried[p] = make(chan error, 1)
	}
	return c
}

// run makes them, and returns when all are made or ctx has ended.
func (c *consumers) run(ctx context.Context, conn *Conn, spec *Spec) {
	var wg sync.WaitGroup
	defer wg.Wait()
	next := make(chan int)
	defer close(next)
	for range makersAtOnce {
		wg.Go(func() {
			for p := range next {
				c.tried[p] <- conn.makeConsumer(ctx, spec, p)
			}
		})
	}
	for _, p := range c.order {
		next <- p // with ctx at its end this fails soon
	}
}

// await returns when a partition has its consumer, and makes it where nobody else has.
func (c *consumers) await(ctx context.Context, conn *Conn, spec *Spec, p int) error {
	if _, ok := c.ready[p]; ok {
		return nil
	}
	err := errNotTried
	_, heard := c.heard[p]
	if tried, ok := c.tried[p]; ok && !heard {
		select {
		case err = <-tried:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		c.heard[p] = struct{}{}
	}
	if err != nil {
		err = conn.insist(ctx, callTimeout, func(ctx context.Context) error { return conn.makeConsumer(ctx, spec, p) })
	}
	if err == nil {
		c.ready[p] = struct{}{}
	}
	return err
}
