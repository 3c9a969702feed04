package flow

import (
	"math"
	"time"
)

const second = int64(time.Second)

// window remembers the moments of the last requests for Reject. It holds two
// bounds at once, for whole T one and the same:
//
//	any second holds at most floor(T)            (T >= 1)
//	any ceil(T)/T seconds hold at most ceil(T)   (T < 1: 1/T holds one)
//
// Where T is no whole number neither says all: the first alone lets 2.5 a second
// have four within 1.2 s, two at the end of one second and two in the next; the
// second alone lets three go at once.
// A moment is out of an interval when exactly the interval's length has passed.
type window struct {
	perSecond int64 // floor(T)
	perSpan   int64 // ceil(T)
	span      int64 // ceil(T)/T seconds in nanoseconds, rounded up

	// A ring, oldest first from head. It grows when it is full of moments that
	// still matter, so it is never longer than the busiest span.
	ring []int64
	head int
	n    int
}

func newWindow(rate float64) *window {
	// Beyond this no machine can ask; it keeps the conversion in range.
	rate = min(rate, 1<<40)
	many := math.Ceil(rate)
	return &window{
		perSecond: int64(rate),
		perSpan:   int64(many),
		span:      spanOf(many, rate),
	}
}

// spanOf is many/rate seconds in nanoseconds, rounded up exactly: the division
// rounds to nearest, which may fall a hair short of the true quotient.
func spanOf(many, rate float64) int64 {
	span := math.Ceil(many * 1e9 / rate)
	if span >= 1<<52 {
		return int64(min(span, float64(horizon/2)))
	}
	if math.FMA(span, rate, -many*1e9) < 0 {
		span++
	}
	return int64(span)
}

// earliest is the first moment, t or later, that has room for one more.
func (w *window) earliest(t int64) int64 {
	if w.perSecond > 0 && int64(w.n) >= w.perSecond {
		t = max(t, w.last(w.perSecond)+second)
	}
	if w.perSpan != w.perSecond && int64(w.n) >= w.perSpan {
		t = max(t, w.last(w.perSpan)+w.span)
	}
	return t
}

// last is the moment of the k-th newest request.
func (w *window) last(k int64) int64 { return w.ring[w.index(w.n-int(k))] }

// index is the place in the ring of the i-th oldest request.
func (w *window) index(i int) int {
	i += w.head
	if i >= len(w.ring) {
		i -= len(w.ring)
	}
	return i
}

func (w *window) book(t int64) {
	if w.n == len(w.ring) {
		if w.n > 0 && w.ring[w.head] <= t-w.span {
			w.head = w.index(1)
			w.n--
		} else {
			w.grow()
		}
	}
	w.ring[w.index(w.n)] = t
	w.n++
}

func (w *window) grow() {
	ring := make([]int64, min(w.perSpan, max(8, 2*int64(w.n))))
	k := copy(ring, w.ring[w.head:])
	copy(ring[k:], w.ring[:w.head])
	w.ring, w.head = ring, 0
}

// giveBack forgets one request of the moment t. Requests of one moment are alike.
func (w *window) giveBack(t int64) {
	i := w.n - 1
	for i >= 0 && w.ring[w.index(i)] > t {
		i--
	}
	if i < 0 || w.ring[w.index(i)] != t {
		return
	}
	for ; i < w.n-1; i++ {
		w.ring[w.index(i)] = w.ring[w.index(i+1)]
	}
	w.n--
}

func (w *window) idle(t int64) bool {
	return w.n == 0 || w.last(1)+w.span <= t
}
