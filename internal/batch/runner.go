package batch

import (
	"context"
	"errors"
	"fmt"

	"github.com/redialscan/redial/internal/scan"
	"github.com/redialscan/redial/pkg/cluster"
	"github.com/redialscan/redial/pkg/flow"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
	"github.com/redialscan/redial/pkg/retry"
)

// Runner runs batches, several at a time. Make it with [New]. All methods are safe for concurrent use.
type Runner struct {
	opt  scan.Options
	pace *flow.Leased // nil = the scan has no rate

	shares shares
}

// New makes a runner of scans with the same options, but for what is a batch's own: Targets, Index, Only and Hosts are set
// for each, and Handlers and Started are not used. Concurrency and DialConcurrency are those of all batches together, and so are Requester.MaxIdle and
// LookupConcurrency of at most so many batches at a time. With rated, requests leave by the permits of the coordinator.
func New(opt scan.Options, batches int, rated bool) (*Runner, error) {
	budget, err := retry.NewBudget(opt.RetryBudget, retry.DefaultBudgetFloor)
	if err != nil {
		return nil, fmt.Errorf("retry budget: %w", err)
	}
	r := &Runner{opt: opt, shares: newShares(opt.Concurrency, opt.DialConcurrency, batches)}
	r.opt.Budget, r.opt.Linger = budget, 0
	r.opt.Requester.MaxIdle = max(1, opt.Requester.MaxIdle/max(1, batches))
	r.opt.Requester.LookupConcurrency = max(1, opt.Requester.LookupConcurrency/max(1, batches))
	r.opt.Requester.Scan = flow.Rule{}
	if rated {
		r.pace = new(flow.Leased)
		r.opt.Requester.Pace = r.pace
	}
	return r, nil
}

// Pace implements [cluster.Runner].
func (r *Runner) Pace() cluster.Pace {
	if r.pace == nil {
		return nil
	}
	return r.pace
}

// Run implements [cluster.Runner].
func (r *Runner) Run(ctx context.Context, run cluster.Run) (cluster.Outcome, error) {
	todo, err := newWork(&run.Batch)
	if err != nil {
		return cluster.Outcome{}, err
	}
	opt := r.opt
	opt.Targets, opt.Index, opt.Only = todo, todo.index, todo
	if opt.Hosts, err = memoriesOf(run.Batch.Hosts); err != nil {
		return cluster.Outcome{}, err
	}
	if run.Lease != nil {
		opt.Requester.Permit = run.Lease.Valid
	}
	s, err := scan.New(opt)
	if err != nil {
		return cluster.Outcome{}, err
	}
	// A batch that another worker may have is no longer waited for.
	unwatch := context.AfterFunc(ctx, func() {
		if errors.Is(context.Cause(ctx), cluster.ErrLeaseLost) {
			s.Halt(cluster.ErrLeaseLost)
		}
	})
	defer unwatch()
	end := r.shares.begin(s, todo.hosts)
	sent, err := s.RunPart(ctx, telling(run.Emit))
	end()
	out := cluster.Outcome{Sent: sent}
	for _, m := range s.Hosts() {
		h, bad := hostOf(m)
		if bad != nil {
			return out, bad
		}
		out.Hosts = append(out.Hosts, h)
	}
	if _, down := errors.AsType[*requester.ProxyDownError](err); down {
		return out, err
	}
	return out, nil // any other end is told by what was skipped
}

// telling passes on what is of use beyond the batch. What was left out because the proxy is down is not over: another worker may
// reach it.
func telling(emit func(report.Event)) func(report.Event) {
	return func(e report.Event) {
		switch e := e.(type) {
		case *report.Skipped:
			if e.Reason != string(scan.ProxyFailed) {
				emit(e)
			}
		case *report.Result:
			if e.Template != "" { // of a check: whoever gets it knows its checks, and has other names for their files
				e.Check, e.Template, e.Protocol, e.Info = "", "", "", nil
			}
			emit(e)
		case *report.Transition, *report.Throttled, *report.Held, *report.Paused:
			emit(e)
		}
	}
}

var _ cluster.Runner = (*Runner)(nil)
