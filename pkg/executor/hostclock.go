package executor

import (
	"hash/maphash"
	"time"
)

const (
	// minHostQueue is the number of ended hosts that may stand in the queue of host clocks before it is looked through.
	minHostQueue = 64
	// maxOverdue bounds the hosts of which it is remembered that their time was over, at 16 bytes or so each.
	maxOverdue = 1 << 20
)

// hostClocks ends each host that has had its time since its first item started, whether its items run, wait or are parked.
// All hosts have the same time, so a queue in the order of their starts is in the order of their ends. The executor's lock
// guards it.
type hostClocks[T any] struct {
	limit moment // 0 = none
	queue []clocked[T]
	late  []*host[T] // hosts of a name whose time was over before they came to be
	gone  int        // hosts in the queue that have ended
	seed  maphash.Seed
	// over has the hosts whose time was over, by the hash of their name, and whether they had served: what is read of them
	// later is skipped as well.
	over map[uint64]bool

	halted   bool // the scan is paused, which is no host's time
	haltedAt moment
}

type clocked[T any] struct {
	host  *host[T]
	until moment
}

func newHostClocks[T any](limit time.Duration) hostClocks[T] {
	return hostClocks[T]{limit: moment(limit), seed: maphash.MakeSeed(), over: make(map[uint64]bool)}
}

// start starts the clock of a host with its first item.
func (q *hostClocks[T]) start(h *host[T], now moment) {
	if q.limit == 0 || h.clocked {
		return
	}
	h.clocked = true
	q.queue = append(q.queue, clocked[T]{h, now + q.limit})
}

// stop lets go of a host that has ended by itself. The queue would keep it alive for as long as its time is, so it is looked
// through once half of it is such hosts.
func (q *hostClocks[T]) stop(h *host[T]) {
	if !h.clocked {
		return
	}
	if q.gone++; q.gone < minHostQueue || q.gone <= len(q.queue)/2 {
		return
	}
	kept := make([]clocked[T], 0, len(q.queue)-q.gone)
	for _, c := range q.queue {
		if c.host.place != ended {
			kept = append(kept, c)
		}
	}
	q.queue, q.gone = kept, 0
}

// halt stops all clocks until resume.
func (q *hostClocks[T]) halt(now moment) {
	if !q.halted {
		q.halted, q.haltedAt = true, now
	}
}

func (q *hostClocks[T]) resume(now moment) {
	if !q.halted {
		return
	}
	q.halted = false
	for i := range q.queue {
		q.queue[i].until += now - q.haltedAt
	}
}

// top is when the next host has had its time.
func (q *hostClocks[T]) top() moment {
	switch {
	case len(q.late) > 0 && !q.halted:
		return 0
	case len(q.queue) == 0 || q.halted:
		return farFuture
	}
	return q.queue[0].until
}

// next takes a host that has had its time, nil when there is none.
func (q *hostClocks[T]) next(now moment) *host[T] {
	for q.top() <= now {
		var h *host[T]
		if last := len(q.late) - 1; last >= 0 {
			h, q.late = q.late[last], q.late[:last]
		} else {
			h = q.queue[0].host
			q.queue[0] = clocked[T]{}
			q.queue = q.queue[1:]
			if h.place == ended {
				q.gone--
			}
			h.clocked = false
		}
		if h.place != ended {
			return h
		}
	}
	return nil
}

// remember notes that the host's time is over. When there is no room, whatever the map offers first is forgotten.
func (q *hostClocks[T]) remember(h *host[T]) {
	if len(q.over) >= maxOverdue {
		for one := range q.over {
			delete(q.over, one)
			break
		}
	}
	q.over[maphash.String(q.seed, h.key)] = h.served
}

// overdue tells whether the time of a host of that name was over, and whether it had served.
func (q *hostClocks[T]) overdue(key string) (over, served bool) {
	if len(q.over) == 0 {
		return false, false
	}
	served, over = q.over[maphash.String(q.seed, key)]
	return over, served
}

// meet ends a new host whose name has had its time: it came by another name.
func (q *hostClocks[T]) meet(h *host[T]) {
	if over, served := q.overdue(h.key); over {
		h.served = served
		q.late = append(q.late, h)
	}
}

// skipOverdueLocked skips a target of a host whose time was over, and says whether it was.
func (e *Executor[T]) skipOverdueLocked(n *news[T], key string, b *backlog[T], again []int) bool {
	over, served := e.clocks.overdue(key)
	if over {
		e.skipLocked(n, &host[T]{key: key, served: served}, b, again, HostTimeout)
	}
	return over
}

// expireLocked skips what is left of the hosts that have had their time, so many at once; more says that some are left. What
// they have in flight goes on to its own end.
func (e *Executor[T]) expireLocked(now moment, n *news[T]) (more bool) {
	if e.stopping {
		return false
	}
	for range giveUpBatch {
		h := e.clocks.next(now)
		if h == nil {
			return false
		}
		e.clocks.remember(h)
		e.abandonLocked(n, h, HostTimeout)
	}
	return e.clocks.top() <= now
}
