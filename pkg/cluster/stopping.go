package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// halt ends a scan before its time: workers hand back what they have, what they told is told, and the rest is skipped as
// interrupted. The error wraps [ErrStopped] and the cause of ctx's end.
func (r *course) halt(ctx, working context.Context, in *inputs) error {
	stopped := fmt.Errorf("%w: %w", ErrStopped, context.Cause(ctx))
	r.stopping = true
	r.show()
	if err := r.post(working); err != nil {
		return fmt.Errorf("stop the workers: %w", errors.Join(err, context.Cause(ctx)))
	}
	grace := time.NewTimer(stopGrace)
	defer grace.Stop()
	censuses, last, idle := 0, uint64(0), false
	for !idle || r.heard < last {
		select {
		case <-grace.C:
			idle, last = true, 0
		case m := <-in.chunks:
			if err := r.take(working, m); err != nil {
				return err
			}
		case all := <-in.census:
			r.c.show(func(s *Status) { s.Workers = all })
			if censuses++; censuses < 2 || idle || r.busy(all) { // the first one may have been begun before the stop
				break
			}
			state, err := r.c.conn.state(working, r.c.names.events())
			if err != nil {
				return err
			}
			idle, last = true, state.LastSeq
		}
	}
	for _, b := range r.cut.flush() {
		r.skip(&b, "interrupted")
	}
	err := r.walk(working, func(_ *jetstream.RawStreamMsg, b *Batch) error {
		r.skip(b, "interrupted")
		return nil
	})
	if err != nil {
		return err
	}
	return stopped
}

// busy says that workers still have batches of the scan.
func (r *course) busy(all []WorkerStatus) bool {
	for _, w := range all {
		if w.Scan == r.c.spec.Scan && len(w.Batches) > 0 {
			return true
		}
	}
	return false
}
