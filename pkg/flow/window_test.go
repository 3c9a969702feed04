package flow

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// spanRat is ceil(T)/T seconds in nanoseconds, rounded up, in exact arithmetic.
func spanRat(rate float64) int64 {
	span := new(big.Rat).SetFloat64(math.Ceil(rate) * 1e9)
	span.Quo(span, new(big.Rat).SetFloat64(rate))
	up, rest := new(big.Int).QuoRem(span.Num(), span.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		up.Add(up, big.NewInt(1))
	}
	return up.Int64()
}

// One over a whole number of nanoseconds is a float below or above the true rate;
// the division often rounds the difference away.
func TestSpanIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 10_000 {
		rate := 1e9 / float64(rng.Int64N(99e9)+1e9)
		if rng.IntN(2) == 0 {
			rate *= float64(rng.IntN(1000) + 1)
		}
		if got, want := spanOf(math.Ceil(rate), rate), spanRat(rate); got != want {
			t.Fatalf("T = %v: %d ns, want %d", rate, got, want)
		}
	}
}

// rejectModel keeps every request that was let through, ever.
type rejectModel struct {
	floor, ceil int
	span        int64
	went        []int64
	grants      []Grant
}

func newRejectModel(rate float64) *rejectModel {
	return &rejectModel{floor: int(math.Floor(rate)), ceil: int(math.Ceil(rate)), span: spanRat(rate)}
}

// admits is the first moment from t on at which one more request breaks no bound.
func (m *rejectModel) admits(t int64) int64 {
	n, at := len(m.went), t
	if m.floor > 0 && n >= m.floor {
		at = max(at, m.went[n-m.floor]+1e9)
	}
	if n >= m.ceil {
		at = max(at, m.went[n-m.ceil]+m.span)
	}
	return at
}

func (m *rejectModel) remove(i int) Grant {
	g := m.grants[i]
	m.went = slices.Delete(m.went, i, i+1)
	m.grants = slices.Delete(m.grants, i, i+1)
	return g
}

// bounds fails when some interval holds more than it may.
func (m *rejectModel) bounds(t *rapid.T) {
	check := func(many int, length int64) {
		for i := many; many > 0 && i < len(m.went); i++ {
			if d := m.went[i] - m.went[i-many]; d < length {
				t.Fatalf("%d requests within %d ns; at most %d may be within %d", many+1, d, many, length)
			}
		}
	}
	check(m.floor, 1e9)
	check(m.ceil, m.span)
}

// gap draws the time to the next arrival: bursts, the neighbourhood of the rate,
// whole intervals to the nanosecond, and silence.
func gap(rng *rand.Rand, rate float64, span int64) int64 {
	switch rng.IntN(40) {
	case 0:
		return span + rng.Int64N(3) - 1
	case 1:
		return rng.Int64N(span)
	case 2, 3, 4, 5:
		return 0
	}
	return int64(rng.Float64() * 1.7e9 / rate)
}

func TestRejectNeverExceeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rates(0.01, 100_000).Draw(t, "rate")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		cancels := rapid.IntRange(0, 100).Draw(t, "cancels per thousand")
		l, m, t0 := mustNewIn(t, Rule{Rate: rate, Mode: Reject}), newRejectModel(rate), time.Now()
		now := int64(0)
		for range 50 + 3*m.ceil {
			now += gap(rng, rate, m.span)
			at := t0.Add(time.Duration(now))
			want := m.admits(now)
			if next := l.NextAdmit(at).Sub(t0); int64(next) != want {
				t.Fatalf("T = %v at %d: next %d, want %d", rate, now, next, want)
			}
			g := l.Take(at)
			if g.OK != (want == now) || int64(g.Wait) != want-now {
				t.Fatalf("T = %v at %d: got %v, wait %d; want room at %d", rate, now, g.OK, g.Wait, want)
			}
			if g.OK {
				m.went, m.grants = append(m.went, now), append(m.grants, g)
			}
			if n := len(m.went); n > 0 && rng.IntN(1000) < cancels {
				c := m.remove(n - 1 - rng.IntN(min(n, 5)))
				c.Cancel(at)
				c.Cancel(at) // harmless
			}
		}
		m.bounds(t)
	})
}

// The model's bounds for whole and broken rates, written out.
func TestRejectBounds(t *testing.T) {
	t0 := time.Now()
	for _, tt := range []struct {
		rate  float64
		burst int
		then  time.Duration // when the next one may go
	}{
		{0.01, 1, 100 * time.Second},
		{0.5, 1, 2 * time.Second},
		{1, 1, time.Second},
		{1.5, 1, time.Second},
		{2, 2, time.Second},
		{100_000, 100_000, time.Second},
	} {
		l := mustNew(t, Rule{Rate: tt.rate, Mode: Reject})
		for i := range tt.burst {
			if g := l.Take(t0); !g.OK || g.Wait != 0 {
				t.Fatalf("T = %v: request %d refused", tt.rate, i)
			}
		}
		if g := l.Take(t0.Add(tt.then - 1)); g.OK || g.Wait != 1 {
			t.Errorf("T = %v: a nanosecond too early: %v, wait %v", tt.rate, g.OK, g.Wait)
		}
		if g := l.Take(t0.Add(tt.then)); !g.OK {
			t.Errorf("T = %v: refused when the interval is over, wait %v", tt.rate, g.Wait)
		}
	}
}

// At T = 2.5 two in each second are within the first bound, and four in a row of
// which the last comes 1.1 s after the first are not within the second.
func TestRejectAcrossSeconds(t *testing.T) {
	const ms = time.Millisecond
	runSteps(t, mustNew(t, Rule{Rate: 2.5, Mode: Reject}), []step{
		{0, true, 0},
		{900 * ms, true, 0},
		{1000 * ms, true, 0},
		{1100 * ms, false, 800 * ms},
		{1900 * ms, true, 0},
		{1900 * ms, false, 200 * ms}, // a second holds two, 1.2 s hold three
		{2100 * ms, true, 0},
	})
}

// github.com/uber-go/ratelimit/issues/119
func TestRejectBurstAfterIdle(t *testing.T) {
	l, t0 := mustNew(t, Rule{Rate: 10, Mode: Reject}), time.Now()
	l.Take(t0)
	var ok int
	for i := range 1000 {
		if l.Take(t0.Add(time.Minute + time.Duration(i)*time.Millisecond - 1)).OK {
			ok++
		}
	}
	if ok != 10 {
		t.Errorf("%d requests in the second after a minute of silence, want 10", ok)
	}
}

// A limiter that is asked seldom remembers little, whatever its rate.
func TestRejectMemory(t *testing.T) {
	l, now := mustNew(t, Rule{Rate: 100_000, Mode: Reject}), time.Now()
	for range 10_000 {
		l.Take(now)
		now = now.Add(200 * time.Millisecond)
	}
	if n := len(l.window.ring); n > 8 {
		t.Errorf("%d moments kept for five requests a second, want at most 8", n)
	}
}
