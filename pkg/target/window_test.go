package target

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestWindowIsTheNaiveOne holds the window against a plain list, with digests
// that share few homes in the table, so that gaps are closed in long clusters.
func TestWindowIsTheNaiveOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 300).Draw(t, "limit")
		digests := rapid.Custom(func(t *rapid.T) digest {
			return digest{
				hi: rapid.Uint64Range(0, 3).Draw(t, "hi") << 52,
				lo: rapid.Uint64Range(0, 400).Draw(t, "lo") * rapid.SampledFrom([]uint64{1, 64}).Draw(t, "step"),
			}
		})
		w := newWindow(limit)
		var last []digest
		for _, d := range rapid.SliceOfN(digests, 0, 3*limit).Draw(t, "digests") {
			want := !slices.Contains(last, d)
			if got := w.add(d); got != want {
				t.Fatalf("add(%v) = %v, want %v", d, got, want)
			}
			if want {
				last = append(last, d)
				last = last[max(0, len(last)-limit):]
			}
		}
	})
}

func TestWindowForgetsTheOldestOnly(t *testing.T) {
	h := newHasher()
	sum := func(i int) digest { return h.sum([]byte{byte(i), byte(i >> 8), byte(i >> 16)}) }
	const limit = 5000
	w := newWindow(limit)
	for i := range 4 * limit {
		if !w.add(sum(i)) {
			t.Fatalf("digest %d is new, but was found", i)
		}
		if back := max(0, i-limit+1); w.add(sum(back)) {
			t.Fatalf("digest %d of the last %d was forgotten at %d", back, limit, i)
		}
	}
	if !w.add(sum(3*limit - 1)) {
		t.Error("the digest before the last 5000 is still known")
	}
}

// The promise of 24 MiB, in what is held and not in what the collector does.
func TestWindowSize(t *testing.T) {
	w := newWindow(windowTargets)
	if size := windowBytes(w); size > 64<<10 {
		t.Errorf("an empty window holds %d bytes", size)
	}
	for i := range uint64(windowTargets + ringChunk) {
		w.add(digest{hi: i, lo: i * 0x9e3779b97f4a7c15})
	}
	if size := windowBytes(w); size > 24<<20+64<<10 {
		t.Errorf("a full window holds %d bytes, want at most 24 MiB and the list of chunks", size)
	}
}

func windowBytes(w *window) int {
	size := 4*cap(w.table) + 24*cap(w.ring)
	for _, chunk := range w.ring {
		size += 16 * cap(chunk)
	}
	return size
}
