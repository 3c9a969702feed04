package cluster

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/redialscan/redial/pkg/report"
)

// waiting is a remainder that is parked in the stream of work.
type waiting struct {
	seq   uint64
	at    time.Time // when it was parked, or heard of
	due   time.Time
	held  bool // by its hosts; else it has to be given out again
	hosts int
}

// lot holds what is parked, the first that is due on top. It is not safe for concurrent use.
type lot []waiting

func (l lot) Len() int           { return len(l) }
func (l lot) Less(i, j int) bool { return l[i].due.Before(l[j].due) }
func (l lot) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }

// Push is for package heap.
func (l *lot) Push(x any) { *l = append(*l, x.(waiting)) }

// Pop is for package heap.
func (l *lot) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}

func (l *lot) push(w waiting) { heap.Push(l, w) }
func (l *lot) pop() waiting   { return heap.Pop(l).(waiting) }

// held says that everything in the lot is kept back by hosts.
func (l lot) held() bool { return !slices.ContainsFunc(l, func(w waiting) bool { return !w.held }) }

// next does what is due by now, and says whether the scan is over.
func (r *course) next(ctx context.Context, now time.Time) (over bool, err error) {
	read := r.inputEnd != nil && r.cut.targets == 0
	if read && r.open == 0 {
		return true, nil
	}
	told := read && r.heard >= r.owed
	if told && len(r.out) == 0 && len(r.parked) == 0 {
		return true, &LostError{Items: r.open}
	}
	if told && r.fresh == 0 && r.final.IsZero() && r.parked.held() {
		r.final = now.Add(r.c.cfg.Linger)
		n := 0
		for _, w := range r.parked {
			n += w.hosts
		}
		r.emit(&report.Waiting{Time: now, Hosts: n, Until: r.final})
		if err := r.post(ctx); err != nil {
			return false, err
		}
	}
	for len(r.parked) > 0 {
		w := r.parked[0]
		giveUp := w.held && !r.final.IsZero() && (w.due.After(r.final) || now.After(r.final))
		if !giveUp && w.due.After(now) {
			return false, nil
		}
		r.parked.pop()
		if giveUp {
			err = r.abandon(ctx, w)
		} else {
			err = r.unpark(ctx, w, now)
		}
		if err != nil {
			return false, err
		}
	}
	return read && r.open == 0, nil
}

// wake is when something is due next.
func (r *course) wake() (time.Time, bool) {
	if len(r.parked) == 0 {
		return time.Time{}, false
	}
	return r.parked[0].due, true
}

// unpark gives a remainder out again.
func (r *course) unpark(ctx context.Context, w waiting, now time.Time) error {
	b, err := r.fetchParked(ctx, w.seq)
	if err != nil || b == nil {
		return err
	}
	if b.Failures >= MaxDeliveries {
		r.skip(b, "undeliverable")
		return r.unstore(ctx, w.seq)
	}
	if b.Targets = r.unended(b.Targets); len(b.Targets) == 0 {
		return r.unstore(ctx, w.seq)
	}
	for i := range b.Hosts {
		b.Hosts[i] = b.Hosts[i].aged(now.Sub(w.at))
	}
	b.Parked = w.seq
	if err := r.give(ctx, *b, w.held); err != nil {
		return err
	}
	return r.unstore(ctx, w.seq)
}

// abandon ends a remainder whose hosts were waited for long enough.
func (r *course) abandon(ctx context.Context, w waiting) error {
	b, err := r.fetchParked(ctx, w.seq)
	if err != nil || b == nil {
		return err
	}
	reason := ""
	if b.Failures >= MaxDeliveries {
		reason = "undeliverable"
	}
	r.skip(b, reason)
	return r.unstore(ctx, w.seq)
}

// unended leaves of targets what has not ended.
func (r *course) unended(targets []Target) []Target {
	var all []Target
	for _, t := range targets {
		t.From, t.Again = r.accounts.Left(t.Index)
		if t.From < r.c.spec.Items || len(t.Again) > 0 {
			all = append(all, t)
		}
	}
	return all
}

// skip ends what is left of a batch. Without a reason it is what keeps the hosts back.
func (r *course) skip(b *Batch, reason string) {
	hosts := make(map[string]*Host, len(b.Hosts))
	for i := range b.Hosts {
		hosts[b.Hosts[i].Key] = &b.Hosts[i]
	}
	for _, t := range r.unended(b.Targets) {
		s := &report.Skipped{
			Time: time.Now(), Host: t.Key, Target: t.Index, Reason: reason, From: t.From, To: r.c.spec.Items, Again: t.Again,
		}
		for _, k := range breakerKeys(t.Key) {
			if h := hosts[k]; h != nil {
				s.Host, s.State, s.Trips, s.LastError = h.Key, h.State, h.Trips, h.LastError
				if h.State != "closed" {
					break
				}
			}
		}
		if s.Reason == "" {
			s.Reason = reasonOf(s.State)
		}
		r.c.cfg.Name(t, s)
		if kept := first(s, func(item int) bool { return r.ends(t.Index, item) }); kept != nil {
			r.emit(kept)
		}
	}
}

func reasonOf(state string) string {
	switch state {
	case "dead":
		return "dead"
	case "open", "half-open":
		return "quarantined"
	}
	return "held"
}

// fetchParked reads a remainder from the stream; nil when it is not there or nothing that we would have put there.
func (r *course) fetchParked(ctx context.Context, seq uint64) (*Batch, error) {
	m, err := r.c.conn.message(ctx, r.c.names.work(), seq)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the remainder %d: %w", seq, err)
	}
	b, err := decodeBatch(m.Data, &r.c.spec)
	if p, bad := partitionIn(m.Subject, r.c.spec.Partitions); err == nil && (bad != nil || m.Subject != r.c.names.parkedSubject(p)) {
		err = errors.New("no remainder")
	}
	if err != nil {
		r.c.cfg.Refused.note("parked", m.Subject, err)
		return nil, nil
	}
	return &b, nil
}

// unstore takes a remainder out of the stream.
func (r *course) unstore(ctx context.Context, seq uint64) error {
	return r.c.conn.removeMessage(ctx, r.c.names.work(), seq)
}
