package journal

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Accounts agree with a set of pairs, whatever is taken in which order.
func TestAccountsAreASetOfItems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		per := rapid.IntRange(1, 130).Draw(t, "items of a target")
		first := rapid.SampledFrom([]int{0, nearTargets - 35}).Draw(t, "first target")
		a := NewAccounts(per)
		model := make(map[[2]int]bool)
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				target, item := first+rapid.IntRange(-1, 70).Draw(t, "target"), rapid.IntRange(-1, per).Draw(t, "item")
				want := target >= 0 && item >= 0 && item < per && !model[[2]int{target, item}]
				if got := a.Take(int64(target), item); got != want {
					t.Fatalf("item %d of target %d: taken %v, want %v", item, target, got, want)
				}
				if want {
					model[[2]int{target, item}] = true
				}
			},
			"fill": func(t *rapid.T) {
				target := first + rapid.IntRange(0, 70).Draw(t, "target")
				for item := range per {
					a.Take(int64(target), item)
					model[[2]int{target, item}] = true
				}
			},
			"": func(t *rapid.T) {
				if a.Count() != int64(len(model)) {
					t.Fatalf("%d taken, want %d", a.Count(), len(model))
				}
				target := first + rapid.IntRange(0, 71).Draw(t, "looked at")
				from, again := a.Left(int64(target))
				for item := range per {
					left := item >= from || slices.Contains(again, item)
					if taken := model[[2]int{target, item}]; left == taken || a.Has(int64(target), item) != taken {
						t.Fatalf("item %d of target %d: left %v, has %v, but taken %v", item, target, left, a.Has(int64(target), item), taken)
					}
				}
			},
		})
	})
}
