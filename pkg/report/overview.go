package report

import (
	"cmp"
	"time"
)

// Overview keeps what every report says of a whole scan: when it began, how it ended, its numbers. Events files may
// end without a summary, when the scan was killed; then the numbers are counted. It is not safe for concurrent use; make
// one with [NewOverview].
type Overview struct {
	tally    *Tally
	started  Started
	begun    bool
	ended    *Summary
	last     time.Time // of what was seen
	attempts int64
}

// knownHosts is how many hosts, at least, are counted before the first of them trips: those that are in work at a time.
const knownHosts = 10_000

// NewOverview is an overview of no events.
func NewOverview() *Overview { return &Overview{tally: NewTally(knownHosts)} }

// Add takes an event.
func (o *Overview) Add(e Event) {
	_ = o.tally.Event(e) // never fails
	switch e := e.(type) {
	case *Started:
		if !o.begun { // a scan that was resumed has several
			o.started, o.begun = *e, true
		}
		o.ended = nil
		o.see(e.Time)
	case *Result:
		o.attempts += int64(e.Attempts)
		o.see(e.Timestamp)
	case *Skipped:
		o.see(e.Time)
	case *Transition:
		o.see(e.At)
	case *Summary:
		o.ended = e
	}
}

func (o *Overview) see(t time.Time) {
	if t.After(o.last) {
		o.last = t
	}
}

// Started is the first event of the scan, empty when there was none.
func (o *Overview) Started() Started { return o.started }

// noSummary stands where a summary says why a scan stopped early.
const noSummary = "the events end before the scan did"

// Summary is the end of the scan; without the event of that type it is counted from the others.
func (o *Overview) Summary() Summary {
	if o.ended != nil {
		return *o.ended
	}
	s := Summary{Time: o.last, Sent: o.attempts, Interrupted: noSummary}
	if o.begun && o.last.After(o.started.Time) {
		s.Duration = Duration(o.last.Sub(o.started.Time))
	}
	o.tally.Fill(&s)
	s.Items = s.Done + s.Failed + s.Skipped
	return s
}

// Host gives the counts of a host that tripped, by the breaker's key.
func (o *Overview) Host(key string) HostCounts { return o.tally.Host(key) }

// Began is when the scan began, or the moment of the oldest thing known.
func (o *Overview) Began() time.Time {
	return cmp.Or(o.started.Time, o.Summary().Time)
}
