package requester

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// throttleModel keeps every slot that was taken, every rate that was in force and every halving.
type throttleModel struct {
	slots []time.Time
	rates []float64 // in force when the slot was taken
	cuts  []time.Time
	until time.Time
}

// bounds fails where two slots are closer than the faster of the rates that they were taken at allows.
func (m *throttleModel) bounds(t *rapid.T) {
	for i := 1; i < len(m.slots); i++ {
		if m.rates[i-1] == 0 {
			continue
		}
		if apart, least := m.slots[i].Sub(m.slots[i-1]), time.Duration(float64(time.Second)/m.rates[i-1]); apart < least {
			t.Fatalf("slots %v apart at %v/s, want %v or more", apart, m.rates[i-1], least)
		}
	}
	for i := 1; i < len(m.cuts); i++ {
		if apart := m.cuts[i].Sub(m.cuts[i-1]); apart < time.Second {
			t.Fatalf("two halvings within %v", apart)
		}
	}
}

// Whatever comes in whatever order: halved means halved, at most once a second and not below one a second; up goes in
// steps, and only by answers; nothing goes before a time that the host has named.
func TestThrottlePolicy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := rapid.SampledFrom([]float64{0.5, 1, 5, 100, 1000}).Draw(t, "top")
		now := time.Unix(1_800_000_000, 0)
		var th throttle
		var m throttleModel
		var served meter
		t.Repeat(map[string]func(*rapid.T){
			"time passes": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.Int64Range(0, int64(3*time.Second)).Draw(t, "time")))
			},
			"a moment passes": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.Int64Range(0, int64(50*time.Millisecond)).Draw(t, "time")))
			},
			"take": func(t *rapid.T) {
				next := th.nextAdmit(now)
				rate := th.rate
				at, ok := th.take(now)
				switch {
				case ok && (at.Before(now) || at.Before(m.until) || !at.Equal(next) || at.Sub(now) > maxSlotWait):
					t.Fatalf("slot in %v, want it in %v, not before %v", at.Sub(now), next.Sub(now), m.until.Sub(now))
				case !ok && !at.After(now):
					t.Fatalf("refused until %v ago", now.Sub(at))
				case !ok:
				case rapid.Bool().Draw(t, "given back"):
					th.giveBack(at)
					if !th.nextAdmit(now).Equal(next) {
						t.Fatalf("next slot in %v after one was given back, want %v", th.nextAdmit(now).Sub(now), next.Sub(now))
					}
				default:
					m.slots, m.rates = append(m.slots, at), append(m.rates, rate)
				}
			},
			"complaint": func(t *rapid.T) {
				before, first := th.rate, th.rate == 0
				took := served.count(now)
				changed := th.halve(now, took, served.full(now), top)
				if first {
					before = min(top, float64(took)+1)
				}
				want := max(slowest, before/2)
				if n := len(m.cuts); top <= slowest || n > 0 && now.Sub(m.cuts[n-1]) < time.Second {
					want = th.rate
					if changed {
						t.Fatal("halved twice within a second, or below the floor")
					}
				} else {
					m.cuts = append(m.cuts, now)
				}
				if th.rate != want {
					t.Fatalf("rate %v after %v, want %v", th.rate, before, want)
				}
			},
			"named time": func(t *rapid.T) {
				until := now.Add(time.Duration(rapid.Int64Range(1, int64(time.Minute)).Draw(t, "wait")))
				before, told := m.until, th.hold(now, until)
				m.until = later(m.until, until)
				if want := !before.After(now) || until.Sub(before) >= time.Second; told != want {
					t.Fatalf("told %v, want %v", told, want)
				}
			},
			"answer": func(t *rapid.T) {
				before, goal, stride := th.rate, th.goal, th.stride
				served.add(now)
				over := th.answered(now)
				switch {
				case over:
					if before+max(stride, goal/10) < top || th.rate != 0 {
						t.Fatalf("over at %v/s of %v, then %v", before, top, th.rate)
					}
				case th.rate < before || th.rate-before > max(stride, goal/10)+1e-9:
					t.Fatalf("from %v to %v in one step, goal %v, stride %v", before, th.rate, goal, stride)
				}
			},
			"": func(t *rapid.T) {
				if th.rate != 0 && (th.rate < slowest || th.rate >= top || math.IsNaN(th.rate)) {
					t.Fatalf("rate %v, want it from %v to %v", th.rate, slowest, top)
				}
				if th.idle(now) && (th.until.After(now) || th.rate > 0 && now.Sub(th.used) < throttleMemory) {
					t.Fatal("idle with something to remember")
				}
				m.bounds(t)
			},
		})
	})
}

// limited is a host that takes rate requests a second and saves up burst of them.
type limited struct {
	rate, burst, tokens float64
	last                time.Time
}

func (l *limited) takes(now time.Time) bool {
	l.tokens = min(l.burst, l.tokens+now.Sub(l.last).Seconds()*l.rate)
	l.last = now
	if l.tokens < 1 {
		return false
	}
	l.tokens--
	return true
}

// run sends to a host for so long as fast as the rule and the throttle allow, and counts each second.
func run(host *limited, rule float64, span time.Duration) (each []int, refused int) {
	var th throttle
	var served meter
	start := time.Unix(1_800_000_000, 0)
	now, free := start, start
	host.tokens, host.last = host.burst, start
	each = make([]int, int(span/time.Second)+1)
	for now.Sub(start) < span {
		at, ok := th.take(now)
		if !ok {
			now = at
			continue
		}
		now = later(at, free)
		free = now.Add(time.Duration(float64(time.Second) / rule))
		if now.Sub(start) >= span {
			break
		}
		each[int(now.Sub(start)/time.Second)]++
		if host.takes(now) {
			served.add(now)
			th.answered(now)
		} else {
			refused++
			th.halve(now, served.count(now), served.full(now), rule)
		}
	}
	return each[:len(each)-1], refused
}

// A host that takes 20 a second is found, whatever was sent at first, and kept near that: no swing between full and nothing.
func TestThrottleFindsTheRate(t *testing.T) {
	for _, rule := range []float64{25, 30, 50, 100, 300, 1000} {
		for _, burst := range []float64{5, 10, 20, 40} {
			t.Run(fmt.Sprintf("%v/%v", rule, burst), func(t *testing.T) {
				each, refused := run(&limited{rate: 20, burst: burst}, rule, time.Minute)
				total := 0
				for _, n := range each {
					total += n
				}
				if float64(refused) > 0.05*float64(total) {
					t.Errorf("%d of %d refused, want fewer than 5 %%", refused, total)
				}
				settled := each[20:]
				if burst == 20 {
					settled = each[10:]
				}
				if low, high := slices.Min(settled), slices.Max(settled); burst == 20 && low < 14 || low < 3 || high > 22 || burst == 20 && high > 20 {
					t.Errorf("from %d to %d a second, want 14 to 20: %v", low, high, each)
				}
			})
		}
	}
}

// github.com/epi052/feroxbuster/issues/822: while everything is refused the rate halves each second; when that is over it
// climbs back in steps, to what the host took before, and does not swing.
func TestThrottleClimbsBackAfterAStorm(t *testing.T) {
	start := time.Unix(1_800_000_000, 0)
	const top = 100.0
	var th throttle
	var served meter
	var rates []float64
	refusals := 0
	for now, second := start, 0; second < 240; {
		at, ok := th.take(now)
		if !ok {
			t.Fatal("a slot was refused")
		}
		now = later(at, now.Add(time.Second/top))
		for now.Sub(start) >= time.Duration(second)*time.Second {
			rates = append(rates, th.rate)
			second++
		}
		if d := now.Sub(start); d >= 10*time.Second && d < 14*time.Second {
			refusals++
			th.halve(now, served.count(now), served.full(now), top)
			continue
		}
		served.add(now)
		th.answered(now)
	}
	for second, want := range map[int]float64{9: 0, 11: 45, 12: 23, 13: 11.5, 14: 6} {
		if got := rates[second]; math.Abs(got-want) > 6 || (want == 0) != (got == 0) {
			t.Errorf("rate %v after %d s, want about %v: %v", got, second, want, rates[8:20])
		}
	}
	for second := 15; second < 239; second++ {
		before, after := rates[second-1], rates[second]
		if after == 0 {
			if before < 60 {
				t.Errorf("over at second %d, from %v", second, before)
			}
			return
		}
		if after < before || after-before > 9 {
			t.Errorf("from %v to %v at second %d, want steps up", before, after, second)
		}
	}
	t.Errorf("not over after four minutes: %v", rates)
}

func TestMeterAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m meter
		var all []time.Time
		now := time.Unix(1_800_000_000, 0)
		for range rapid.IntRange(1, 300).Draw(t, "answers") {
			now = now.Add(time.Duration(rapid.SampledFrom([]int64{0, 1, 3, 40, 99, 100, 101, 500, 999, 1000, 4000}).Draw(t, "gap")) * time.Millisecond)
			if rapid.Bool().Draw(t, "add") {
				m.add(now)
				all = append(all, now)
			}
			// What is older than a second is out, and what is younger than nine tenths is in.
			least, most := 0, 0
			for _, at := range all {
				if d := now.Sub(at); d <= 900*time.Millisecond {
					least++
				}
				if now.Sub(at) < time.Second {
					most++
				}
			}
			if got := m.count(now); got < least || got > most {
				t.Fatalf("count %d, want %d to %d", got, least, most)
			}
			if n := len(all); n == 0 && (!m.idle(now) || m.full(now)) || n > 0 && m.idle(now) != (now.Sub(all[n-1]) >= meterMemory) {
				t.Fatalf("idle %v, full %v after %d answers", m.idle(now), m.full(now), n)
			}
		}
	})
}
