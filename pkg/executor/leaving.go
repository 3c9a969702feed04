package executor

// leavesLocked counts what a host that is given up has in flight: one of its name that is read again has so much less room
// until that is back.
func (e *Executor[T]) leavesLocked(h *host[T]) {
	if h.inflight > 0 {
		e.leaving[h.key] += h.inflight
	}
}

// roomLocked is how many items of a host may be in flight.
func (e *Executor[T]) roomLocked(h *host[T]) int32 {
	if len(e.leaving) == 0 {
		return h.window
	}
	return min(h.window, int32(e.cfg.HostConcurrency)-e.leaving[h.key])
}

// backLocked notes that an item of a host is back. Where the host was given up there may be another of its name that waits.
func (e *Executor[T]) backLocked(h *host[T], now moment, n *news[T]) {
	if h.place != ended {
		return
	}
	if e.leaving[h.key]--; e.leaving[h.key] <= 0 {
		delete(e.leaving, h.key)
	}
	if next := e.hosts[h.key]; next != nil && next.place == nowhere {
		e.placeLocked(next, now, n)
	}
}
