package executor

// repeats says that a run asked for another one of its item, within the attempts.
func (out Outcome[T]) repeats() bool {
	return !out.At.IsZero() && (out.Kind == HostError || out.Kind == Retry && !out.Free)
}

// waive notes that the repeat which an item stands for will not be made, or not as one: its host is called back then, or
// was given up.
func (n *news[T]) waive(en *entry[T]) {
	if en.owed {
		en.owed = false
		n.unsent++
	}
}

// waiveAll does the same for all items of a host that were put back.
func (n *news[T]) waiveAll(h *host[T]) {
	if h.rest == nil {
		return
	}
	for i := range h.rest.back {
		n.waive(&h.rest.back[i])
	}
}
