package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/redialscan/redial/pkg/journal"
	"github.com/redialscan/redial/pkg/report"
)

// takeUp makes ready to run: it learns what an earlier run has left in the streams, and tells of the scan.
func (r *course) takeUp(ctx context.Context, before bool) error {
	if before {
		for p := range r.c.spec.Partitions { // made with the streams
			r.consumers.ready[p] = struct{}{}
		}
		if err := r.relearn(ctx); err != nil {
			return fmt.Errorf("take up the scan from before: %w", err)
		}
	}
	if err := r.tellHosts(ctx, before); err != nil {
		return err
	}
	r.bound = max(r.bound, boundStep)
	return r.post(ctx)
}

// relearn finds what is in the stream of work, and then hears all that was told until then: what is in neither has to be
// given out again. What a worker lets go of, it has told of before, and what it leaves stands behind what it had.
func (r *course) relearn(ctx context.Context) error {
	n, err := r.c.posted(ctx)
	if err != nil {
		return err
	}
	r.bound = max(r.bound, n.Bound)
	r.placed, r.resumed, r.sent.resumed = journal.NewAccounts(r.c.spec.Items), true, true
	moved := make(map[uint64]struct{})
	var left []waiting
	err = r.walk(ctx, func(m *jetstream.RawStreamMsg, b *Batch) error {
		if m.Subject == r.c.names.parkedSubject(b.Partition) {
			at := time.Now().Add(-r.c.conn.since(m.Time))
			wait := due(b.Targets, b.Hosts)
			left = append(left, waiting{seq: m.Sequence, at: at, due: at.Add(wait), held: wait > 0, hosts: countHosts(b.Targets)})
		} else {
			r.send(b.ID, b.Parked > 0 && len(b.Hosts) > 0)
			moved[b.Parked] = struct{}{}
		}
		for i := range b.Targets {
			r.place(&b.Targets[i], r.c.spec.Items)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, w := range left {
		if _, ok := moved[w.seq]; !ok {
			r.parked.push(w)
		}
	}
	if err := r.heed(ctx); err != nil {
		return err
	}
	// What the consumer from before has handed out is handed out again at once by a new one.
	err = r.c.conn.js.DeleteConsumer(ctx, r.c.names.events(), coordinatorConsumer)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		err = nil
	}
	return err
}

// place puts down that items of a target are in a stream: those from its From up to to, and its single ones.
func (r *course) place(t *Target, to int) {
	for i := t.From; i < to; i++ {
		r.placed.Take(t.Index, i)
	}
	for _, i := range t.Again {
		r.placed.Take(t.Index, i)
	}
}

// placeTold puts down that the items of an event are in a stream.
func (r *course) placeTold(e report.Event) {
	switch e := e.(type) {
	case *report.Result:
		r.placed.Take(e.Target, e.Index)
	case *report.Skipped:
		r.place(&Target{Index: e.Target, From: e.From, Again: e.Again}, e.To)
	}
}

// heed puts down what was told by workers and not let go of yet. It comes again, and is told of then.
func (r *course) heed(ctx context.Context) error {
	state, err := r.c.conn.state(ctx, r.c.names.events())
	if err != nil {
		return err
	}
	r.heard = max(1, state.FirstSeq) - 1
	for seq := state.FirstSeq; seq <= state.LastSeq && state.Msgs > 0; seq++ {
		m, err := r.c.conn.nextMessage(ctx, r.c.names.events(), r.c.names.every("events"), seq)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		seq, r.owed = m.Sequence, m.Sequence
		msg := &nats.Msg{Subject: m.Subject, Header: m.Header, Data: m.Data}
		_ = r.unpack(ctx, msg, func(_ chunk, read reader) error {
			_ = read(r.placeTold)
			return nil
		}) // it is judged when it comes
	}
	return nil
}

// walk passes on every batch that is in the stream of work, given out or parked, in its order, with those that come while
// it goes on.
func (r *course) walk(ctx context.Context, pass func(m *jetstream.RawStreamMsg, b *Batch) error) error {
	for seq := uint64(1); ; {
		m, err := r.c.conn.nextMessage(ctx, r.c.names.work(), "redial."+r.c.spec.Scan+".>", seq)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		seq = m.Sequence + 1
		b, err := decodeBatch(m.Data, &r.c.spec)
		if err != nil {
			r.c.cfg.Refused.note("work", m.Subject, err)
			continue
		}
		if err := pass(m, &b); err != nil {
			return err
		}
	}
}

// tellHosts tells workers what the events file knows of hosts, where the server does not know better.
func (r *course) tellHosts(ctx context.Context, before bool) error {
	if r.c.cfg.Earlier == nil || before {
		return nil
	}
	s := states{conn: r.c.conn, names: r.c.names, refused: r.c.cfg.Refused}
	for t, left := range r.c.cfg.Earlier.Hosts() {
		h := afterTransition(t)
		if h.Left > 0 {
			h.Left = min(h.Left, report.Duration(left))
		}
		if err := s.tell(partitionOf(t.Host, r.c.spec.Partitions), h); err != nil {
			return fmt.Errorf("tell the state of %s: %w", t.Host, err)
		}
	}
	ctx, stop := context.WithTimeout(ctx, callTimeout)
	defer stop()
	return r.c.conn.nc.FlushWithContext(ctx)
}

// reckon looks, now and then, for batches that an earlier run was told the end of: they were in the stream when this one looked,
// and nothing of them will come any more.
func (r *course) reckon(ctx context.Context, now time.Time) error {
	if !r.resumed || r.inputEnd == nil || len(r.out) == 0 || now.Before(r.reckoned.Add(reckonEvery)) {
		return nil
	}
	r.reckoned = now
	there := make(map[string]struct{})
	err := r.walk(ctx, func(m *jetstream.RawStreamMsg, b *Batch) error {
		if m.Subject == r.c.names.workSubject(b.Partition) {
			there[b.ID] = struct{}{}
		}
		return nil
	})
	if err != nil {
		return err
	}
	state, err := r.c.conn.state(ctx, r.c.names.events())
	if err != nil || r.heard < state.LastSeq && state.Msgs > 0 { // what they have told may be on its way
		return err
	}
	for id := range r.out {
		if _, ok := there[id]; !ok {
			r.returned(id)
		}
	}
	return nil
}

const reckonEvery = 10 * time.Second
