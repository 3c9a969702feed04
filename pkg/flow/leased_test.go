package flow

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever comes in which order: no slot is used twice, before its moment or after its life, and none is lost that is alive.
func TestLeasedSlotsAreUsedOnceAndInTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Leased
		now := time.Now()
		var free []time.Time // the model: all slots that nobody has
		var held []Grant
		alive := func(from time.Time) (all []time.Time) {
			for _, at := range free {
				if from.Sub(at) <= SlotLife {
					all = append(all, at)
				}
			}
			slices.SortFunc(all, time.Time.Compare)
			return all
		}
		took := func(at time.Time) {
			i := slices.IndexFunc(free, at.Equal)
			if i < 0 {
				t.Fatalf("a slot at %v that nobody gave, or that somebody has", at.Sub(now))
			}
			free = slices.Delete(free, i, i+1)
		}
		some := func(name string) time.Duration {
			return time.Duration(rapid.Int64Range(0, int64(60*time.Millisecond)).Draw(t, name))
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				first, every, n := now.Add(some("first")-20*time.Millisecond), some("every")/8, rapid.IntRange(0, 5).Draw(t, "n")
				l.Add(first, every, n)
				for i := range n {
					free = append(free, first.Add(time.Duration(i)*every))
				}
			},
			"take": func(t *rapid.T) {
				leaves := now.Add(some("leaves") - 30*time.Millisecond)
				usable := alive(later(now, leaves))
				g := TakeLeased(&l, nil, now, leaves)
				if g.OK != (len(usable) > 0) {
					t.Fatalf("granted %v with %d slots that are alive", g.OK, len(usable))
				}
				if !g.OK {
					if g.Wait <= 0 {
						t.Fatal("refused for no time at all")
					}
					return
				}
				if want := later(usable[0], later(now, leaves)); !now.Add(g.Wait).Equal(want) {
					t.Fatalf("leaves in %v, want %v by the first slot", g.Wait, want.Sub(now))
				}
				took(g.at)
				held = append(held, g)
			},
			"leave or renew": func(t *rapid.T) {
				if len(held) == 0 {
					return
				}
				g := &held[0]
				before := g.at
				wait, ok := g.Renew(now)
				switch {
				case before.Equal(g.at) && ok && now.Sub(g.at) > SlotLife:
					t.Fatal("a slot is used after its life")
				case !before.Equal(g.at):
					if now.Sub(before) <= SlotLife || now.Sub(g.at) > SlotLife || g.at.Sub(now) > wait {
						t.Fatalf("a slot %v old was exchanged for one %v old, with a wait of %v", now.Sub(before), now.Sub(g.at), wait)
					}
					took(g.at)
				}
				if ok {
					held = held[1:] // it leaves
				}
			},
			"cancel": func(t *rapid.T) {
				if len(held) > 0 {
					free = append(free, held[0].at)
					held[0].Cancel(now)
					held[0].Cancel(now)
					held = held[1:]
				}
			},
			"time": func(*rapid.T) { now = now.Add(some("passed")) },
			"ask": func(t *rapid.T) {
				lead := some("lead")
				usable := alive(now)
				at, room := l.Ready(now, lead)
				due := 0
				for _, slot := range usable {
					if !slot.After(now.Add(lead)) {
						due++
					}
				}
				if room != due || (due > 0) == at.After(now) {
					t.Fatalf("room for %d from %v on, want %d", room, at.Sub(now), due)
				}
			},
		})
	})
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// What is wanted follows what is used: twice as much while requests find none, less when slots go by, and nothing
// while nobody asks or enough is there.
func TestLeasedWantsWhatIsUsed(t *testing.T) {
	var l Leased
	now := time.Now()
	wants := func(want int, why string) {
		t.Helper()
		if got := l.Wanted(now); got != want {
			t.Errorf("%d slots wanted, want %d: %s", got, want, why)
		}
	}
	take := func(n int) {
		for range n {
			TakeLeased(&l, nil, now, now)
		}
	}
	wants(0, "nobody has asked")
	l.Ready(now, 0)
	wants(1, "somebody has")
	for _, want := range []int{2, 4, 8} {
		l.Add(now, 0, want/2)
		take(want/2 + 1)
		wants(want, "all were used, and one more request came")
	}
	l.Add(now, 0, 5) // less than was asked for
	wants(10, "twice what was given is the most, and the new ones last for no time")
	take(6)
	l.Add(now.Add(time.Millisecond), 10*time.Millisecond, 10)
	take(3)
	wants(0, "they last for another 90 ms")
	now = now.Add(42 * time.Millisecond)
	wants(20, "and for less than 50 ms now")
	now = now.Add(time.Second)
	wants(0, "nobody has asked for a second")
	take(1)
	l.Add(now, 0, 1)
	wants(5, "of the ten 3 were used, and twenty had been wanted")
}

func TestLeasedWithAHost(t *testing.T) {
	var l Leased
	host := mustNew(t, Rule{Rate: 10, Mode: Queue, MaxQueueWait: time.Second})
	now := time.Now()
	if g := TakeLeased(&l, host, now, now); g.OK || host.NextAdmit(now).After(now) {
		t.Fatal("without a slot the host is as it was")
	}
	l.Add(now, 5*time.Millisecond, 3)
	if g := TakeLeased(&l, host, now, now); !g.OK || g.Wait != 0 {
		t.Fatalf("granted %v after %v", g.OK, g.Wait)
	}
	// The host's next moment is 100 ms away, when none of the slots lives.
	if g := TakeLeased(&l, host, now, now); g.OK || g.Wait != 80*time.Millisecond {
		t.Fatalf("granted %v, ask again after %v; want a refusal until 20 ms before the host's moment", g.OK, g.Wait)
	}
	l.Add(now.Add(90*time.Millisecond), 0, 1)
	g := TakeLeased(&l, host, now, now)
	if !g.OK || g.Wait != 100*time.Millisecond {
		t.Fatalf("granted %v after %v; want the host's moment, for which the slot lives long enough", g.OK, g.Wait)
	}
	g.Cancel(now)
	if at := host.NextAdmit(now); !at.Equal(now.Add(100 * time.Millisecond)) {
		t.Errorf("the host's slot was not given back: next in %v", at.Sub(now))
	}
	if g := TakeLeased(&l, nil, now, now.Add(100*time.Millisecond)); !g.OK {
		t.Error("the leased slot was not given back")
	}
}

func TestLeasedDoesNotAllocate(t *testing.T) {
	var l Leased
	now := time.Now()
	round := func() {
		now = now.Add(10 * time.Millisecond)
		l.Add(now, time.Millisecond, 10)
		g := TakeLeased(&l, nil, now, now)
		g.Cancel(now)
		for range 10 {
			g = TakeLeased(&l, nil, now, now)
		}
		l.Ready(now, time.Millisecond)
		l.Wanted(now)
	}
	for range 10 {
		round()
	}
	if n := testing.AllocsPerRun(1000, round); n != 0 {
		t.Errorf("%v allocations a round", n)
	}
}
