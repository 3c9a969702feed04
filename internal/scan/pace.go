package scan

import (
	"math"
	"strconv"
	"time"

	"github.com/redialscan/redial/pkg/flow"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
)

// lookahead is how long before its slot an item may start: it takes the slot and waits for it off its worker, so that the
// pace goes by the schedule and not by how late a timer wakes.
const lookahead = 20 * time.Millisecond

// callAgain is how long to leave a host that somebody else is calling.
const callAgain = time.Second

// ahead is the lookahead under a rule; where nobody waits for a slot, or not for so long, coming early is in vain.
func ahead(r flow.Rule) time.Duration {
	switch {
	case r.Rate > 0 && (r.Mode == flow.Reject || r.Mode == flow.WarmUp):
		return 0
	case r.Rate > 0 && r.MaxQueueWait > 0:
		return min(lookahead, r.MaxQueueWait)
	}
	return lookahead
}

// nextAdmit lets an item start a little before its slot, see lookahead.
func (s *Scan) nextAdmit(host string, now time.Time) time.Time {
	at := s.client.NextAdmit(host, now)
	if at.After(now) && at.Sub(now) <= ahead(s.opt.Requester.Host) {
		return now
	}
	return s.afterCall(host, at, now)
}

// afterCall brings forward the time of a host that somebody else is calling now, a redirect or a name whose scheme is not
// settled: the breaker tells when such a call would be lost, but mostly it ends soon.
func (s *Scan) afterCall(host string, at, now time.Time) time.Time {
	soon := now.Add(callAgain)
	if at.After(soon) && s.breaker != nil && s.breaker.State(host) == hosterrors.StateHalfOpen {
		return soon
	}
	return at
}

// pace says when the next item of the whole scan may start, and how many may start at once.
func (s *Scan) pace(now time.Time) (time.Time, int) {
	if leased := s.opt.Requester.Pace; leased != nil {
		return leased.Ready(now, lookahead)
	}
	room := int(s.opt.Requester.Scan.Rate * lookahead.Seconds())
	return s.client.Pace(now).Add(-ahead(s.opt.Requester.Scan)), room
}

// quarantined says that a host is to be left alone: its breaker is open, or it is at its failure limit.
func (s *Scan) quarantined(host string) bool {
	return s.breaker != nil && s.breaker.Quarantined(host) || s.held(host)
}

// held says that a host is at its failure limit.
func (s *Scan) held(host string) bool {
	return s.opt.Requester.Window != nil && s.client.Held(host, time.Now())
}

// paced hears of every change in how a host is paced.
func (s *Scan) paced(d requester.Decision) {
	switch d.Kind {
	case requester.Held:
		s.emit(&report.Held{
			Time: d.At, Host: d.Key, Until: d.Until, Limit: s.opt.FailureLimit, In: report.Duration(s.opt.FailureWindow),
			Error: oneLine(d.Err),
		})
		s.opt.Log.verbose("%s held until %s: %d failures within %s, the last one: %s",
			d.Key, clock(d.Until), s.opt.FailureLimit, s.opt.FailureWindow, oneLine(d.Err))
	case requester.Waits:
		s.emit(&report.Throttled{
			Time: d.At, Host: d.Key, StatusCode: d.Status, Wait: report.Duration(d.Until.Sub(d.At)), Until: d.Until,
			Reason: report.ReasonRetryAfter,
		})
		s.opt.Log.verbose("%s held until %s: it answered %d and asked for %s", d.Key, clock(d.Until), d.Status, d.Until.Sub(d.At))
	case requester.Slowed:
		s.emit(&report.Throttled{Time: d.At, Host: d.Key, StatusCode: d.Status, Rate: d.Rate, Reason: report.ReasonHalved})
		s.opt.Log.verbose("%s throttled to %s/s: it answered %d", d.Key, short(d.Rate), d.Status)
	case requester.Restored:
		s.emit(&report.Throttled{Time: d.At, Host: d.Key, Reason: report.ReasonRecovered})
		s.opt.Log.verbose("%s takes its full rate again", d.Key)
	}
}

// clock is a moment as people read it.
func clock(t time.Time) string { return t.Local().Format(time.TimeOnly) }

// short is a rate with two decimals at most.
func short(rate float64) string {
	return strconv.FormatFloat(math.Round(rate*100)/100, 'f', -1, 64)
}
