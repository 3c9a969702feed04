package page

import (
	"cmp"
	"slices"
	"time"

	"github.com/redialscan/redial/pkg/report"
)

// The states of a host, as transitions name them.
const (
	closed   = "closed"
	open     = "open"
	halfOpen = "half-open"
	dead     = "dead"
)

const (
	maxTracks = 10_000 // hosts whose states are kept, the first ones to trip
	maxMoves  = 200    // changes of one host that are kept, the first ones and the last
)

// track is what one host did: its changes of state.
type track struct {
	host  string
	moves []report.Transition
}

func (t *track) add(m *report.Transition) {
	if len(t.moves) < maxMoves {
		t.moves = append(t.moves, *m)
		return
	}
	t.sort()
	if last := &t.moves[maxMoves-1]; compareMoves(*m, *last) > 0 {
		*last = *m
	}
}

// sort puts the changes in order: observers run outside locks, so two may arrive the wrong way round.
func (t *track) sort() { slices.SortStableFunc(t.moves, compareMoves) }

// compareMoves goes by time first: the numbers of a host may begin anew in a scan that was resumed.
func compareMoves(a, b report.Transition) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Seq, b.Seq))
}

// span is a time in one state.
type span struct {
	state    string
	from, to time.Time
}

// spans cuts the time from begin to end into states. Before its first change a host is closed.
func (t *track) spans(begin, end time.Time) []span {
	state, at := closed, begin
	if len(t.moves) > 0 && t.moves[0].From != "" {
		state = t.moves[0].From
	}
	var all []span
	for _, m := range t.moves {
		when := clamp(m.At, at, end)
		if when.After(at) {
			all = append(all, span{state, at, when})
		}
		state, at = m.To, when
	}
	if end.After(at) {
		all = append(all, span{state, at, end})
	}
	return all
}

func clamp(t, from, to time.Time) time.Time {
	switch {
	case t.Before(from):
		return from
	case t.After(to):
		return to
	}
	return t
}

// call is a request to a quarantined host that was to show whether it is back.
type call struct {
	at       time.Time
	answered bool
	known    bool // false: the scan ended first
}

func (t *track) calls() []call {
	var all []call
	for i, m := range t.moves {
		if m.To != halfOpen {
			continue
		}
		c := call{at: m.At}
		if i+1 < len(t.moves) {
			c.known, c.answered = true, t.moves[i+1].To == closed
		}
		all = append(all, c)
	}
	return all
}

// state is the last one.
func (t *track) state() string {
	if len(t.moves) == 0 {
		return closed
	}
	return t.moves[len(t.moves)-1].To
}

// opened counts how often the host went into quarantine from health.
func (t *track) opened() int {
	n := 0
	for _, m := range t.moves {
		if m.From == closed && m.To == open {
			n++
		}
	}
	return n
}

// due is when an open host would have been called next, zero for every other.
func (t *track) due() time.Time {
	if t.state() != open {
		return time.Time{}
	}
	last := t.moves[len(t.moves)-1]
	return last.At.Add(time.Duration(last.Cooldown))
}

// trips is the most that the host had at a time.
func (t *track) trips() int {
	most := 0
	for _, m := range t.moves {
		most = max(most, m.Trips)
	}
	return most
}

// lastError is the newest one.
func (t *track) lastError() string {
	for _, m := range slices.Backward(t.moves) {
		if m.Error != "" {
			return m.Error
		}
	}
	return ""
}

// away is the time spent out of the closed state.
func (t *track) away(begin, end time.Time) time.Duration {
	var sum time.Duration
	for _, s := range t.spans(begin, end) {
		if s.state != closed {
			sum += s.to.Sub(s.from)
		}
	}
	return sum
}
