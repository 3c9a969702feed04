package retry

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestWaits(t *testing.T) {
	const top = math.MaxUint64
	for _, tt := range []struct {
		name       string
		count      int
		base, most uint64
		jitter     []uint64
		want       []uint64
		missing    int // number of the wait that the error names, 0 for no error
	}{
		{name: "jitter and bound", count: 3, base: 3, most: 10, jitter: []uint64{0, 1, 9}, want: []uint64{3, 7, 10}},
		{name: "greatest jitter", count: 1, base: 5, most: 9, jitter: []uint64{top}, want: []uint64{9}},
		{name: "base is the bound", count: 2, base: 9, most: 9, jitter: []uint64{0, 1}, want: []uint64{9, 9}},
		{name: "bound just above the nominal wait", count: 3, base: 3, most: 13, jitter: []uint64{0, 0, 1}, want: []uint64{3, 6, 13}},
		{name: "top of the range", count: 2, base: top, most: top, jitter: []uint64{top, 0}, want: []uint64{top, top}},
		{name: "last bit", count: 2, base: 1 << 62, most: top, jitter: []uint64{0, 1}, want: []uint64{1 << 62, 1<<63 + 1}},
		{name: "bit beyond the last", count: 2, base: 1 << 63, most: top, jitter: []uint64{0, 0}, want: []uint64{1 << 63, top}},
		{name: "spare jitter", count: 1, base: 3, most: 10, jitter: []uint64{1, 2, 3}, want: []uint64{4}},
		{name: "no wait", count: 0, base: 3, most: 10},
		{name: "no wait, nothing to complain about", count: 0, base: 0, most: 0},
		{name: "negative count", count: -1, base: 0, most: 0},
		{name: "base 0", count: 2, base: 0, most: 10, jitter: []uint64{1, 1}, missing: 1},
		{name: "base 0, bound 0", count: 1, base: 0, most: 0, jitter: []uint64{1}, missing: 1},
		{name: "base above the bound", count: 2, base: 11, most: 10, jitter: []uint64{1, 1}, missing: 1},
		{name: "no jitter", count: 1, base: 3, most: 10, missing: 1},
		{name: "short jitter", count: 3, base: 3, most: 10, jitter: []uint64{1, 1}, want: []uint64{4, 7}, missing: 3},
		{name: "short jitter, huge count", count: math.MaxInt, base: 3, most: 10, jitter: []uint64{1}, want: []uint64{4}, missing: 2},
	} {
		got, err := Waits(tt.count, tt.base, tt.most, tt.jitter)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: waits are %d, want %d", tt.name, got, tt.want)
		}
		if tt.missing == 0 {
			if err != nil {
				t.Errorf("%s: %v, want no error", tt.name, err)
			}
			continue
		}
		var bad *PolicyError
		if !errors.As(err, &bad) || bad.Wait != tt.missing || !errors.Is(err, ErrBadPolicy) {
			t.Errorf("%s: error is %v, want a PolicyError for wait %d", tt.name, err, tt.missing)
		}
	}
}

// github.com/hemilabs/heminetwork/issues/664
func TestWaitsDoubleSeventyTimes(t *testing.T) {
	const most = 10_000
	jitter := make([]uint64, 70)
	for i := range jitter {
		jitter[i] = math.MaxUint64 - uint64(i)
	}
	for _, extra := range [][]uint64{make([]uint64, 70), jitter} {
		waits, err := Waits(70, 500, most, extra)
		if err != nil || len(waits) != 70 {
			t.Fatalf("%d waits, %v, want 70", len(waits), err)
		}
		for i, wait := range waits {
			if wait < 500 || wait > most {
				t.Errorf("wait %d is %d, want 500 to %d", i+1, wait, most)
			}
		}
		if waits[69] != most {
			t.Errorf("wait 70 is %d, want the bound", waits[69])
		}
	}
}

// The oracle has numbers without an end, so it cannot overflow.
func TestWaitsAgainstBigNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.Uint64Min(1).Draw(t, "most")
		base := rapid.Uint64Range(1, most).Draw(t, "base")
		jitter := rapid.SliceOfN(rapid.Uint64(), 0, 80).Draw(t, "jitter")
		count := rapid.IntRange(0, 80).Draw(t, "count")

		got, err := Waits(count, base, most, jitter)
		if wantErr := count > len(jitter); (err != nil) != wantErr {
			t.Fatalf("error is %v, want one: %v", err, wantErr)
		}
		if len(got) != min(count, len(jitter)) {
			t.Fatalf("%d waits, want %d", len(got), min(count, len(jitter)))
		}
		bound := new(big.Int).SetUint64(most)
		for i, wait := range got {
			want := new(big.Int).SetUint64(base)
			want.Lsh(want, uint(i))
			want.Add(want, new(big.Int).SetUint64(jitter[i]))
			if want.Cmp(bound) > 0 {
				want = bound
			}
			if new(big.Int).SetUint64(wait).Cmp(want) != 0 {
				t.Fatalf("wait %d is %d, want %v", i+1, wait, want)
			}
		}
	})
}
