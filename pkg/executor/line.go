package executor

// line is a queue of hosts linked through themselves, from which one can also be taken out of the middle.
type line[T any] struct {
	head, tail *host[T]
	n          int
}

func (l *line[T]) push(h *host[T]) {
	h.prev, h.next = l.tail, nil
	if l.tail == nil {
		l.head = h
	} else {
		l.tail.next = h
	}
	l.tail = h
	l.n++
}

// lead puts a host of the line at its head.
func (l *line[T]) lead(h *host[T]) {
	if l.head == h {
		return
	}
	l.remove(h)
	h.next = l.head
	l.head.prev = h
	l.head = h
	l.n++
}

func (l *line[T]) remove(h *host[T]) {
	if h.prev == nil {
		l.head = h.next
	} else {
		h.prev.next = h.next
	}
	if h.next == nil {
		l.tail = h.prev
	} else {
		h.next.prev = h.prev
	}
	h.prev, h.next = nil, nil
	l.n--
}
