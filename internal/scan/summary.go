package scan

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/redialscan/redial/pkg/executor"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/report"
)

// summary is the end of the scan in numbers.
func (s *Scan) summary(start time.Time, tally executor.Tally, err error) report.Summary {
	now := time.Now()
	sum := report.Summary{
		Time: now, Duration: report.Duration(now.Sub(start)),
		Hosts: tally.Hosts, Items: tally.Items, Sent: s.client.Sent(),
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		sum.Interrupted = oneLine(err)
	}
	if s.opt.Checks != nil {
		sum.Checks, sum.Refused = int64(len(s.opt.Checks.Checks)), int64(len(s.opt.Checks.Refused))
	}
	s.tally.Fill(&sum)
	s.withEarlier(&sum)
	if s.breaker != nil {
		sum.Quarantined, sum.QuarantinedHosts = report.Worst(s.rows(), report.ShownHosts)
	}
	return sum
}

// rows is what became of each host that ever tripped.
func (s *Scan) rows() iter.Seq[report.HostRow] {
	return func(yield func(report.HostRow) bool) {
		for h := range s.breaker.Hosts() {
			n := s.tally.Host(h.Key)
			if h.State == hosterrors.StateClosed && h.Quarantined == 0 {
				continue // its only quarantine was undone
			}
			row := report.HostRow{
				Host: h.Key, State: h.State.String(), Trips: int(h.Trips), Quarantine: report.Duration(h.Quarantined),
				LastError: oneLine(h.LastError), Done: int64(n.Done), Failed: int64(n.Failed), Skipped: int64(n.Skipped),
			}
			if !yield(row) {
				return
			}
		}
	}
}
