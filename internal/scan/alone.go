package scan

import "slices"

// Self-contained checks come first in the set, and each has a target of its own, before those of the input and with the same number:
// it has that check alone, and the targets of the input have all others.

// alone is how many of them there are.
func (s *Scan) alone() int {
	if s.opt.Checks == nil {
		return 0
	}
	return s.opt.Checks.Alone
}

// ofItsOwn takes from what is left of a target the checks that are not for it.
func (s *Scan) ofItsOwn(j job, from int, again []int) (int, []int) {
	n := s.alone()
	switch own := int(j.index); {
	case n == 0:
		return from, again
	case j.index >= int64(n):
		return max(from, n), slices.DeleteFunc(slices.Clone(again), func(i int) bool { return i < n })
	case from <= own || slices.Contains(again, own):
		return s.places(), []int{own}
	}
	return s.places(), nil
}

// nextAlone gives the targets of self-contained checks.
func (s *Scan) nextAlone() (job, bool) {
	for s.read < int64(s.alone()) {
		s.read++
		j := job{Target: s.opt.Checks.Checks[s.read-1].Home(), index: s.read - 1}
		if !s.passOver(j) {
			return j, true
		}
	}
	return job{}, false
}
