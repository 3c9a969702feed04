package failurewindow

import (
	"iter"
	"strings"
	"time"
)

// MaxStoredFailures bounds the failures that one Window stores, of all keys
// together. With keys of 39 characters, one failure each, that is about 40 MiB.
const MaxStoredFailures = 1 << 18

// evictionLooks is how many keys are looked at to find one that may go.
const evictionLooks = 32

// none stands for no failure where an index is expected.
const none int32 = -1

// failure is a stored moment. It stands in two lists: that of its key, and that
// of all failures. Both are ascending because moments are added in order, so what
// leaves the window is always at the head of the second one and no sweep has to
// look for it.
type failure struct {
	at       time.Duration
	prev     int32 // in the list of all
	next     int32 // in the list of all, or in that of free places
	keyNext  int32
	keyIndex int32 // place of its key; kept right for the oldest failure of a key only
}

// series is a key with its failures, at least one and at most the limit.
type series struct {
	key            string
	oldest, newest int32
	count          int32
}

// store holds the newest failures of each key, at most limit a key and at most
// room together. It knows no clock. Every method takes constant time, growing
// aside, but for an eviction, which takes that of the failures that it removes.
type store struct {
	limit, room int

	places map[string]int32 // of keys in series
	series []series         // dense, in no order
	hand   int              // where the next eviction begins to look

	failures       []failure
	free           int32 // head of the chain of free places in failures
	oldest, newest int32 // of all
}

func newStore(limit, room int) store {
	return store{
		limit:  limit,
		room:   room,
		places: make(map[string]int32),
		free:   none,
		oldest: none,
		newest: none,
	}
}

// oldestAtLimit returns the oldest stored moment of a key that has as many as
// the limit; while that one is in the window the key is refused.
func (s *store) oldestAtLimit(key string) (at time.Duration, full bool) {
	place, known := s.places[key]
	if !known || int(s.series[place].count) < s.limit {
		return 0, false
	}
	return s.failures[s.series[place].oldest].at, true
}

func (s *store) oldestOfAll() (at time.Duration, found bool) {
	if s.oldest == none {
		return 0, false
	}
	return s.failures[s.oldest].at, true
}

// forgetOldest removes the oldest failure of all, and its key with the last one.
func (s *store) forgetOldest() {
	place := s.failures[s.oldest].keyIndex
	s.release(s.takeOldest(place))
	if s.series[place].count == 0 {
		s.dropSeries(place)
	}
}

// all gives every stored moment with its key, those of a key in order.
func (s *store) all() iter.Seq2[string, time.Duration] {
	return func(yield func(string, time.Duration) bool) {
		for i := range s.series {
			c := &s.series[i]
			for n, f := int32(0), c.oldest; n < c.count; n, f = n+1, s.failures[f].keyNext {
				if !yield(c.key, s.failures[f].at) {
					return
				}
			}
		}
	}
}

// add stores a moment, which is not before any other. A key at its limit gives
// up its oldest moment for it: older ones decide nothing.
func (s *store) add(key string, at time.Duration) {
	place, known := s.places[key]
	if known && int(s.series[place].count) == s.limit {
		s.push(place, s.takeOldest(place), at)
		return
	}
	if s.full() {
		if !s.evict(key) {
			return
		}
		place, known = s.places[key] // an eviction moves keys
	}
	if !known {
		key = strings.Clone(key) // the caller's may be a piece of a long line
		place = int32(len(s.series))
		s.series = grown(s.series, s.room)
		s.series = append(s.series, series{key: key})
		s.places[key] = place
	}
	s.push(place, s.freePlace(), at)
}

// undo removes all failures from since on, and walks through all of them for it.
func (s *store) undo(since time.Duration) {
	for place := int32(len(s.series)) - 1; place >= 0; place-- { // a key that goes is replaced by one that was looked at
		c := &s.series[place]
		kept, last, f := int32(0), none, c.oldest
		for kept < c.count && s.failures[f].at < since {
			kept, last, f = kept+1, f, s.failures[f].keyNext
		}
		for range c.count - kept {
			next := s.failures[f].keyNext
			s.unlink(f)
			s.release(f)
			f = next
		}
		if c.count, c.newest = kept, last; kept == 0 {
			s.dropSeries(place)
		}
	}
}

// unlink takes a failure out of the list of all.
func (s *store) unlink(f int32) {
	node := s.failures[f]
	if node.prev == none {
		s.oldest = node.next
	} else {
		s.failures[node.prev].next = node.next
	}
	if node.next == none {
		s.newest = node.prev
	} else {
		s.failures[node.next].prev = node.prev
	}
}

// full reports whether there is no place left for another failure.
func (s *store) full() bool {
	return s.free == none && len(s.failures) == s.room
}

// evict forgets one key that is below its limit and is not keep.
func (s *store) evict(keep string) bool {
	for range min(evictionLooks, len(s.series)) {
		if s.hand >= len(s.series) {
			s.hand = 0
		}
		place := int32(s.hand)
		s.hand++ // also after an eviction: the youngest key moves into the gap
		if c := &s.series[place]; int(c.count) < s.limit && c.key != keep {
			for c.count > 0 {
				s.release(s.takeOldest(place))
			}
			s.dropSeries(place)
			return true
		}
	}
	return false
}

// push puts a failure that is in no list at the end of both.
func (s *store) push(place, f int32, at time.Duration) {
	s.failures[f] = failure{at: at, prev: s.newest, next: none, keyNext: none, keyIndex: place}
	if s.newest == none {
		s.oldest = f
	} else {
		s.failures[s.newest].next = f
	}
	s.newest = f

	c := &s.series[place]
	if c.count == 0 {
		c.oldest = f
	} else {
		s.failures[c.newest].keyNext = f
	}
	c.newest = f
	c.count++
}

// takeOldest takes the oldest failure of a key out of both lists.
func (s *store) takeOldest(place int32) int32 {
	c := &s.series[place]
	f := c.oldest
	s.unlink(f)
	c.count--
	if c.count > 0 {
		c.oldest = s.failures[f].keyNext
		s.failures[c.oldest].keyIndex = place
	}
	return f
}

// dropSeries removes a key without failures; the last key moves into its place.
func (s *store) dropSeries(place int32) {
	delete(s.places, s.series[place].key)
	last := int32(len(s.series) - 1)
	if place != last {
		moved := s.series[last]
		s.series[place] = moved
		s.places[moved.key] = place
		s.failures[moved.oldest].keyIndex = place
	}
	s.series[last] = series{}
	s.series = s.series[:last]
}

// freePlace returns a place for a failure; the store must not be full.
func (s *store) freePlace() int32 {
	if f := s.free; f != none {
		s.free = s.failures[f].next
		return f
	}
	s.failures = grown(s.failures, s.room)
	s.failures = append(s.failures, failure{})
	return int32(len(s.failures) - 1)
}

func (s *store) release(f int32) {
	s.failures[f].next = s.free
	s.free = f
}

// grown makes room for one more, doubling up to most exactly: append alone would
// leave up to a quarter unused when the store is full.
func grown[T any](list []T, most int) []T {
	if len(list) < cap(list) {
		return list
	}
	bigger := make([]T, len(list), min(max(2*cap(list), 64), most))
	copy(bigger, list)
	return bigger
}
