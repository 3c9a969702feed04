package journal

import "github.com/redialscan/redial/pkg/report"

// plan is which items a scan has: what its inputs are, and what every target is asked.
type plan struct {
	started report.Started
	checks  []*report.Check
}

// Started is the first event of the earlier scan.
func (p *plan) Started() report.Started { return p.started }

// Checks are the items that every target of the earlier scan had.
func (p *plan) Checks() []*report.Check { return p.checks }

// learn takes from an event what it says of the plan.
func (p *plan) learn(e report.Event) {
	switch e := e.(type) {
	case *report.Started:
		if p.started.Time.IsZero() {
			p.started = *e
		}
	case *report.Check:
		if e.Index == len(p.checks) {
			p.checks = append(p.checks, e)
		}
	}
}
