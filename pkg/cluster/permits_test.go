package cluster

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// worker's part in a model of the scan-wide rate: a clock of its own, and slots used as late and as wrong as is allowed.
type rateModel struct {
	rate  float64
	p     permits
	now   time.Duration
	sends []time.Duration
}

// use sends by the slots of a grant: each up to slotLife late, by a clock that is mistaken by up to blur either way.
func (m *rateModel) use(t *rapid.T, g grant, blur time.Duration) {
	mistake := time.Duration(rapid.Int64Range(-int64(blur), int64(blur)).Draw(t, "mistake"))
	for i := range g.N {
		late := time.Duration(rapid.Int64Range(0, int64(slotLife)).Draw(t, "late"))
		m.sends = append(m.sends, g.First+time.Duration(i)*g.Every+mistake+late)
	}
}

func (m *rateModel) most() int {
	slices.Sort(m.sends)
	most, from := 0, 0
	for to := range m.sends {
		for m.sends[to]-m.sends[from] >= time.Second {
			from++
		}
		most = max(most, to-from+1)
	}
	return most
}

func TestNoSecondHoldsMoreThanTheRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rateModel{rate: float64(rapid.IntRange(1, 300).Draw(t, "rate"))}
		m.p.rate = m.rate
		blurs := []time.Duration{0, usualBlur, 30 * time.Millisecond}
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			m.now += time.Duration(rapid.Int64Range(0, int64(80*time.Millisecond)).Draw(t, "pause"))
			// All workers are as far off as the worst: a narrower one before it is tested by usualBlur.
			blur := rapid.SampledFrom(blurs).Draw(t, "blur")
			if blur > m.p.blur && len(m.sends) > 0 {
				blur = max(m.p.blur, usualBlur)
			}
			g := m.p.take(m.now, ask{Worker: "w", Want: rapid.IntRange(0, 500).Draw(t, "want"), Blur: blur})
			if g.N > 0 && (g.First < m.now || g.First > m.now+permitAhead) {
				t.Fatalf("the first slot is at %s, asked at %s", g.First, m.now)
			}
			if share := max(1, int(m.rate*permitShare.Seconds())); g.N > share {
				t.Fatalf("%d slots at once, want at most %d", g.N, share)
			}
			m.use(t, g, min(blur, max(m.p.blur, usualBlur)))
		}
		if most := m.most(); most > int(m.rate) {
			t.Fatalf("%d sends in a second, want at most %.0f", most, m.rate)
		}
	})
}

// shares runs workers that each want so many slots whenever they may ask, and counts what they get in some seconds.
func shares(rate float64, seconds int, wants ...int) []int {
	p := permits{rate: rate}
	got := make([]int, len(wants))
	again := make([]time.Duration, len(wants))
	for now := time.Duration(0); now < time.Duration(seconds)*time.Second; now += 5 * time.Millisecond {
		for w, want := range wants {
			if want == 0 || now < again[w] {
				continue
			}
			g := p.take(now, ask{Worker: fmt.Sprint("w", w), Want: want})
			got[w] += g.N
			again[w] = now + g.Again
			if g.N > 0 { // it asks for more when what it has is nearly used
				again[w] = g.First + time.Duration(g.N)*g.Every - 50*time.Millisecond
			}
		}
	}
	return got
}

func TestSharesFollowDemand(t *testing.T) {
	const rate, seconds = 500, 20
	whole := rate * seconds * 95 / 100
	for name, c := range map[string]struct {
		wants []int
		least []int
	}{
		"alone":                      {[]int{1000}, []int{whole}},
		"one has all the work":       {[]int{1000, 0, 0}, []int{whole, 0, 0}},
		"one has most of it":         {[]int{1000, 1}, []int{whole * 8 / 10, 1}},
		"all have more than enough":  {[]int{1000, 1000, 1000}, []int{whole / 4, whole / 4, whole / 4}},
		"little wants are satisfied": {[]int{1000, 1000, 5}, []int{whole / 3, whole / 3, 5 * seconds}},
	} {
		got, sum := shares(rate, seconds, c.wants...), 0
		for w, n := range got {
			sum += n
			if n < c.least[w] {
				t.Errorf("%s: worker %d got %d slots of %v, want at least %d", name, w, n, got, c.least[w])
			}
		}
		if sum < whole {
			t.Errorf("%s: %d slots in all, want at least %d", name, sum, whole)
		}
	}
}

func TestADeadWorkerCostsATenthOfASecond(t *testing.T) {
	p := permits{rate: 500}
	lost := p.take(0, ask{Worker: "dead", Want: 1_000_000})
	next := p.take(0, ask{Worker: "alive", Want: 1})
	if next.N != 1 || next.First-lost.First > permitShare*11/10 {
		t.Errorf("after %d slots the next one is %s later, want at most %s", lost.N, next.First-lost.First, permitShare)
	}
}

func TestRatesBelowOneASecond(t *testing.T) {
	p := permits{rate: 0.5}
	a := p.take(0, ask{Worker: "w", Want: 10})
	b := p.take(10*time.Millisecond, ask{Worker: "w", Want: 10})
	if a.N != 1 || b.N != 0 || b.Again < time.Second || b.Again > 2*time.Second {
		t.Fatalf("got %+v and %+v, want one slot, and then none for about two seconds", a, b)
	}
	c := p.take(10*time.Millisecond+b.Again, ask{Worker: "w", Want: 10})
	if c.N != 1 || c.First-a.First < 2*time.Second {
		t.Errorf("got %+v, want a slot two seconds after %s", c, a.First)
	}
}

// An offset never is further off than it says, whatever the ways there and back take.
func TestOffsetKnowsHowFarItIsOff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var o offset
		ahead := time.Duration(rapid.Int64Range(-int64(time.Hour), int64(time.Hour)).Draw(t, "ahead"))
		now := time.Duration(0)
		least := time.Hour
		for range rapid.IntRange(1, 30).Draw(t, "answers") {
			now += time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "pause"))
			there := time.Duration(rapid.Int64Range(0, int64(300*time.Millisecond)).Draw(t, "there"))
			back := time.Duration(rapid.Int64Range(0, int64(300*time.Millisecond)).Draw(t, "back"))
			o.learn("e", now, now+there+back, now+there+ahead)
			now += there + back
			least = min(least, there+back)
			off := o.ours(now+ahead) - now
			if blur := o.blur(now); off > blur || -off > blur {
				t.Fatalf("off by %s, and says at most %s", off, blur)
			}
		}
		if blur := o.blur(now); blur > least/2+10*time.Millisecond { // of drift
			t.Fatalf("says it may be off by %s after an answer that took %s", blur, least)
		}
	})
}

func TestOffsetBeginsAnew(t *testing.T) {
	var o offset
	if o.blur(0) <= maxBlur {
		t.Error("it knows something from the start")
	}
	o.learn("one", 0, time.Millisecond, time.Minute)
	o.learn("two", time.Second, time.Second+time.Millisecond, time.Hour) // another coordinator
	if off := o.ours(time.Hour) - time.Second; off < 0 || off > time.Millisecond {
		t.Errorf("off by %s after another epoch", off)
	}
	o.learn("two", 2*time.Second, 2*time.Second+time.Millisecond, 3*time.Hour) // its clock has jumped
	if off := o.ours(3*time.Hour) - 2*time.Second; off < 0 || off > time.Millisecond {
		t.Errorf("off by %s after a jump", off)
	}
}
