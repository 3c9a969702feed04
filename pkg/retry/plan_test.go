package retry

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestPlanFollowsWaits(t *testing.T) {
	p := Plan{Base: 3 * time.Second, Max: 10 * time.Second, Jitter: FixedJitter(0, time.Second, 9*time.Second)}
	for i, want := range []time.Duration{3 * time.Second, 7 * time.Second, 10 * time.Second} {
		if got, err := p.Wait(i + 1); got != want || err != nil {
			t.Errorf("wait %d is %v, %v, want %v", i+1, got, err, want)
		}
	}
	if _, err := p.Wait(4); !errors.Is(err, ErrBadPolicy) {
		t.Errorf("wait 4 without a jitter value: %v, want a bad policy", err)
	}
}

func TestPlanRefuses(t *testing.T) {
	negative := func(int, time.Duration) (time.Duration, bool) { return -1, true }
	for _, tt := range []struct {
		name string
		plan Plan
		want string
	}{
		{"zero value", Plan{}, "base is 0"},
		{"no base", Plan{Max: time.Second}, "base is 0"},
		{"base above the bound", Plan{Base: 2, Max: 1}, "above the bound"},
		{"no bound", Plan{Base: 1}, "above the bound"},
		{"negative base", Plan{Base: -1, Max: 1}, "below 0"},
		{"negative bound", Plan{Base: 1, Max: -1}, "below 0"},
		{"no jitter value", Plan{Base: 1, Max: 1, Jitter: FixedJitter()}, "want one a wait"},
		{"negative jitter", Plan{Base: 1, Max: 1, Jitter: negative}, "jitter is -1ns"},
	} {
		wait, err := tt.plan.Wait(1)
		var bad *PolicyError
		if !errors.As(err, &bad) || !strings.Contains(bad.Reason, tt.want) || wait != 0 {
			t.Errorf("%s: %v, %v, want a PolicyError with %q", tt.name, wait, err, tt.want)
		}
	}
}

func TestRandomJitterStaysInTheWait(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := time.Duration(rapid.Int64Range(1, math.MaxInt64).Draw(t, "most"))
		base := time.Duration(rapid.Int64Range(1, int64(most)).Draw(t, "base"))
		n := rapid.IntRange(1, 1000).Draw(t, "n")
		least, err := Plan{Base: base, Max: most, Jitter: NoJitter}.Wait(n)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Plan{Base: base, Max: most}.Wait(n)
		if err != nil {
			t.Fatal(err)
		}
		if got < least || got > most || (got-least) > least {
			t.Fatalf("wait %d is %v, want %v to twice that, at most %v", n, got, least, most)
		}
	})
}

// Items that fail together must not come back together.
func TestRandomJitterSpreads(t *testing.T) {
	p := Plan{Base: time.Second, Max: time.Minute}
	seen := map[time.Duration]bool{}
	for range 100 {
		wait, err := p.Wait(2)
		if err != nil {
			t.Fatal(err)
		}
		seen[wait] = true
	}
	if len(seen) < 90 {
		t.Errorf("100 waits have %d lengths, want nearly all different", len(seen))
	}
}
