package executor

import "time"

// The turn of a host that answers fast is a row of items, not one: what belongs to its connection is at hand for the next item, on
// both sides. A slow host has its turn used up by one item.
const (
	rowLength = 32
	rowTime   = 100 * time.Millisecond
)

// row is what a worker does without a break for one host. Only the worker's goroutine uses it.
type row struct {
	items int
	since moment
}

// stayLocked gives the host that a worker has just served the next turn as well, while its row lasts. Under a pace each item is a
// turn: hosts wait for each other there, and nothing is saved.
func (e *Executor[T]) stayLocked(h *host[T], turn *Turn, began, now moment) {
	r := &turn.row
	if r.items == 0 {
		r.since = began
	}
	r.items++
	if e.cfg.Pace != nil || h.place != inLiving || r.items >= rowLength || now >= r.since.after(rowTime) {
		*r = row{}
		return
	}
	e.living.lead(h)
}
