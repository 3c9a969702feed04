package check

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// rounds are all combinations of an attack, written down the simple way.
func rounds(attack string, sets []payloadSet) []map[string]string {
	var all []map[string]string
	switch attack {
	case "batteringram":
		for _, set := range sets {
			for _, v := range set.values {
				all = append(all, map[string]string{set.name: v})
			}
		}
	case "pitchfork":
		for i := range slices.MinFunc(sets, func(a, b payloadSet) int { return len(a.values) - len(b.values) }).values {
			one := map[string]string{}
			for _, set := range sets {
				one[set.name] = set.values[i]
			}
			all = append(all, one)
		}
	case "clusterbomb":
		all = []map[string]string{{}}
		for _, set := range sets {
			var longer []map[string]string
			for _, before := range all {
				for _, v := range set.values {
					one := maps.Clone(before)
					one[set.name] = v
					longer = append(longer, one)
				}
			}
			all = longer
		}
	}
	return all
}

func TestRoundsOfPayloads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sets []payloadSet
		for i := range rapid.IntRange(1, 4).Draw(t, "sets") {
			set := payloadSet{name: fmt.Sprintf("p%d", i)}
			for j := range rapid.IntRange(1, 4).Draw(t, "values") {
				set.values = append(set.values, fmt.Sprint(j))
			}
			sets = append(sets, set)
		}
		p := &payloads{attack: rapid.SampledFrom(attacks[:]).Draw(t, "attack"), sets: sets}
		want := rounds(p.attack, sets)
		if p.count() != len(want) {
			t.Fatalf("%d rounds, want %d", p.count(), len(want))
		}
		got := map[string]string{"left": "over"}
		for i, one := range want {
			if p.round(i, got); !maps.Equal(got, one) {
				t.Fatalf("round %d of %s is %v, want %v", i, p.attack, got, one)
			}
		}
	})
}

// Lists whose product is beyond all reason are counted without an overflow.
func TestRoundsDoNotOverflow(t *testing.T) {
	p := &payloads{attack: "clusterbomb"}
	for i := range 20 {
		p.sets = append(p.sets, payloadSet{name: fmt.Sprint(i), values: make([]string, 1000)})
	}
	if n := p.count(); n <= maxRounds {
		t.Errorf("%d rounds of 1000^20", n)
	}
}
