package batch

import (
	"slices"
	"testing"
	"time"

	"github.com/redialscan/redial/pkg/report"
)

func TestAccountOfHosts(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	a := NewAccount(10, func(r *report.Result) { r.Info = &report.Info{Severity: "high"} })
	for _, e := range []report.Event{
		&report.Transition{Host: "back:80", Seq: 1, At: at(0), From: "closed", To: "open", Error: "refused"},
		&report.Transition{Host: "back:80", Seq: 3, At: at(20), From: "half-open", To: "closed"},
		&report.Transition{Host: "back:80", Seq: 2, At: at(10), From: "open", To: "half-open"}, // out of order
		&report.Transition{Host: "dead:80", Seq: 1, At: at(5), From: "closed", To: "open", Error: "refused"},
		&report.Transition{Host: "dead:80", Seq: 2, At: at(10), From: "open", To: "half-open"},
		&report.Transition{Host: "dead:80", Seq: 3, At: at(11), From: "half-open", To: "dead", Trips: 1, Error: "reset"},
		&report.Transition{Host: "ours:80", Seq: 1, At: at(5), From: "closed", To: "open", Error: "no link"},
		&report.Transition{Host: "ours:80", Seq: 2, At: at(6), From: "open", To: "closed", Undone: true},
		&report.Result{Host: "back", Port: "80", Matched: true},
		&report.Skipped{Host: "dead:80", Reason: "dead", To: 4},
	} {
		if err := a.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	sum := report.Summary{Time: at(30)}
	a.Fill(&sum)
	want := []report.HostRow{
		{Host: "dead:80", State: "dead", Trips: 1, Quarantine: report.Duration(25 * time.Second), LastError: "reset", Skipped: 4},
		{Host: "back:80", State: "closed", Quarantine: report.Duration(20 * time.Second), LastError: "refused", Done: 1},
	}
	if !slices.Equal(sum.Quarantined, want) || sum.QuarantinedHosts != 2 {
		t.Errorf("%d quarantined, %+v; want %+v", sum.QuarantinedHosts, sum.Quarantined, want)
	}
	if open, dead := a.Quarantined(); open != 0 || dead != 1 || a.Incomplete() {
		t.Errorf("%d open, %d dead, incomplete %v; want the dead one, of which nothing was done", open, dead, a.Incomplete())
	}
	_ = a.Event(&report.Skipped{Host: "back:80", Reason: "interrupted", To: 1})
	if !a.Incomplete() {
		t.Error("an item of a host that answered was left out, and the scan is complete")
	}
	if sum.Done != 1 || sum.Skipped != 4 || sum.Findings != 1 || a.Worst() != report.SeverityRank("high") {
		t.Errorf("summary %+v, worst %d", sum, a.Worst())
	}
}
