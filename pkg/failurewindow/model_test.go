package failurewindow

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// model keeps every failure for ever and counts them anew for each question.
// Its clock is that of the promise: it stands still while the real one is back.
type model struct {
	limit    int
	length   time.Duration
	failures map[string][]time.Time
	latest   time.Time
}

func (m *model) read(now time.Time) time.Time {
	if now.Before(m.latest) {
		return m.latest
	}
	return now
}

func (m *model) count(key string, at time.Time) (inside int) {
	for _, failed := range m.failures[key] {
		if at.Sub(failed) < m.length {
			inside++
		}
	}
	return inside
}

func (m *model) record(key string, now time.Time) {
	m.latest = m.read(now)
	m.failures[key] = append(m.failures[key], m.latest)
}

// wait tries each moment at which a failure leaves, the soonest one first.
func (m *model) wait(key string, now time.Time) time.Duration {
	now = m.read(now)
	if m.count(key, now) < m.limit {
		return 0
	}
	leaves := slices.SortedFunc(slices.Values(m.failures[key]), time.Time.Compare)
	for _, failed := range leaves {
		if leave := failed.Add(m.length); leave.After(now) && m.count(key, leave) < m.limit {
			return leave.Sub(now)
		}
	}
	panic("a key that is refused for ever")
}

// machine drives a window and a model side by side.
type machine struct {
	h    *hand
	w    *Window
	m    *model
	keys []string
	told func() // after an undo; nil = nobody is
}

func newMachine(t *rapid.T, room int) *machine {
	h := newHand()
	limit := rapid.IntRange(1, 6).Draw(t, "limit")
	length := time.Duration(rapid.IntRange(1, 20).Draw(t, "length"))
	w, err := newWindow(Config{Limit: limit, Length: length, Now: h.now}, room)
	if err != nil {
		t.Fatal(err)
	}
	mc := &machine{h: h, w: w, m: &model{limit: limit, length: length, failures: map[string][]time.Time{}, latest: h.at}}
	for i := range rapid.IntRange(1, 30).Draw(t, "keys") {
		mc.keys = append(mc.keys, fmt.Sprintf("host-%d:80", i))
	}
	return mc
}

func (mc *machine) key(t *rapid.T) string { return rapid.SampledFrom(mc.keys).Draw(t, "key") }

// undo forgets the failures from a moment on. Those that a key at its limit had dropped for them are gone too, as the window
// says; checks that want more look for themselves.
func (m *model) undo(since time.Time) {
	for key, all := range m.failures {
		if n := len(all); n > m.limit {
			all = all[n-m.limit:]
		}
		m.failures[key] = slices.DeleteFunc(all, func(at time.Time) bool { return !at.Before(since) })
	}
}

// run makes random moves and the given check after each of them.
func (mc *machine) run(t *rapid.T, check func(*rapid.T)) {
	t.Repeat(map[string]func(*rapid.T){
		"record": func(t *rapid.T) {
			key := mc.key(t)
			mc.w.Record(key)
			mc.m.record(key, mc.h.at)
		},
		"time passes": func(t *rapid.T) {
			mc.h.move(time.Duration(rapid.IntRange(0, 25).Draw(t, "time")))
		},
		"undo": func(t *rapid.T) {
			since := mc.h.at.Add(-time.Duration(rapid.IntRange(-2, 25).Draw(t, "since")))
			mc.w.Undo(since)
			mc.m.undo(since)
			if mc.told != nil {
				mc.told()
			}
		},
		"clock goes back": func(t *rapid.T) {
			mc.h.move(-time.Duration(rapid.IntRange(1, 40).Draw(t, "step")))
		},
		"": func(t *rapid.T) {
			check(t)
			checkStore(t, &mc.w.failures)
		},
	})
}

func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mc := newMachine(t, MaxStoredFailures)
		mc.run(t, func(t *rapid.T) {
			for _, key := range mc.keys {
				want := mc.m.wait(key, mc.h.at)
				if wait, ok := mc.w.Admit(key); wait != want || ok != (want == 0) {
					t.Fatalf("Admit(%s) = %d, %v, want %d", key, wait, ok, want)
				}
			}
			key := mc.key(t)
			at := mc.h.at.Add(time.Duration(rapid.IntRange(-30, 30).Draw(t, "offset")))
			if got, want := mc.w.NextAdmit(key, at).Sub(at), mc.m.wait(key, at); got != want {
				t.Fatalf("%s may go in %d, want %d", key, got, want)
			}
		})
	})
}

// With little room precision gives way, in one direction only: nobody is
// refused without cause, and who is refused stays so until the time told.
func TestAgainstModelWithLittleRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mc := newMachine(t, rapid.IntRange(1, 12).Draw(t, "room"))
		until := map[string]time.Time{} // the moments told to keys at their limit
		mc.told = func() { clear(until) }
		mc.run(t, func(t *rapid.T) {
			now := mc.m.read(mc.h.at)
			for _, key := range mc.keys {
				wait, ok := mc.w.Admit(key)
				if most := mc.m.wait(key, mc.h.at); wait > most {
					t.Fatalf("%s is refused for %d, want at most %d", key, wait, most)
				}
				if ok && now.Before(until[key]) {
					t.Fatalf("%s was forgotten %d before its time", key, until[key].Sub(now))
				}
				if !ok {
					until[key] = now.Add(wait)
				}
			}
		})
	})
}

// checkStore walks both lists from end to end.
func checkStore(t *rapid.T, s *store) {
	stored, before := 0, none
	for f := s.oldest; f != none; f = s.failures[f].next {
		if s.failures[f].prev != before {
			t.Fatalf("failure %d has %d before it, want %d", f, s.failures[f].prev, before)
		}
		if before != none && s.failures[f].at < s.failures[before].at {
			t.Fatalf("failure %d is older than the one before it", f)
		}
		before = f
		stored++
	}
	if s.newest != before {
		t.Fatalf("the newest is %d, want %d", s.newest, before)
	}
	if len(s.places) != len(s.series) {
		t.Fatalf("%d places for %d keys", len(s.places), len(s.series))
	}
	ofKeys := 0
	for place, c := range s.series {
		if s.places[c.key] != int32(place) || s.failures[c.oldest].keyIndex != int32(place) {
			t.Fatalf("%s is not found at its place %d", c.key, place)
		}
		f := c.oldest
		for range c.count - 1 {
			f = s.failures[f].keyNext
		}
		if f != c.newest || c.count < 1 || int(c.count) > s.limit {
			t.Fatalf("%s has %d failures that end at %d, want %d", c.key, c.count, f, c.newest)
		}
		ofKeys += int(c.count)
	}
	free := 0
	for f := s.free; f != none; f = s.failures[f].next {
		free++
	}
	if stored != ofKeys || stored+free != len(s.failures) || len(s.failures) > s.room {
		t.Fatalf("%d stored, %d of keys, %d free, %d places, room for %d", stored, ofKeys, free, len(s.failures), s.room)
	}
}
