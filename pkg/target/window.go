package target

import "hash/maphash"

const (
	windowTargets = 1 << 20 // "the last million" of the promise, at 16 + 8 bytes each
	ringChunk     = 1 << 10
	smallestTable = 1 << 8
)

// digest stands for the identity of a target. At 128 bits, seeded anew in each
// process, a list cannot be made to collide.
type digest struct {
	hi, lo uint64
}

type hasher struct {
	hi, lo maphash.Seed
}

func newHasher() hasher {
	return hasher{hi: maphash.MakeSeed(), lo: maphash.MakeSeed()}
}

func (h hasher) sum(identity []byte) digest {
	return digest{hi: maphash.Bytes(h.hi, identity), lo: maphash.Bytes(h.lo, identity)}
}

// window remembers the last limit distinct digests in the order in which they
// came: a ring of digests, and an open-addressing table of positions in it.
// Both grow with what they hold.
type window struct {
	limit int
	held  int
	next  int        // where in the ring the next digest goes
	ring  [][]digest // in chunks, so that growing copies nothing
	table []entry    // at most half full
}

// entry is a slot of the table, 0 when free:
//
//	bits 0 to 20    position in the ring + 1
//	bits 21 to 28   distance from home, the slot where its digest would like to be
//	bits 29 to 31   top of the digest
//
// The upper two spare nearly all looks at the ring, each of which is a miss of
// the processor's cache.
type entry uint32

const (
	distanceShift = 21
	maxDistance   = 255 // means this or more: the ring knows
	topShift      = 29
)

func newEntry(position, distance int, d digest) entry {
	e := entry(position+1) | entry(d.hi>>61)<<topShift
	return e.at(distance)
}

// at is the entry at another distance from home.
func (e entry) at(distance int) entry {
	return e&^(maxDistance<<distanceShift) | entry(min(distance, maxDistance))<<distanceShift
}

func (e entry) position() int {
	return int(e&(1<<distanceShift-1)) - 1
}

func newWindow(limit int) *window {
	return &window{limit: limit, table: make([]entry, smallestTable)}
}

// add reports whether d is new, and then remembers it in place of the oldest.
// A digest that comes again does not become younger.
func (w *window) add(d digest) bool {
	if _, found := w.find(d); found {
		return false
	}
	if w.held == w.limit {
		oldest, _ := w.find(*w.at(w.next))
		w.remove(oldest)
	} else {
		w.held++
		if len(w.ring)*ringChunk == w.next {
			w.ring = append(w.ring, make([]digest, min(ringChunk, w.limit-w.next)))
		}
	}
	*w.at(w.next) = d
	w.insert(w.next, d)
	w.next = (w.next + 1) % w.limit
	if 2*w.held > len(w.table) {
		w.grow()
	}
	return true
}

func (w *window) at(i int) *digest {
	return &w.ring[i/ringChunk][i%ringChunk]
}

// find gives the slot of d, or the free slot where it belongs.
func (w *window) find(d digest) (slot int, found bool) {
	mask := len(w.table) - 1
	slot = int(d.lo) & mask
	for distance := 0; w.table[slot] != 0; distance++ {
		e := w.table[slot]
		if e>>distanceShift == newEntry(0, distance, d)>>distanceShift && *w.at(e.position()) == d {
			return slot, true
		}
		slot = (slot + 1) & mask
	}
	return slot, false
}

// insert enters a digest that is not in the table.
func (w *window) insert(position int, d digest) {
	slot, _ := w.find(d)
	w.table[slot] = newEntry(position, (slot-int(d.lo))&(len(w.table)-1), d)
}

// remove frees a slot and closes the gap: each entry behind it moves up unless
// that would put it in front of its home, where find would miss it.
func (w *window) remove(gap int) {
	mask := len(w.table) - 1
	for slot := (gap + 1) & mask; w.table[slot] != 0; slot = (slot + 1) & mask {
		e := w.table[slot]
		distance := int(e>>distanceShift) & maxDistance
		if distance == maxDistance {
			distance = (slot - int(w.at(e.position()).lo)) & mask
		}
		if by := (slot - gap) & mask; distance >= by {
			w.table[gap] = e.at(distance - by)
			gap = slot
		}
	}
	w.table[gap] = 0
}

func (w *window) grow() {
	w.table = make([]entry, 2*len(w.table))
	for i := range w.held {
		w.insert(i, *w.at(i))
	}
}
