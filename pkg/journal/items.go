package journal

import "math/bits"

// items are the finished ones of one target, a bit each.
type items struct {
	words []uint64
	n     int
	done  bool // one of them was done
	lost  bool // one of them was failed or skipped
}

func (s *items) has(i int) bool { return i/64 < len(s.words) && s.words[i/64]&(1<<(i%64)) != 0 }

// add marks an item and says whether it was not marked before.
func (s *items) add(i int) bool {
	if s.has(i) {
		return false
	}
	for len(s.words) <= i/64 {
		s.words = append(s.words, 0)
	}
	s.words[i/64] |= 1 << (i % 64)
	s.n++
	return true
}

// left is what is not in it of so many items: all from a place on, and single ones before that.
func (s *items) left(all int) (from int, again []int) {
	for i := len(s.words) - 1; i >= 0 && from == 0; i-- {
		if s.words[i] != 0 {
			from = i*64 + bits.Len64(s.words[i])
		}
	}
	from = min(from, all)
	for i := range from {
		if !s.has(i) {
			again = append(again, i)
		}
	}
	return from, again
}

// marked is what is in it of so many items, in the same form.
func (s *items) marked(all int) (from int, again []int) {
	from = all
	for from > 0 && s.has(from-1) {
		from--
	}
	for i := range from {
		if s.has(i) {
			again = append(again, i)
		}
	}
	return from, again
}

// targets are the places of targets in the input of which every item is finished, a bit each.
type targets []uint64

func (t targets) has(i int64) bool { return i/64 < int64(len(t)) && t[i/64]&(1<<(i%64)) != 0 }

func (t *targets) add(i int64) {
	for int64(len(*t)) <= i/64 {
		*t = append(*t, 0)
	}
	(*t)[i/64] |= 1 << (i % 64)
}
