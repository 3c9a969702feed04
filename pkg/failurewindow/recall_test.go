package failurewindow

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A window that was told of another one's failures says what that one says, at any later moment.
func TestRecalledWindowSaysTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHand()
		cfg := Config{Limit: rapid.IntRange(1, 4).Draw(t, "limit"), Length: time.Minute, Now: h.now}
		before, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		keys := []string{"a", "b", "c"}
		pass := func(name string) { h.move(time.Duration(rapid.IntRange(0, 40).Draw(t, name)) * time.Second) }
		for range rapid.IntRange(0, 20).Draw(t, "failures") {
			before.Record(rapid.SampledFrom(keys).Draw(t, "key"))
			pass("passed")
		}
		after, _ := New(cfg)
		after.Recall(before.Failures())
		for range 5 {
			for _, key := range keys {
				wait, ok := before.Admit(key)
				if gotWait, got := after.Admit(key); got != ok || gotWait != wait {
					t.Fatalf("%s: admitted %v, wait %v; want %v, %v", key, got, gotWait, ok, wait)
				}
			}
			pass("later")
			one := rapid.SampledFrom(keys).Draw(t, "again")
			before.Record(one)
			after.Record(one)
		}
	})
}

func TestRecallTakesAnyAge(t *testing.T) {
	h := newHand()
	w := mustNew(t, Config{Limit: 2, Length: time.Minute, Now: h.now})
	w.Recall([]Failure{{"k", -time.Hour}, {"k", time.Hour}, {"k", time.Minute}, {"k", time.Minute - 1}})
	wantWait(t, w, h, "k", 1)
}
