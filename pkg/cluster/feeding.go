package cluster

import (
	"context"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
)

// feed takes one target of the input.
func (r *course) feed(ctx context.Context, t Target) error {
	if err := t.check(&r.c.spec); err != nil && (t.From < r.c.spec.Items || len(t.Again) > 0) {
		return fmt.Errorf("target %d: %w", t.Index, err)
	}
	if t.Index < r.read {
		return fmt.Errorf("target %d comes after target %d, expected ascending indexes", t.Index, r.read-1)
	}
	r.read = t.Index + 1
	if err := r.announce(ctx); err != nil {
		return err
	}
	r.count(&t)
	t.From, t.Again = r.accounts.Left(t.Index)
	r.open += int64(r.c.spec.Items - t.From + len(t.Again))
	t, some := r.unplaced(t)
	if !some {
		return nil
	}
	for _, b := range r.cut.add(t) {
		if err := r.give(ctx, b, false); err != nil {
			return err
		}
	}
	return nil
}

// count counts the items that are wanted of a target, and puts the others down as ended, so that nobody can tell of them.
func (r *course) count(t *Target) {
	wanted := make(map[int]struct{}, len(t.Again))
	for _, i := range t.Again {
		wanted[i] = struct{}{}
	}
	for i := range t.From {
		if _, ok := wanted[i]; !ok {
			r.accounts.Take(t.Index, i)
		}
	}
	n := int64(r.c.spec.Items - t.From + len(t.Again))
	r.items += n
	if n > 0 && t.Key != r.lastKey {
		r.lastKey = t.Key
		r.hosts++
	}
}

// unplaced leaves of a target what is in no stream since an earlier run.
func (r *course) unplaced(t Target) (Target, bool) {
	if r.placed != nil {
		var again []int
		for _, i := range t.Again {
			if !r.placed.Has(t.Index, i) {
				again = append(again, i)
			}
		}
		for i := t.From; i < r.c.spec.Items; i++ {
			if !r.placed.Has(t.Index, i) {
				again = append(again, i)
			}
		}
		t.From, t.Again = r.c.spec.Items, again
	}
	return t, t.From < r.c.spec.Items || len(t.Again) > 0
}

// announce raises the bound of indexes before anybody can tell of a target above it: a coordinator that takes up the scan
// needs one, too.
func (r *course) announce(ctx context.Context) error {
	if r.read <= r.bound {
		return nil
	}
	r.bound = r.read + boundStep
	return r.post(ctx)
}

// post tells of the scan as it stands.
func (r *course) post(ctx context.Context) error {
	n := notice{Spec: r.c.spec, Phase: phaseRun, Bound: r.bound}
	switch {
	case r.stopping:
		n.Phase = phaseStop
	case !r.final.IsZero():
		n.Phase = phaseFinal
	}
	return r.c.post(ctx, n)
}

// flush gives out what is open.
func (r *course) flush(ctx context.Context) error {
	for _, b := range r.cut.flush() {
		if err := r.give(ctx, b, false); err != nil {
			return err
		}
	}
	return nil
}

// send notes that a batch is out.
func (r *course) send(id string, again bool) {
	if _, known := r.out[id]; known {
		return
	}
	r.out[id] = again
	if !again {
		r.fresh++
	}
}

// returned notes that a batch is not out any more, and says whether it was.
func (r *course) returned(id string) bool {
	again, known := r.out[id]
	delete(r.out, id)
	if known && !again {
		r.fresh--
	}
	return known
}

// give puts a batch into the stream of work. With again its hosts are only called once more.
func (r *course) give(ctx context.Context, b Batch, again bool) error {
	if err := r.consumers.await(ctx, r.c.conn, &r.c.spec, b.Partition); err != nil {
		return err
	}
	r.ids++
	b.ID = r.epoch + "-" + strconv.Itoa(r.ids)
	batches, encoded, err := encodeBatches(b)
	if err != nil {
		return err
	}
	for i, data := range encoded {
		id := b.ID
		if len(batches) > 1 { // its parts go by names of their own
			id += "-" + strconv.Itoa(i)
			batches[i].ID = id
			data = mustEncode(batches[i])
		}
		m := nats.NewMsg(r.c.names.workSubject(b.Partition))
		m.Data = data
		if _, err := r.c.conn.publish(ctx, m, id); err != nil {
			return err
		}
		r.send(id, again)
	}
	r.c.conn.nudge()
	return nil
}
