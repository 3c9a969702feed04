package main

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		peaks []int64
		want  int64
	}{
		{nil, 0},
		{[]int64{7}, 7},
		{[]int64{9, 1}, 5},
		{[]int64{9, 1, 2}, 2},
		{[]int64{4, 1, 2, 100}, 3},
		{[]int64{math.MaxInt64, math.MaxInt64 - 2}, math.MaxInt64 - 1},
	} {
		rand.Shuffle(len(c.peaks), func(i, j int) { c.peaks[i], c.peaks[j] = c.peaks[j], c.peaks[i] })
		all := make([]measure, len(c.peaks))
		for i, p := range c.peaks {
			all[i].peak = p
		}
		if got := median(all, func(m measure) int64 { return m.peak }); got != c.want {
			t.Errorf("%v: got %d, want %d", c.peaks, got, c.want)
		}
	}
}

func TestSummarize(t *testing.T) {
	r := summarize("healthy", "redial", []measure{
		{requests: 1000, wall: time.Second, cpu: 100 * time.Millisecond, peak: 30, lost: 0, first: 10, last: 7, conns: 3},
		{requests: 1000, wall: 4 * time.Second, cpu: 300 * time.Millisecond, peak: 10, lost: 2, first: 30, last: 9, conns: 3},
		{requests: 1000, wall: 2 * time.Second, cpu: 200 * time.Millisecond, peak: 20, lost: 0, first: 20, last: 8, conns: 3},
	})
	want := row{
		workload: "healthy", tool: "redial", rounds: 3, rate: 500, wall: 2 * time.Second, cpu: 0.2, peak: 20, lost: 2, first: 20, last: 8, conns: 3,
	}
	if r != want {
		t.Errorf("got  %+v\nwant %+v", r, want)
	}
}

func TestSummarizeWhatFailed(t *testing.T) {
	r := summarize("wide", "ffuf", []measure{{requests: 5, wall: 1}, {failed: "exit status 2"}})
	if want := (row{workload: "wide", tool: "ffuf", rounds: 2, failed: "exit status 2"}); r != want {
		t.Errorf("got %+v, want %+v", r, want)
	}
	if r := summarize("wide", "wrk", []measure{{requests: 5, wall: 1, lost: unknown}}); r.lost != unknown {
		t.Errorf("got %d lost, want unknown", r.lost)
	}
}

func TestGoals(t *testing.T) {
	rows := []row{
		{workload: "healthy", tool: "redial", rate: 80, first: 50 * time.Millisecond},
		{workload: "healthy", tool: "bare", rate: 100},
		{workload: "healthy", tool: "wrk", rate: 140},
		{workload: "healthy", tool: "ffuf", failed: "broken"},
		{workload: "cluster", tool: "redial", rate: 100},
		{workload: "cluster", tool: "serve", rate: 79},
		{workload: "mixed", tool: "redial", last: 20*time.Second + time.Millisecond},
		{workload: "wide", tool: "redial", rate: 69},
		{workload: "wide", tool: "bare", rate: 90},
		{workload: "wide", tool: "wrk", rate: 100},
		{workload: "refused-million", tool: "redial", peak: 100 << 20},
	}
	var got []string
	for _, g := range goals(rows) {
		met := "missed"
		if g.met {
			met = "met"
		}
		got = append(got, strings.Join([]string{g.what, g.got, g.want, met}, "; "))
	}
	want := []string{
		"healthy, requests per second by those of bare; 0.80; at least 0.8; met",
		"healthy, requests per second by those of wrk; 0.57; at least 0.6; missed",
		"healthy, start to the first request; 50ms; at most 50ms; met",
		"cluster, requests per second by those of the plain scan; 0.79; at least 0.8; missed",
		"mixed, start to the last request at a host that answers; 20.00s; at most 20.00s; missed",
		"wide, connections per second by those of the fastest other scan (bare); 0.77; at least 0.7; met",
		"refused-million, peak memory; 100.0 MiB; at most 100 MiB; met",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if g := goals(nil); len(g) != 0 {
		t.Errorf("got %v for no rows, want none", g)
	}
}

func TestTrouble(t *testing.T) {
	if err := trouble([]row{{tool: "redial", lost: unknown}, {tool: "ffuf", lost: 50}, {tool: "httpx", failed: "x"}}); err != nil {
		t.Errorf("got %v, want nil: only redial's own losses count", err)
	}
	for _, r := range []row{{tool: "redial", lost: 1}, {tool: "redial", failed: "x"}, {tool: "serve", lost: 1}} {
		if trouble([]row{r}) == nil {
			t.Errorf("got nil for %+v, want an error", r)
		}
	}
}
