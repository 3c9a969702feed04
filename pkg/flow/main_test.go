package flow

import (
	"math"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func mustNew(tb testing.TB, r Rule) *Limiter {
	tb.Helper()
	l, err := New(r)
	if err != nil {
		tb.Fatalf("New(%+v): %v", r, err)
	}
	return l
}

// mustNewIn is mustNew for property tests.
func mustNewIn(t *rapid.T, r Rule) *Limiter {
	l, err := New(r)
	if err != nil {
		t.Fatalf("New(%+v): %v", r, err)
	}
	return l
}

// rates draws T from 0.01 to 100,000: even over the orders of magnitude, whole
// numbers, and halves.
func rates(least, most float64) *rapid.Generator[float64] {
	return rapid.Custom(func(t *rapid.T) float64 {
		r := math.Exp(rapid.Float64Range(math.Log(least), math.Log(most)).Draw(t, "ln rate"))
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			r = math.Ceil(r)
		case 1:
			r = math.Ceil(2*r) / 2
		}
		return min(max(r, least), most)
	})
}

// step is one row of a table of decisions: at this moment, this answer.
type step struct {
	at   time.Duration
	ok   bool
	wait time.Duration
}

func runSteps(t *testing.T, l *Limiter, steps []step) {
	t.Helper()
	t0 := time.Now()
	for i, s := range steps {
		g := l.Take(t0.Add(s.at))
		if g.OK != s.ok || g.Wait != s.wait {
			t.Fatalf("step %d at %v: got %v, wait %v; want %v, wait %v", i, s.at, g.OK, g.Wait, s.ok, s.wait)
		}
	}
}
