package executor

import (
	"slices"
	"testing"
	"testing/synctest"
)

func TestOnlyWhatIsLeftRuns(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Checks = 5
	cfg.Left = func(target string) (int, []int) {
		switch target {
		case "whole":
			return 0, nil
		case "half":
			return 3, []int{1}
		case "holes":
			return 5, []int{0, 4}
		}
		return 5, nil
	}
	synctest.Test(t, func(t *testing.T) {
		e, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		tally, err := e.Run(t.Context(), list("done", "half", "holes", "whole", "done/too"))
		if err != nil || tally.Hosts != 3 || tally.Items != 10 || tally.Done != 10 {
			t.Errorf("%+v, %v; want the 10 items that are left of 3 hosts", tally, err)
		}
		slices.Sort(w.runs)
		want := []string{"half#1", "half#3", "half#4", "holes#0", "holes#4", "whole#0", "whole#1", "whole#2", "whole#3", "whole#4"}
		if !slices.Equal(w.runs, want) {
			t.Errorf("%v ran, want %v", w.runs, want)
		}
	})
}

// What is left and cannot be run is skipped, and nothing else is.
func TestOnlyWhatIsLeftIsSkipped(t *testing.T) {
	w := newWorld()
	w.respond = func(*world, Item[string]) Outcome[string] { return down() }
	cfg := w.config()
	cfg.Checks, cfg.Linger = 9, 0
	cfg.Left = func(string) (int, []int) { return 6, []int{2, 4} }
	synctest.Test(t, func(t *testing.T) {
		e, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		tally, err := e.Run(t.Context(), list("a"))
		if err != nil || tally.Items != 5 || tally.Skipped != 5 || len(w.skipped) != 1 {
			t.Fatalf("%+v, %v, skipped %+v; want the 5 items that were left", tally, err, w.skipped)
		}
		var got []int
		for i := w.skipped[0].From; i < w.skipped[0].To; i++ {
			got = append(got, i)
		}
		got = append(got, w.skipped[0].Again...)
		slices.Sort(got)
		if want := []int{2, 4, 6, 7, 8}; !slices.Equal(got, want) {
			t.Errorf("items %v were skipped, want %v", got, want)
		}
	})
}
