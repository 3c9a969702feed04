package flow

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// granted is the integral of T / sqrt(9 - 8 t / W) from 0 to t: what full load
// gets at factor 3; from W on the rate is T.
func granted(rate, warmUp, t float64) float64 {
	if t > warmUp {
		return rate*warmUp/2 + rate*(t-warmUp)
	}
	return rate * warmUp / 4 * (3 - math.Sqrt(9-8*t/warmUp))
}

func TestWarmUpFullLoad(t *testing.T) {
	for _, rate := range []float64{0.5, 7, 64, 1000, 100_000} {
		for _, warmUp := range []time.Duration{time.Second, 10 * time.Second, 5 * time.Minute} {
			if rate*warmUp.Seconds() > 2e6 {
				continue
			}
			for _, mode := range []Mode{WarmUp, WarmUpQueue} {
				t.Run(fmt.Sprintf("%v/%v/%v", mode, rate, warmUp), func(t *testing.T) {
					fullLoad(t, Rule{Rate: rate, Mode: mode, WarmUp: warmUp, ColdFactor: 3})
				})
			}
		}
	}
}

func fullLoad(t *testing.T, r Rule) {
	l, t0 := mustNew(t, r), time.Now()
	now, end := t0, t0.Add(2*r.WarmUp)
	for n := 0; ; n++ {
		g := l.Take(now)
		if !g.OK {
			t.Fatalf("request %d refused for %v", n, g.Wait)
		}
		at := now.Add(g.Wait)
		if at.After(end) {
			break
		}
		// n were granted just before this moment, n + 1 at it.
		want := granted(r.Rate, r.WarmUp.Seconds(), at.Sub(t0).Seconds())
		if low, high := want-float64(n), float64(n+1)-want; low > 1+1e-3 || high > 1+1e-3 {
			t.Fatalf("%d requests before %v, the integral is %f", n, at.Sub(t0), want)
		}
		if r.Mode == WarmUp {
			now = l.NextAdmit(now)
		}
	}
}

// Idle for part of the warm-up, the bucket is colder by as many permits as one in
// W / max gives: at T = 0.5, W = 8 s the maximum is 4 permits and f rises from 2 s
// at 2 permits to 6 s at 4.
func TestWarmUpCools(t *testing.T) {
	const s = time.Second
	for _, tt := range []struct{ idle, next time.Duration }{
		{0, 2 * s},
		{s, 2 * s},
		{4 * s, 2 * s},           // 2 permits: at the threshold, still warm
		{5 * s, 2250 * s / 1000}, // 2.5: half a permit above, 2 + (2 x 0.5) x 0.5 / 2
		{6 * s, 3 * s},           // 3: (2 + 4) / 2
		{7 * s, 4 * s},           // 3.5: (3 + 5) / 2
		{8 * s, 5 * s},           // 4: (4 + 6) / 2
		{time.Hour, 5 * s},       // never colder than cold
	} {
		for _, mode := range []Mode{WarmUp, WarmUpQueue} {
			l := mustNew(t, Rule{Rate: 0.5, Mode: mode, WarmUp: 8 * s, ColdFactor: 3})
			now := time.Now()
			for range 20 {
				now = l.NextAdmit(now)
				l.Take(now)
			}
			now = l.NextAdmit(now).Add(tt.idle)
			if g := l.Take(now); !g.OK || g.Wait != 0 {
				t.Fatalf("%v idle for %v: %v, wait %v", mode, tt.idle, g.OK, g.Wait)
			}
			if d := l.NextAdmit(now).Sub(now); d != tt.next {
				t.Errorf("%v idle for %v: the next one %v later, want %v", mode, tt.idle, d, tt.next)
			}
		}
	}
}

// warmModel is the bucket in plain floating point and seconds, as its formulas are
// written: the area under f by its two parts.
type warmModel struct {
	s, c, threshold, max, slope, w float64
	stored, next                   float64
}

func newWarmModel(r Rule) *warmModel {
	m := &warmModel{s: 1 / r.Rate, w: r.WarmUp.Seconds()}
	m.c = r.ColdFactor * m.s
	m.threshold = 0.5 * m.w / m.s
	m.max = m.threshold + 2*m.w/(m.s+m.c)
	m.slope = (m.c - m.s) / (m.max - m.threshold)
	m.stored = m.max
	return m
}

func (m *warmModel) f(x float64) float64 {
	if x <= m.threshold {
		return m.s
	}
	return m.s + m.slope*(x-m.threshold)
}

// take grants at now or at next, whichever is later. Moments are nanoseconds: less
// than one does not cool.
func (m *warmModel) take(now float64) (wait float64) {
	if now >= m.next+1e-9 {
		m.stored = min(m.max, m.stored+(now-m.next)/(m.w/m.max))
		m.next = now
	}
	wait = m.next - now
	to := max(0, m.stored-1)
	edge := min(max(m.threshold, to), m.stored)
	m.next += (m.stored-edge)*(m.f(m.stored)+m.f(edge))/2 + (1-(m.stored-edge))*m.s
	m.stored = to
	return wait
}

func TestWarmUpModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Rule{
			Rate:       rates(0.01, 100_000).Draw(t, "rate"),
			Mode:       rapid.SampledFrom([]Mode{WarmUp, WarmUpQueue}).Draw(t, "mode"),
			WarmUp:     time.Duration(rapid.Float64Range(1e6, 1e12).Draw(t, "warm-up")),
			ColdFactor: rapid.Float64Range(1.01, 20).Draw(t, "cold factor"),
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		l, m, t0 := mustNewIn(t, r), newWarmModel(r), time.Now()
		now := 0.0
		for i := range 1000 {
			switch rng.IntN(20) {
			case 0:
				now += rng.Float64() * 2 * m.w
			case 1:
				now = max(now, m.next)
			default:
				now += rng.Float64() * 3 * m.s
			}
			now = math.Ceil(now*1e9) / 1e9
			near := 1e-8 + now*1e-9
			if r.Mode == WarmUp && math.Abs(now-m.next) < near {
				now = math.Ceil((now+2*near)*1e9) / 1e9 // floats may disagree about who is a hair too early
			}
			at := t0.Add(time.Duration(math.Round(now * 1e9)))
			g := l.Take(at)
			early := max(0, m.next-now)
			if r.Mode == WarmUp && early > 0 {
				if g.OK || math.Abs(g.Wait.Seconds()-early) > near {
					t.Fatalf("request %d at %v: %v, wait %v; want a refusal for %v s", i, now, g.OK, g.Wait, early)
				}
				continue
			}
			if wait := m.take(now); !g.OK || math.Abs(g.Wait.Seconds()-wait) > near {
				t.Fatalf("request %d at %v: %v, wait %v; want %v s", i, now, g.OK, g.Wait, wait)
			}
		}
	})
}
