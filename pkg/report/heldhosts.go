package report

import (
	"hash/maphash"
	"iter"
	"time"
)

// heldHost is a host that was held at the limit of its failure window. They are few: a host comes there by failing often
// and answering in between, or its breaker would have opened.
type heldHost struct {
	host  string
	times int
	total time.Duration
	until time.Time
	err   string
}

func (t *Tally) hold(e *Held) {
	t.keep(e.Host)
	key := maphash.String(t.seed, e.Host)
	h := t.held[key]
	if h == nil {
		h = &heldHost{host: e.Host}
		t.held[key] = h
	}
	h.times++
	h.total += e.Until.Sub(e.Time)
	h.until, h.err = e.Until, e.Error
}

// heldRows is what became of each host that was ever held, as seen at now; time that is still to come is not counted.
func (t *Tally) heldRows(now time.Time) iter.Seq[HostRow] {
	return func(yield func(HostRow) bool) {
		for key, h := range t.held {
			n := t.tripped[key].counts()
			row := HostRow{
				Host: h.host, State: "released", Trips: h.times, Quarantine: Duration(h.total - max(0, h.until.Sub(now))),
				LastError: h.err, Done: int64(n.Done), Failed: int64(n.Failed), Skipped: int64(n.Skipped),
			}
			if h.until.After(now) {
				row.State = "held"
			}
			if !yield(row) {
				return
			}
		}
	}
}
