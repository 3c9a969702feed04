package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/redialscan/redial/pkg/report"
)

// held is a batch that is being run.
type held struct {
	shift     *shift
	d         *delivery
	batch     Batch
	run       string // its id
	failures  int    // with the deliveries before this one
	lease     *lease
	sink      *sink
	keys      map[string]struct{} // of the batch's hosts, for the breaker
	interrupt context.CancelCauseFunc
	back      atomic.Bool // it is to be handed back
}

// unhurried is the least wait of a remainder that nothing keeps back, so that it does not go round and round.
const unhurried = 100 * time.Millisecond

// run runs a batch that was handed out, and gives it back with all that became of it, unless its lease is lost on the way.
func (s *shift) run(ctx context.Context, d *delivery) {
	b, err := decodeBatch(d.data, &s.spec)
	if p, bad := partitionIn(d.subject, s.spec.Partitions); err == nil && (bad != nil || p != b.Partition) {
		err = fmt.Errorf("partition %d in a message of partition %d", b.Partition, p)
	}
	if err != nil {
		s.w.cfg.Refused.note("work", d.subject, err)
		asking, stop := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
		defer stop()
		_ = d.term(asking) // else it comes again, and is refused again
		return
	}
	h := s.hold(d, b)
	defer s.w.board.add(&b, d.count)()

	// Its life is that of the lease: what was found is still told, and what is left handed back, after ctx has ended.
	life, lose := context.WithCancelCause(s.over)
	running, interrupt := context.WithCancelCause(life)
	unwatch := context.AfterFunc(ctx, func() { interrupt(ErrHandBack) })
	defer s.begun(h, interrupt)()
	var wg sync.WaitGroup
	carried := make(chan struct{})
	wg.Go(func() {
		if err := h.lease.keep(life, d.more); err != nil {
			lose(err)
		}
	})
	wg.Go(func() {
		defer close(carried)
		if err := h.sink.carry(life); err != nil {
			lose(fmt.Errorf("%w: %w", ErrLeaseLost, err))
		}
	})
	defer wg.Wait()
	defer lose(nil)
	defer interrupt(nil)
	defer unwatch()

	e, err := h.work(life, running, ctx)
	if err == nil {
		h.sink.finish(e)
		select {
		case <-carried:
		case <-life.Done():
		}
	}
	if err == nil && life.Err() == nil && h.lease.Valid(time.Now()) {
		err = s.letGo(life, d)
	}
	switch cause := context.Cause(life); {
	case errors.Is(cause, errOver): // and so nobody waits for it
	case cause != nil:
		s.w.cfg.Log("batch %s is given up: %v", b.ID, cause)
	case err != nil:
		s.w.cfg.Log("batch %s is given up: %v", b.ID, err)
	}
}

// letGo acknowledges a batch. The answer may be lost with a connection, and then it is not known whether the server has it: a
// batch that is handed out again after all is run again.
func (s *shift) letGo(ctx context.Context, d *delivery) error {
	ctx, stop := context.WithTimeout(ctx, 3*callTimeout)
	defer stop()
	return s.conn.insist(ctx, callTimeout, d.done)
}

func (s *shift) hold(d *delivery, b Batch) *held {
	h := &held{
		shift: s, d: d, batch: b, run: NewScanID(), failures: b.Failures + int(min(d.count-1, 1000)),
		lease: newLease(time.Duration(s.spec.AckWait), d.asked), keys: make(map[string]struct{}),
	}
	for i := range h.batch.Hosts {
		h.batch.Hosts[i] = h.batch.Hosts[i].aged(d.age)
	}
	head := chunk{Batch: b.ID, Run: h.run, Worker: s.w.cfg.Name}
	h.sink = newSink(head, nil, h.send)
	h.sink.tick = s.began
	h.narrow(b.Targets)
	return h
}

// narrow makes the batch one of these targets. It is not run before or beside that.
func (h *held) narrow(targets []Target) {
	h.batch.Targets = targets
	clear(h.keys)
	for i := range targets {
		for _, k := range breakerKeys(targets[i].Key) {
			h.keys[k] = struct{}{}
		}
	}
	h.sink.left = newLeft(&h.batch, &h.shift.spec)
}

// work runs the batch, tells what is known of its hosts then, and puts aside what is left of it.
func (h *held) work(life, running, leave context.Context) (end, error) {
	if h.failures >= MaxDeliveries {
		return h.putAside(life, h.batch.Targets, h.batch.Hosts, parked{})
	}
	if h.d.count > 1 {
		if h.spare(life); len(h.batch.Targets) == 0 {
			return end{}, context.Cause(life)
		}
	}
	known, err := h.shift.states.of(life, &h.batch)
	if err != nil {
		return end{}, err
	}
	h.batch.Hosts = merge(h.batch.Hosts, known)
	out, failed := h.shift.runner.Run(running, Run{Batch: h.batch, Lease: h.lease, Emit: h.emit})
	if cause := context.Cause(life); cause != nil {
		return end{}, cause
	}
	leaving := leave.Err() != nil || h.back.Load()
	rest, cut := h.sink.rest()
	broken := (failed != nil || cut) && !leaving
	if !leaving {
		if failed != nil {
			h.shift.w.cfg.Log("batch %s could not be run: %v", h.batch.ID, failed)
		}
		h.shift.ran(failed)
	}
	hosts := h.afterwards(out.Hosts, failed == nil)
	for _, host := range hosts {
		err := h.shift.conn.insist(life, callTimeout, func(context.Context) error {
			return h.shift.states.tell(h.batch.Partition, host)
		})
		if err != nil {
			return end{}, fmt.Errorf("tell the state of %s: %w", host.Key, err)
		}
	}
	if len(rest) == 0 {
		return end{Sent: max(0, out.Sent)}, nil
	}
	p := parked{Wait: max(unhurried, due(rest, hosts)), Held: !broken && !leaving}
	switch {
	case p.Held:
		h.failures = 0
	case broken:
		h.failures++
		p.Wait = max(p.Wait, failLeast)
	}
	e, err := h.putAside(life, rest, hosts, p)
	e.Sent = max(0, out.Sent)
	return e, err
}

// afterwards is what is known of the batch's hosts after the run. Of one that is not told of any more, it is known that it
// is well, when the run was a whole one.
func (h *held) afterwards(hosts []Host, whole bool) []Host {
	told := make(map[string]struct{}, len(hosts))
	var all []Host
	for _, host := range hosts {
		told[host.Key] = struct{}{}
		if _, ours := h.keys[host.Key]; ours {
			all = append(all, host.shortened())
		}
	}
	for _, before := range h.batch.Hosts {
		if _, ok := told[before.Key]; ok {
			continue
		}
		if _, ours := h.keys[before.Key]; whole && ours {
			before = Host{Key: before.Key, State: "closed", Seq: before.Seq}
		}
		all = append(all, before)
	}
	return all
}

// putAside stores what is left of the batch, to go on as p says.
func (h *held) putAside(ctx context.Context, rest []Target, hosts []Host, p parked) (end, error) {
	var e end
	remainder := Batch{
		ID: h.batch.ID, Partition: h.batch.Partition, Targets: rest, Hosts: hostsOf(rest, hosts), Failures: h.failures,
	}
	batches, encoded, err := encodeBatches(remainder)
	if err != nil {
		return e, err
	}
	for i, data := range encoded {
		m := nats.NewMsg(h.shift.names.parkedSubject(h.batch.Partition))
		m.Data = data
		seq, err := h.shift.conn.publish(ctx, m, fmt.Sprintf("%s/%s/left/%d", h.batch.ID, h.run, i))
		if err != nil {
			return e, err
		}
		p.Seq, p.Hosts = seq, countHosts(batches[i].Targets)
		e.Parked = append(e.Parked, p)
	}
	return e, nil
}

func countHosts(targets []Target) int {
	keys := make(map[string]struct{})
	for i := range targets {
		keys[targets[i].Key] = struct{}{}
	}
	return len(keys)
}

// emit passes on what the run tells, and keeps the states of its hosts as they change.
func (h *held) emit(e report.Event) {
	if !h.lease.Valid(time.Now()) {
		return
	}
	if t, ok := e.(*report.Transition); ok {
		if _, ours := h.keys[t.Host]; ours {
			_ = h.shift.states.tell(h.batch.Partition, afterTransition(t)) // told again at the end
		}
	}
	h.sink.emit(e)
}

// send carries a chunk. One event that is too large for a message goes through the store of files.
func (h *held) send(ctx context.Context, c chunk, events []byte) error {
	if len(events) > maxChunk {
		store, err := h.shift.conn.js.ObjectStore(ctx, h.shift.names.files())
		if err != nil {
			return err
		}
		c.Object = objectName(c.id())
		if _, err := store.PutBytes(ctx, c.Object, events); err != nil {
			return err
		}
		events = nil
	}
	return h.shift.mail.send(ctx, h.batch.Partition, c, events)
}

func objectName(id string) string { return strings.ReplaceAll(id, "/", "-") }
