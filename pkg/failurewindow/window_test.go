package failurewindow

import (
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// hand is a clock that only the test moves.
type hand struct{ at time.Time }

func newHand() *hand { return &hand{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (h *hand) now() time.Time       { return h.at }
func (h *hand) move(d time.Duration) { h.at = h.at.Add(d) }

func mustNew(t testing.TB, cfg Config) *Window {
	t.Helper()
	w, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// wantWait checks both questions; a wait of 0 means that the key gets in.
func wantWait(t *testing.T, w *Window, h *hand, key string, want time.Duration) {
	t.Helper()
	wait, ok := w.Admit(key)
	if wait != want || ok != (want == 0) {
		t.Errorf("Admit(%q) = %v, %v, want %v", key, wait, ok, want)
	}
	if next := w.NextAdmit(key, h.at); !next.Equal(h.at.Add(want)) {
		t.Errorf("NextAdmit(%q) is in %v, want %v", key, next.Sub(h.at), want)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, tt := range []struct {
		cfg  Config
		want string
	}{
		{Config{}, "limit is 0"},
		{Config{Length: time.Second}, "limit is 0"},
		{Config{Limit: -1, Length: time.Second}, "limit is -1"},
		{Config{Limit: MaxStoredFailures + 1, Length: time.Second}, "limit is 262145, want 1 to 262144"},
		{Config{Limit: 1}, "length is 0s"},
		{Config{Limit: 1, Length: -1}, "length is -1ns"},
	} {
		if w, err := New(tt.cfg); w != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("New(%+v): %v, want an error with %q", tt.cfg, err, tt.want)
		}
	}
	mustNew(t, Config{Limit: MaxStoredFailures, Length: 1})
}

func TestBoundary(t *testing.T) {
	h := newHand()
	w := mustNew(t, Config{Limit: 2, Length: 10 * time.Second, Now: h.now})
	wantWait(t, w, h, "a:80", 0)
	w.Record("a:80")
	wantWait(t, w, h, "a:80", 0)
	h.move(3 * time.Second)
	w.Record("a:80")
	wantWait(t, w, h, "a:80", 7*time.Second) // until the first one is out
	wantWait(t, w, h, "a:8080", 0)

	h.move(7*time.Second - 1)
	wantWait(t, w, h, "a:80", 1)
	h.move(1)
	wantWait(t, w, h, "a:80", 0)

	w.Record("a:80") // at 10 s: those at 3 s and 10 s count
	wantWait(t, w, h, "a:80", 3*time.Second)
}

// github.com/ffuf/ffuf/issues/273: one answer in five keeps a consecutive count
// low for ever, and the window fills all the same.
func TestOneAnswerInFive(t *testing.T) {
	h := newHand()
	w := mustNew(t, Config{Limit: 20, Length: time.Minute, Now: h.now})
	sent := 0
	var failed []time.Time
	for range 3600 {
		if _, ok := w.Admit("a:80"); ok {
			if sent%5 != 0 {
				w.Record("a:80")
				failed = append(failed, h.at)
			}
			sent++
		}
		h.move(time.Second)
	}
	for i := range failed[20:] {
		if apart := failed[i+20].Sub(failed[i]); apart < time.Minute {
			t.Errorf("failures %d to %d are within %v", i, i+20, apart)
		}
	}
	// 20 failures a minute are 25 requests; some seconds are lost at the edges.
	if perMinute := sent / 60; perMinute < 23 || perMinute > 25 {
		t.Errorf("%d requests a minute, want 23 to 25", perMinute)
	}
}

// What was in flight when the limit was reached counts, and is waited for.
func TestOvershootIsWaitedFor(t *testing.T) {
	h := newHand()
	w := mustNew(t, Config{Limit: 2, Length: 10 * time.Second, Now: h.now})
	for range 5 { // five in flight, all of them admitted
		wantWait(t, w, h, "a:80", 0)
	}
	for range 5 {
		w.Record("a:80")
		h.move(time.Second)
	}
	// Failures at 0 to 4 s. The count is 1 when the one at 3 s leaves, at 13 s.
	wantWait(t, w, h, "a:80", 8*time.Second)
	h.move(8*time.Second - 1)
	wantWait(t, w, h, "a:80", 1)
	h.move(1)
	wantWait(t, w, h, "a:80", 0)
}

func TestOvershootIsBoundedByWhatIsInFlight(t *testing.T) {
	const limit, inFlight = 10, 8
	frozen := newHand()
	w := mustNew(t, Config{Limit: limit, Length: time.Second, Now: frozen.now})
	var failed atomic.Int64
	var wg sync.WaitGroup
	for range inFlight {
		wg.Go(func() {
			for range 1000 {
				if _, ok := w.Admit("a:80"); ok {
					failed.Add(1)
					w.Record("a:80")
				}
			}
		})
	}
	wg.Wait()
	if got := failed.Load(); got < limit || got > limit-1+inFlight {
		t.Errorf("%d failures, want %d to %d", got, limit, limit-1+inFlight)
	}
	wantWait(t, w, frozen, "a:80", time.Second)
}

func TestClockStepsBack(t *testing.T) {
	h := newHand()
	began := h.at
	w := mustNew(t, Config{Limit: 2, Length: 10 * time.Second, Now: h.now})
	w.Record("a:80")
	h.move(4 * time.Second)
	w.Record("a:80")

	h.at = began.Add(-time.Hour)
	wantWait(t, w, h, "a:80", 6*time.Second) // still 4 s, not a longer wait
	w.Record("a:80")                         // counts as one at 4 s
	wantWait(t, w, h, "a:80", 10*time.Second)
	wantWait(t, w, h, "b:80", 0)

	h.at = began.Add(14*time.Second - 1)
	wantWait(t, w, h, "a:80", 1)
	h.at = began.Add(14 * time.Second)
	wantWait(t, w, h, "a:80", 0)
}

func TestNextAdmitTakesAnyMoment(t *testing.T) {
	h := newHand()
	w := mustNew(t, Config{Limit: 1, Length: 10 * time.Second, Now: h.now})
	h.move(time.Hour)
	w.Record("a:80")
	for _, tt := range []struct{ at, want time.Duration }{
		{-1, 10 * time.Second}, // read before the failure was recorded
		{0, 10 * time.Second},
		{10*time.Second - 1, 1},
		{10 * time.Second, 0},
		{time.Hour, 0},
	} {
		now := h.at.Add(tt.at)
		if got := w.NextAdmit("a:80", now); !got.Equal(now.Add(tt.want)) {
			t.Errorf("asked at %v: in %v, want %v", tt.at, got.Sub(now), tt.want)
		}
	}
	if far := time.Unix(1<<40, 0); !w.NextAdmit("a:80", far).Equal(far) {
		t.Error("a moment thousands of years away is refused")
	}
	wantWait(t, w, h, "a:80", 10*time.Second) // asking changed nothing
}

func TestEndlessLength(t *testing.T) {
	h := newHand()
	w := mustNew(t, Config{Limit: 1, Length: math.MaxInt64, Now: h.now})
	w.Record("a:80")
	h.move(24 * time.Hour)
	wantWait(t, w, h, "a:80", math.MaxInt64-24*time.Hour)
	w.Record("a:80")
	wantWait(t, w, h, "a:80", math.MaxInt64)
}

func TestDefaultClock(t *testing.T) {
	w := mustNew(t, Config{Limit: 1, Length: time.Hour})
	w.Record("a:80")
	if wait, ok := w.Admit("a:80"); ok || wait <= 59*time.Minute || wait > time.Hour {
		t.Errorf("told %v, %v, want nearly an hour", wait, ok)
	}
}

func TestDecisionsAllocateNothing(t *testing.T) {
	h := newHand()
	w := mustNew(t, Config{Limit: 3, Length: time.Minute, Now: h.now})
	for range 3 {
		w.Record("known:80")
	}
	if got := testing.AllocsPerRun(100, func() {
		h.move(time.Second)
		w.Admit("known:80")
		w.Admit("unknown:80")
		w.NextAdmit("known:80", h.at)
		w.Record("known:80")
	}); got != 0 {
		t.Errorf("%v allocations a round, want 0", got)
	}
}
