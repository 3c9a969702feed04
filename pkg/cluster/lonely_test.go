package cluster

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestAScanWithoutWorkersSaysSoOnce(t *testing.T) {
	var l lonely
	var said []string
	began := time.Now()
	here, elsewhere := WorkerStatus{Name: "a", Scan: "s1"}, WorkerStatus{Name: "b", Scan: "s2"}
	for _, step := range []struct {
		at  time.Duration
		all []WorkerStatus
	}{
		{0, nil}, {lonelyAfter - 1, nil}, {lonelyAfter, nil}, {2 * lonelyAfter, nil}, // told at the third
		{3 * lonelyAfter, []WorkerStatus{here, elsewhere}},                // and that it is over
		{4 * lonelyAfter, nil}, {4*lonelyAfter + 1, []WorkerStatus{here}}, // a moment is nothing
		{5 * lonelyAfter, []WorkerStatus{elsewhere}}, {7 * lonelyAfter, []WorkerStatus{elsewhere}},
	} {
		l.mind("s1", step.all, began.Add(step.at), func(format string, args ...any) {
			said = append(said, fmt.Sprintf(format, args...))
		})
	}
	want := []string{
		"the scan waits: no worker is connected", "workers that take part in the scan now: 1",
		"the scan waits: no worker takes part in it, of 1 that are connected; they have another scan, or are of another version",
	}
	if !slices.Equal(said, want) {
		t.Errorf("said\n%q, want\n%q", said, want)
	}
}
