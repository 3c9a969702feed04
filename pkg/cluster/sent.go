package cluster

// sent counts requests. A run of a batch tells of all of its requests at its end, and of those of its results with them. Of one that
// does not come to its end there are only these. Make it with newSent; it is not safe for concurrent use.
type sent struct {
	total   int64                       // of batches that have come back
	told    map[string]map[string]int64 // by batch that has not, and run: by results
	resumed bool                        // an earlier coordinator has heard a part of some runs, which was counted by its events
}

func newSent() sent { return sent{told: make(map[string]map[string]int64)} }

// hear takes the requests of results of a run of a batch that is out.
func (s *sent) hear(batch, run string, n int64) {
	if n == 0 {
		return
	}
	if s.told[batch] == nil {
		s.told[batch] = make(map[string]int64)
	}
	s.told[batch][run] += n
}

// end takes the end of a run by which its batch comes back.
func (s *sent) end(batch, run string, e *end) {
	n := e.Sent
	if s.resumed {
		n -= max(0, e.Told-s.told[batch][run])
	}
	s.total += max(0, n)
	delete(s.told[batch], run)
	s.total += s.open(batch)
	delete(s.told, batch)
}

// open is what is known of runs of a batch that have not ended.
func (s *sent) open(batch string) (n int64) {
	for _, told := range s.told[batch] {
		n += told
	}
	return n
}

// count is the number of requests that are known of, with those of batches that have not come back.
func (s *sent) count() int64 {
	n := s.total
	for batch := range s.told {
		n += s.open(batch)
	}
	return n
}
