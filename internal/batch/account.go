package batch

import (
	"hash/maphash"
	"iter"
	"net"
	"sync/atomic"
	"time"

	"github.com/redialscan/redial/pkg/report"
)

// Account is what a coordinator keeps of the events of its workers, for the end of the scan: counts, findings, and what
// became of hosts. It is a [report.Handler], the first one of all, since it completes results for the others.
type Account struct {
	*report.Tally
	name  func(*report.Result)
	hosts map[string]*story
	fates map[uint64]fate
	seed  maphash.Seed
	worst int

	open, dead atomic.Int64
}

// fate is what became of the items of a host, some done or some lost. A host stands under the hash of its key, since there
// may be millions.
type fate uint8

const (
	someDone fate = 1 << iota
	someLost
)

// story is what became of a host that tripped.
type story struct {
	seq   uint64
	state string
	trips int
	since time.Time     // when it was quarantined; zero while it is closed
	spent time.Duration // in quarantines before that
	err   string
}

// NewAccount makes an account of nothing. name says of a result which check it is of.
func NewAccount(maxHosts int, name func(*report.Result)) *Account {
	return &Account{
		Tally: report.NewTally(maxHosts), name: name, hosts: map[string]*story{}, fates: map[uint64]fate{}, seed: maphash.MakeSeed(),
	}
}

// Event implements [report.Handler].
func (a *Account) Event(e report.Event) error {
	switch e := e.(type) {
	case *report.Result:
		a.name(e)
		end := someDone
		if e.Failed {
			end = someLost
		}
		key := e.Host
		if e.Port != "" {
			key = net.JoinHostPort(e.Host, e.Port)
		}
		a.fates[maphash.String(a.seed, key)] |= end
		if e.Findings() > 0 {
			a.worst = max(a.worst, 1)
			if e.Info != nil {
				a.worst = max(a.worst, report.SeverityRank(e.Info.Severity))
			}
		}
	case *report.Skipped:
		a.fates[maphash.String(a.seed, e.Host)] |= someLost
	case *report.Transition:
		a.move(e)
	}
	return a.Tally.Event(e)
}

// Worst is the rank of the highest severity that was found, see scan.Ending.
func (a *Account) Worst() int { return a.worst }

// Incomplete says that items of a host were not done, though others of it were.
func (a *Account) Incomplete() bool {
	for _, f := range a.fates {
		if f == someDone|someLost {
			return true
		}
	}
	return false
}

// Quarantined is how many hosts are in quarantine now, and how many are dead. It may be called from any goroutine.
func (a *Account) Quarantined() (open, dead int64) { return a.open.Load(), a.dead.Load() }

// count adds n to the number of hosts in a state.
func (a *Account) count(state string, n int64) {
	switch state {
	case "dead":
		a.dead.Add(n)
	case "open", "half-open":
		a.open.Add(n)
	}
}

// move takes a change of a host's state. Those of one host may come out of order.
func (a *Account) move(e *report.Transition) {
	h := a.hosts[e.Host]
	if h == nil {
		h = &story{}
		a.hosts[e.Host] = h
	}
	if e.Seq <= h.seq {
		return
	}
	a.count(h.state, -1)
	a.count(e.To, 1)
	h.seq, h.state, h.trips = e.Seq, e.To, e.Trips
	if e.Error != "" {
		h.err = e.Error
	}
	switch {
	case e.To != "closed" && h.since.IsZero():
		h.since = e.At
	case e.To == "closed" && !h.since.IsZero():
		if !e.Undone {
			h.spent += e.At.Sub(h.since)
		}
		h.since = time.Time{}
	}
}

// Rows is what became of each host that ever tripped, up to now.
func (a *Account) Rows(now time.Time) iter.Seq[report.HostRow] {
	return func(yield func(report.HostRow) bool) {
		for key, h := range a.hosts {
			spent := h.spent
			if !h.since.IsZero() {
				spent += max(0, now.Sub(h.since))
			}
			if h.state == "closed" && spent == 0 {
				continue // its only quarantine was undone
			}
			n := a.Host(key)
			row := report.HostRow{
				Host: key, State: h.state, Trips: h.trips, Quarantine: report.Duration(spent), LastError: h.err,
				Done: int64(n.Done), Failed: int64(n.Failed), Skipped: int64(n.Skipped),
			}
			if !yield(row) {
				return
			}
		}
	}
}

// Fill puts what is counted into a summary, whose Time is now.
func (a *Account) Fill(s *report.Summary) {
	a.Tally.Fill(s)
	s.Quarantined, s.QuarantinedHosts = report.Worst(a.Rows(s.Time), report.ShownHosts)
}
