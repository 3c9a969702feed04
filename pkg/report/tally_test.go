package report

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestTallyAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tally := NewTally(0)
		hosts := map[string]HostCounts{}
		tripped := map[string]bool{}
		var want Counts
		reasons := map[string]int64{}
		for range rapid.IntRange(0, 200).Draw(t, "events") {
			host := rapid.SampledFrom([]string{"a", "b.example", "::1", "fe80::1%eth0"}).Draw(t, "host")
			port := rapid.SampledFrom([]string{"80", "443"}).Draw(t, "port")
			key := net.JoinHostPort(host, port)
			c := hosts[key]
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0, 1, 2:
				r := &Result{Host: host, Port: port, Failed: rapid.Bool().Draw(t, "failed"), Matched: rapid.Bool().Draw(t, "matched")}
				if r.Failed {
					want.Failed++
					c.Failed++
				} else {
					want.Done++
					c.Done++
					if r.Matched {
						want.Findings++
					}
				}
				_ = tally.Event(r)
			case 3:
				s := &Skipped{Host: key, From: 2, To: rapid.IntRange(2, 9).Draw(t, "to"), Reason: rapid.SampledFrom([]string{"dead", "interrupted"}).Draw(t, "reason")}
				n := int64(s.To - 2)
				want.Skipped += n
				c.Skipped += uint32(n)
				reasons[s.Reason] += n
				_ = tally.Event(s)
			case 4:
				tripped[key] = true
				_ = tally.Event(&Transition{Host: key})
			case 5:
				_ = tally.Event(&Waiting{})
			}
			hosts[key] = c
		}
		if got := tally.Counts(); got != want {
			t.Fatalf("counts %+v, want %+v", got, want)
		}
		for key, c := range hosts {
			if !tripped[key] {
				c = HostCounts{}
			}
			if got := tally.Host(key); got != c {
				t.Fatalf("host %s: %+v, want %+v", key, got, c)
			}
		}
		var s Summary
		tally.Fill(&s)
		var sum int64
		for reason, n := range s.SkippedBy {
			if sum += n; n != reasons[reason] {
				t.Fatalf("skipped as %s: %d, want %d", reason, n, reasons[reason])
			}
		}
		if sum != s.Skipped {
			t.Fatalf("the reasons add up to %d of %d", sum, s.Skipped)
		}
	})
}

// A list of millions of healthy hosts leaves no trace but its sums.
func TestTallyForgetsHostsThatNeverTrip(t *testing.T) {
	tally := NewTally(2000)
	for i := range 20_000 {
		_ = tally.Event(&Result{Host: fmt.Sprint("host", i), Port: "80"})
		if i%200 == 0 { // a host that is in work all the time
			_ = tally.Event(&Result{Host: "long", Port: "80"})
		}
	}
	if n := len(tally.young) + len(tally.old); n > 4000 {
		t.Errorf("%d hosts are remembered, want at most two generations of 2000", n)
	}
	_ = tally.Event(&Transition{Host: "long:80"})
	if got := tally.Host("long:80").Done; got != 100 {
		t.Errorf("a host heard of all the time has %d items, want 100", got)
	}
	if got := tally.Counts().Done; got != 20_100 {
		t.Errorf("%d items, want 20100", got)
	}
}

func TestCountsOfManyHostsCostNoGarbage(t *testing.T) {
	tally := NewTally(0)
	r := &Result{Host: "::1", Port: "80"}
	_ = tally.Event(r)
	if n := testing.AllocsPerRun(100, func() { _ = tally.Event(r) }); n != 0 {
		t.Errorf("%v allocations for an item of a known host, want 0", n)
	}
}

func TestWorstAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) HostRow {
			return HostRow{
				Host:       rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "host"),
				State:      rapid.SampledFrom([]string{"closed", "open", "half-open", "dead"}).Draw(t, "state"),
				Trips:      rapid.IntRange(0, 2).Draw(t, "trips"),
				Quarantine: Duration(rapid.IntRange(0, 2).Draw(t, "time")),
				Skipped:    rapid.Int64Range(0, 2).Draw(t, "skipped"),
			}
		}), 0, 40).Draw(t, "rows")
		n := rapid.IntRange(0, 10).Draw(t, "n")
		worst, total := Worst(slices.Values(rows), n)
		slices.SortStableFunc(rows, compareHosts)
		want := rows[:min(n, len(rows))]
		same := func(a, b HostRow) bool { return compareHosts(a, b) == 0 }
		if total != int64(len(rows)) || !slices.EqualFunc(worst, want, same) {
			t.Fatalf("got %v of %d, want %v of %d", worst, total, want, len(rows))
		}
	})
}

func TestWorseMeans(t *testing.T) {
	rows := []HostRow{ // from the worst to the best
		{Host: "a", State: "dead"},
		{Host: "a", State: "half-open", Skipped: 9},
		{Host: "a", State: "open", Skipped: 8, Trips: 1},
		{Host: "a", State: "closed", Skipped: 8, Trips: 2},
		{Host: "a", State: "closed", Trips: 2, Quarantine: 2},
		{Host: "a", State: "closed", Trips: 2, Quarantine: 1},
		{Host: "b", State: "closed", Trips: 2, Quarantine: 1},
	}
	shuffled := slices.Clone(rows)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	worst, _ := Worst(slices.Values(shuffled), len(rows))
	if !slices.EqualFunc(worst, rows, func(a, b HostRow) bool { return cmp.Compare(compareHosts(a, b), 0) == 0 && a == b }) {
		t.Errorf("got %v, want %v", worst, rows)
	}
}

func BenchmarkTally(b *testing.B) {
	tally := NewTally(0)
	var events []Event
	for i := range 1000 {
		events = append(events, &Result{Host: fmt.Sprint("10.0.0.", i), Port: "80"})
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		_ = tally.Event(events[i%len(events)])
		i++
	}
}

// What is kept for a host that tripped is one word, which holds all that fits and the most that fits for what does not.
func TestPackedCounts(t *testing.T) {
	for _, c := range []HostCounts{{}, {Done: 1, Failed: 2, Skipped: 3}, {Skipped: packedMost}, {Done: packedMost, Failed: packedMost}} {
		if got := pack(c).counts(); got != c {
			t.Errorf("%+v comes back as %+v", c, got)
		}
	}
	if got := pack(HostCounts{Done: packedMost + 1, Failed: 7, Skipped: 1 << 31}).counts(); got != (HostCounts{packedMost, 7, packedMost}) {
		t.Errorf("counts that do not fit come back as %+v", got)
	}
}

// Hosts that asked for less, and hosts that were held, are counted once each, however often.
func TestTallyOfPace(t *testing.T) {
	tally, now := NewTally(10), noon
	for range 3 {
		_ = tally.Event(&Throttled{Time: now, Host: "a:80", Rate: 2})
		_ = tally.Event(&Held{Time: now, Host: "b:80", Until: now.Add(10 * time.Second), Error: "reset"})
		now = now.Add(20 * time.Second)
	}
	_ = tally.Event(&Throttled{Time: now, Host: "c:80", Reason: ReasonRetryAfter})
	_ = tally.Event(&Held{Time: now, Host: "d:80", Until: now.Add(time.Hour)})
	_ = tally.Event(&Result{Host: "b", Port: "80"})
	_ = tally.Event(&Skipped{Host: "d:80", To: 4, Reason: "held"})
	sum := Summary{Time: now.Add(time.Minute)}
	tally.Fill(&sum)
	want := []HostRow{
		{Host: "d:80", State: "held", Trips: 1, Quarantine: Duration(time.Minute), Skipped: 4},
		{Host: "b:80", State: "released", Trips: 3, Quarantine: Duration(30 * time.Second), LastError: "reset", Done: 1},
	}
	if sum.ThrottledHosts != 2 || sum.HeldHosts != 2 || !slices.Equal(sum.Held, want) {
		t.Errorf("%d throttled, %d held: %+v; want 2, 2 and %+v", sum.ThrottledHosts, sum.HeldHosts, sum.Held, want)
	}
}
