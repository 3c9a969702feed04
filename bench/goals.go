package main

import (
	"fmt"
	"slices"
	"time"
)

// goal is one number that redial is to reach.
type goal struct {
	what string
	got  string
	want string
	met  bool
}

// goals compares the rows of the full size with what redial is to reach. A tool that was not measured has no goal.
func goals(rows []row) []goal {
	find := func(workload, tool string) (row, bool) {
		i := slices.IndexFunc(rows, func(r row) bool { return r.workload == workload && r.tool == tool && r.failed == "" })
		if i < 0 {
			return row{}, false
		}
		return rows[i], true
	}
	var all []goal
	ours, ok := find("healthy", "redial")
	for _, peer := range []struct {
		name string
		want float64
	}{{"bare", 0.8}, {"wrk", 0.6}, {"ffuf", 2}, {"nuclei", 10}} {
		if theirs, there := find("healthy", peer.name); ok && there {
			all = append(all, ratio("healthy, requests per second by those of "+peer.name, ours.rate/theirs.rate, peer.want))
		}
	}
	if ok && ours.first != unknown {
		all = append(all, most("healthy, start to the first request", ours.first, 50*time.Millisecond))
	}
	alone, ok := find("cluster", "redial")
	if shared, there := find("cluster", "serve"); ok && there {
		all = append(all, ratio("cluster, requests per second by those of the plain scan", shared.rate/alone.rate, 0.8))
	}
	if ours, ok := find("mixed", "redial"); ok {
		all = append(all, most("mixed, start to the last request at a host that answers", ours.last, 20*time.Second))
	}
	if ours, ok := find("wide", "redial"); ok {
		if best, name := fastest(rows, "wide"); best > 0 {
			all = append(all, ratio("wide, connections per second by those of the fastest other scan ("+name+")", ours.rate/best, 0.7))
		}
	}
	if ours, ok := find("refused-million", "redial"); ok {
		const mib = 1 << 20
		all = append(all, goal{
			what: "refused-million, peak memory", got: fmt.Sprintf("%.1f MiB", float64(ours.peak)/mib), want: "at most 100 MiB",
			met: ours.peak <= 100*mib,
		})
	}
	return all
}

// fastest is the best of the others that ask every target. wrk asks one over and over, which shows the limit and is no scan.
func fastest(rows []row, workload string) (best float64, name string) {
	for _, r := range rows {
		if r.workload == workload && r.tool != "redial" && r.tool != "wrk" && r.failed == "" && r.rate > best {
			best, name = r.rate, r.tool
		}
	}
	return best, name
}

func ratio(what string, got, want float64) goal {
	return goal{what: what, got: fmt.Sprintf("%.2f", got), want: fmt.Sprintf("at least %g", want), met: got >= want}
}

func most(what string, got, want time.Duration) goal {
	return goal{what: what, got: short(got), want: "at most " + short(want), met: got <= want}
}
