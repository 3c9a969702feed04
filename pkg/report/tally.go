package report

import (
	"maps"
	"strings"
	"sync/atomic"
)

// Tally is a [Handler] that counts: what is done, failed and skipped, of the scan and of each
// host that tripped. Make one with [NewTally]. [Tally.Counts] may be called from any
// goroutine; everything else belongs to the handlers' goroutine, or comes after [Run].
//
// Hosts that never trip may number many millions, so their counts are kept for those only
// that were heard of lately (two generations, as many as are in work each). A host
// that stays silent while twice as many others report counts from its trip on.
type Tally struct {
	done, failed, skipped, findings atomic.Int64

	skippedBy  map[string]int64
	tripped    map[string]*HostCounts // kept for good
	young, old map[string]*HostCounts // not tripped yet
	generation int                    // size at which young becomes old
	key        []byte                 // scratch
}

// Counts are the items of a scan so far.
type Counts struct {
	Done, Failed, Skipped, Findings int64
}

// HostCounts are the items of one host.
type HostCounts struct {
	Done, Failed, Skipped uint32
}

// NewTally makes a Tally for a scan with at most maxHosts hosts in work at a time.
func NewTally(maxHosts int) *Tally {
	return &Tally{
		skippedBy:  make(map[string]int64),
		tripped:    make(map[string]*HostCounts),
		young:      make(map[string]*HostCounts),
		generation: max(maxHosts, 1024),
	}
}

// Start implements [Handler].
func (t *Tally) Start() error { return nil }

// Finish implements [Handler].
func (t *Tally) Finish() error { return nil }

// Event counts e.
func (t *Tally) Event(e Event) error {
	switch e := e.(type) {
	case *Result:
		host := t.host(t.resultKey(e))
		switch {
		case e.Failed:
			t.failed.Add(1)
			host.Failed++
		default:
			t.done.Add(1)
			host.Done++
		}
		if e.Matched && !e.Failed {
			t.findings.Add(1)
		}
	case *Skipped:
		n := e.Count()
		t.skipped.Add(n)
		t.skippedBy[e.Reason] += n
		t.key = append(t.key[:0], e.Host...)
		t.host(t.key).Skipped += uint32(n)
	case *Transition:
		t.keep(e.Host)
	}
	return nil
}

// Counts says how far the scan is. It is safe for concurrent use; the four numbers may be
// apart by the events that are counted meanwhile.
func (t *Tally) Counts() Counts {
	return Counts{
		Done: t.done.Load(), Failed: t.failed.Load(),
		Skipped: t.skipped.Load(), Findings: t.findings.Load(),
	}
}

// Host gives the counts of a host that tripped, by the breaker's key.
func (t *Tally) Host(key string) HostCounts {
	if c := t.tripped[key]; c != nil {
		return *c
	}
	return HostCounts{}
}

// Fill writes the counts into s.
func (t *Tally) Fill(s *Summary) {
	c := t.Counts()
	s.Done, s.Failed, s.Skipped, s.Findings = c.Done, c.Failed, c.Skipped, c.Findings
	s.SkippedBy = maps.Clone(t.skippedBy)
}

// host finds or makes the counts of a host.
func (t *Tally) host(key []byte) *HostCounts {
	if c := t.tripped[string(key)]; c != nil {
		return c
	}
	if c := t.young[string(key)]; c != nil {
		return c
	}
	c := t.old[string(key)]
	if c == nil {
		c = new(HostCounts)
	}
	if len(t.young) >= t.generation {
		t.old, t.young = t.young, make(map[string]*HostCounts)
	}
	t.young[string(key)] = c
	return c
}

// keep remembers a host for good, with what was counted before it tripped.
func (t *Tally) keep(host string) {
	if t.tripped[host] != nil {
		return
	}
	t.key = append(t.key[:0], host...)
	c := t.host(t.key)
	t.tripped[host] = c
	delete(t.young, host)
	delete(t.old, host)
}

// resultKey builds the breaker's key of a result: host:port, IPv6 in brackets.
func (t *Tally) resultKey(r *Result) []byte {
	key := t.key[:0]
	if strings.IndexByte(r.Host, ':') >= 0 {
		key = append(append(append(key, '['), r.Host...), ']')
	} else {
		key = append(key, r.Host...)
	}
	if r.Port != "" {
		key = append(append(key, ':'), r.Port...)
	}
	t.key = key
	return key
}
