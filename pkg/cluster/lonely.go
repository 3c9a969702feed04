package cluster

import "time"

// lonelyAfter is how long a scan has nobody to run it before somebody is told. Workers are counted more often.
const lonelyAfter = 5 * time.Second

// lonely tells, once, when work waits for workers and none takes part, and when that is over. The zero value is ready. It is
// not safe for concurrent use.
type lonely struct {
	since time.Time // when nobody was seen first; zero while somebody is there
	told  bool
}

// mind notes at now whether anybody takes part in a scan with work for them.
func (l *lonely) mind(scan string, all []WorkerStatus, now time.Time, say func(format string, args ...any)) {
	n := 0
	for _, w := range all {
		if w.Scan == scan {
			n++
		}
	}
	switch {
	case n > 0:
		if l.told {
			say("workers that take part in the scan now: %d", n)
		}
		*l = lonely{}
	case l.since.IsZero():
		l.since = now
	case !l.told && now.Sub(l.since) >= lonelyAfter:
		l.told = true
		if len(all) > 0 {
			say("the scan waits: no worker takes part in it, of %d that are connected; they have another scan, or are of another version", len(all))
			return
		}
		say("the scan waits: no worker is connected")
	}
}
