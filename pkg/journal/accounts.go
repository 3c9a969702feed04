package journal

import (
	"math/bits"
	"slices"
)

// Accounts says which items of a scan have ended, where several may tell of the same one. Make it with [NewAccounts] or
// [Progress.Accounts]. It is not safe for concurrent use.
type Accounts struct {
	per   int
	whole targets
	near  []*items         // of partial targets below nearTargets, which are found without a map
	far   map[int64]*items // of the others
	count int64
}

const nearTargets = 1 << 16

// NewAccounts makes empty accounts of targets that have so many items each, which is above 0.
func NewAccounts(perTarget int) *Accounts {
	return &Accounts{per: perTarget, far: make(map[int64]*items)}
}

// Accounts gives the items that p says have ended, to go on from. Each target has so many.
func (p *Progress) Accounts(perTarget int) *Accounts {
	a := NewAccounts(perTarget)
	a.whole = slices.Clone(p.whole)
	for _, word := range a.whole {
		a.count += int64(bits.OnesCount64(word)) * int64(perTarget)
	}
	for target, s := range p.partial {
		for i := range perTarget {
			if s.has(i) {
				a.Take(target, i)
			}
		}
	}
	return a
}

// Take notes that an item has ended, and says whether this is the first account of it. An item that the target does not
// have was taken always.
func (a *Accounts) Take(target int64, item int) bool {
	if target < 0 || item < 0 || item >= a.per || a.whole.has(target) {
		return false
	}
	s := a.of(target)
	if s == nil {
		s = &items{}
		if a.per > 1 {
			a.put(target, s)
		}
	}
	if !s.add(item) {
		return false
	}
	a.count++
	if s.n == a.per {
		a.whole.add(target)
		a.put(target, nil)
	}
	return true
}

// of gives the items of a target some of which were taken, nil for another one.
func (a *Accounts) of(target int64) *items {
	if target >= 0 && target < int64(len(a.near)) {
		return a.near[target]
	}
	return a.far[target]
}

func (a *Accounts) put(target int64, s *items) {
	switch {
	case target < nearTargets:
		for int64(len(a.near)) <= target && s != nil {
			a.near = append(a.near, nil)
		}
		if target < int64(len(a.near)) {
			a.near[target] = s
		}
	case s == nil:
		delete(a.far, target)
	default:
		a.far[target] = s
	}
}

// Has says that an item was taken.
func (a *Accounts) Has(target int64, item int) bool {
	if a.whole.has(target) {
		return true
	}
	s := a.of(target)
	return s != nil && s.has(item)
}

// Left says what is left of a target: all items from on, and those in again, which come before.
func (a *Accounts) Left(target int64) (from int, again []int) {
	if a.whole.has(target) {
		return a.per, nil
	}
	s := a.of(target)
	if s == nil {
		return 0, nil
	}
	return s.left(a.per)
}

// Count is the number of items taken.
func (a *Accounts) Count() int64 { return a.count }
