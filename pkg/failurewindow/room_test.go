package failurewindow

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// foreign returns the i-th of a flood of keys.
func foreign(buf []byte, i int) []byte {
	return append(strconv.AppendInt(append(buf[:0], "host-"...), int64(i), 10), ":443"...)
}

// floodOver sends n failures of other keys over one that is at its limit.
func floodOver(t testing.TB, n int) *Window {
	const limit = 3
	h := newHand()
	w := mustNew(t, Config{Limit: limit, Length: time.Minute, Now: h.now})
	for range limit {
		w.Record("victim:443")
	}
	h.move(time.Second)
	var buf []byte
	for i := range n {
		buf = foreign(buf, i)
		w.Record(string(buf))
	}
	if wait, ok := w.Admit("victim:443"); ok || wait != 59*time.Second {
		t.Fatalf("after %d foreign failures the victim is told %v, %v, want 59s", n, wait, ok)
	}
	h.move(59 * time.Second)
	if _, ok := w.Admit("victim:443"); !ok {
		t.Fatal("the victim is refused after its time")
	}
	return w
}

// The first half fills the store, the second turns it over once. Ten million
// take too long here; BenchmarkFloodOfTenMillion sends them and checks the same.
func TestFloodLeavesKeysAtTheirLimit(t *testing.T) {
	w := floodOver(t, 2*MaxStoredFailures)
	if got := len(w.failures.failures); got != MaxStoredFailures {
		t.Errorf("%d failures are stored, want %d", got, MaxStoredFailures)
	}
	if got := len(w.failures.series); got != MaxStoredFailures-2 {
		t.Errorf("%d keys are stored, want the victim with 3 and one each of the rest", got)
	}
}

func BenchmarkFloodOfTenMillion(b *testing.B) {
	for b.Loop() {
		floodOver(b, 10_000_000)
	}
}

// When every key looked at is at its limit, the newcomer is not counted.
func TestFullOfKeysAtTheirLimit(t *testing.T) {
	h := newHand()
	w, err := newWindow(Config{Limit: 1, Length: time.Minute, Now: h.now}, 100)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		w.Record(fmt.Sprint(i))
	}
	w.Record("late")
	wantWait(t, w, h, "late", 0)
	for i := range 100 {
		wantWait(t, w, h, fmt.Sprint(i), time.Minute)
	}
	h.move(time.Minute)
	w.Record("late") // what has left gives its room back
	wantWait(t, w, h, "late", time.Minute)
}

// A key that grows must not be forgotten to make room for its own failure.
func TestEvictionSparesItsOwnKey(t *testing.T) {
	h := newHand()
	w, err := newWindow(Config{Limit: 3, Length: time.Minute, Now: h.now}, 3)
	if err != nil {
		t.Fatal(err)
	}
	w.Record("a")
	w.Record("a")
	w.Record("b")
	w.Record("a") // b goes
	wantWait(t, w, h, "a", time.Minute)
	w.Record("b") // no key below its limit, so it does not count
	wantWait(t, w, h, "a", time.Minute)
	if got := len(w.failures.series); got != 1 {
		t.Errorf("%d keys are stored, want a alone", got)
	}
}

// Evictions go round, so that a flood does not always hit the youngest key.
func TestEvictionGoesRound(t *testing.T) {
	h := newHand()
	w, err := newWindow(Config{Limit: 2, Length: time.Minute, Now: h.now}, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 21 { // one more than two rounds: the gap at 0 took in the tenth
		w.Record(fmt.Sprint(i))
	}
	for i := range 10 {
		if _, kept := w.failures.places[fmt.Sprint(i)]; kept {
			t.Errorf("key %d of the first ten is still there after a full round", i)
		}
	}
}

func TestMemoryOfAFullTable(t *testing.T) {
	const most = 170 // bytes for a key of 39 characters with one failure
	key := make([]byte, 0, 39)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	w := mustNew(t, Config{Limit: 2, Length: time.Hour})
	for i := range MaxStoredFailures {
		key = fmt.Appendf(key[:0], "a-host-with-a-long-name-%07d.test:443", i)[:39]
		w.Record(string(key))
	}
	used := heap() - before
	if got := len(w.failures.series); got != MaxStoredFailures {
		t.Fatalf("%d keys are stored, want %d", got, MaxStoredFailures)
	}
	each := float64(used) / MaxStoredFailures
	t.Logf("%.1f bytes a key, %.1f MiB together", each, float64(used)/(1<<20))
	if each > most {
		t.Errorf("%.1f bytes a key of %d characters, want at most %d", each, len(key), most)
	}
	runtime.KeepAlive(w)
}

func BenchmarkAdmit(b *testing.B) {
	w := mustNew(b, Config{Limit: 1, Length: time.Hour})
	w.Record("at-limit:443")
	for _, key := range []string{"unknown:443", "at-limit:443"} {
		b.Run(key, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w.Admit(key)
			}
		})
	}
}

func BenchmarkRecordAtLimit(b *testing.B) {
	w := mustNew(b, Config{Limit: 20, Length: time.Hour})
	b.ReportAllocs()
	for b.Loop() {
		w.Record("host:443")
	}
}

func BenchmarkRecordFlood(b *testing.B) {
	w := mustNew(b, Config{Limit: 3, Length: time.Hour})
	var buf []byte
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		buf = foreign(buf, i)
		w.Record(string(buf))
	}
}
