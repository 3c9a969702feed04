package cluster

import "testing"

func TestRequestsAreCountedOnceWhoeverEnds(t *testing.T) {
	s := newSent()
	want := func(what string, n int64) {
		t.Helper()
		if got := s.count(); got != n {
			t.Errorf("%s: %d requests, want %d", what, got, n)
		}
	}
	s.hear("b1", "dead", 3) // by a worker that is killed
	want("by results", 3)
	s.hear("b1", "heir", 3)
	s.end("b1", "heir", &end{Sent: 5, Told: 3}) // two more for what has no result
	want("with the end of the second run", 3+5)
	s.hear("b2", "one", 4)
	want("with a batch that is out", 3+5+4)
	s.end("b2", "one", &end{Sent: 4, Told: 4})
	want("when it has come back", 3+5+4)

	s = newSent()
	s.resumed = true
	s.hear("b1", "one", 2) // of ten, eight were heard by the coordinator before
	s.end("b1", "one", &end{Sent: 11, Told: 10})
	want("of a run that two coordinators have heard", 3)
}
