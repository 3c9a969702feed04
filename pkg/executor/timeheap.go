package executor

import "time"

// moment is a time as the nanoseconds since the run began: a third of a time.Time, and always monotonic.
type moment int64

const farFuture = moment(1<<63 - 1)

func (m moment) after(d time.Duration) moment { return m + moment(d) }

// timed is an element of a timeHeap. It keeps its own place, so that it can be taken out from the middle.
type timed interface {
	comparable
	due() moment
	setIndex(i int)
	index() int // -1 when in no heap
}

// timeHeap is a binary heap with the earliest element on top. Unlike container/heap it boxes nothing, and it is what
// every wait of the executor sits in.
type timeHeap[E timed] struct {
	list []E
}

// top is the time of the earliest element, farFuture when there is none.
func (h *timeHeap[E]) top() moment {
	if len(h.list) == 0 {
		return farFuture
	}
	return h.list[0].due()
}

func (h *timeHeap[E]) push(e E) {
	h.list = append(h.list, e)
	e.setIndex(len(h.list) - 1)
	h.up(len(h.list) - 1)
}

func (h *timeHeap[E]) pop() E {
	e := h.list[0]
	h.remove(e)
	return e
}

func (h *timeHeap[E]) remove(e E) {
	i, last := e.index(), len(h.list)-1
	moved := h.list[last]
	var zero E
	h.list[last] = zero
	h.list = h.list[:last]
	e.setIndex(-1)
	if i == last {
		return
	}
	h.list[i] = moved
	moved.setIndex(i)
	if !h.up(i) {
		h.down(i)
	}
}

func (h *timeHeap[E]) up(i int) bool {
	start := i
	for i > 0 {
		parent := (i - 1) / 2
		if h.list[parent].due() <= h.list[i].due() {
			break
		}
		h.swap(i, parent)
		i = parent
	}
	return i != start
}

func (h *timeHeap[E]) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h.list) {
			return
		}
		if right := child + 1; right < len(h.list) && h.list[right].due() < h.list[child].due() {
			child = right
		}
		if h.list[i].due() <= h.list[child].due() {
			return
		}
		h.swap(i, child)
		i = child
	}
}

func (h *timeHeap[E]) swap(i, j int) {
	h.list[i], h.list[j] = h.list[j], h.list[i]
	h.list[i].setIndex(i)
	h.list[j].setIndex(j)
}
