package cmd

import (
	"time"

	"github.com/redialscan/redial/internal/scan"
	"github.com/redialscan/redial/pkg/requester"
)

// parts turns the flags into the options of a scan; targets and handlers are added by run.
func (o *scanOptions) parts(screen *screen) (scan.Options, error) {
	told := screen.messages.info
	if o.bundled {
		told = func(string, ...any) {} // the name of the file would tell nobody anything
	}
	probe, err := o.request.probe(told)
	if err != nil {
		return scan.Options{}, err
	}
	req, err := o.request.requester(version())
	if err != nil {
		return scan.Options{}, err
	}
	if err := o.pace.pace(&req); err != nil {
		return scan.Options{}, err
	}
	req.OutageTimeout = time.Duration(o.breaker.outageTimeout)
	req.MaxRetryAfter = time.Duration(o.breaker.maxRetryAfter)
	most := fit(openFiles(), load{o.pace.concurrency, o.pace.dialConcurrency, requester.DefaultMaxIdle})
	req.MaxIdle = most.idle
	if most.concurrency < o.pace.concurrency {
		screen.messages.info("--concurrency is lowered to %d, since this process may not open more files (ulimit -n)", most.concurrency)
	}
	req.LookupConcurrency = min(requester.DefaultLookups, max(1, most.dials/2)) // a look-up takes two sockets where a dial takes one
	log := scan.Log{Info: screen.messages.info}
	if o.output.verbose && !o.output.silent { // else what would be dropped is not even put into words
		log.Verbose = screen.messages.verbose
	}
	vars, err := o.checks.variables()
	if err != nil {
		return scan.Options{}, err
	}
	follow := 0
	if o.request.followRedirects || o.request.followHost {
		follow = o.request.maxRedirects
	}
	return scan.Options{
		Probe:           probe,
		Vars:            vars,
		KeepRaw:         (o.output.jsonl || o.output.events != "" || o.output.resume != "") && !o.output.omitRaw,
		NoShared:        o.checks.noShared,
		Follow:          follow,
		FollowHost:      o.request.followHost,
		Requester:       req,
		Breaker:         o.breaker.breaker(o.pace.maxHosts),
		FailureLimit:    o.hold.failureLimit,
		FailureWindow:   time.Duration(o.hold.failureWindow),
		Retries:         o.breaker.retries,
		RetryWait:       time.Duration(o.breaker.retryWait),
		RetryMaxWait:    time.Duration(o.breaker.retryMaxWait),
		RetryBudget:     o.breaker.retryBudget,
		ItemDeadline:    time.Duration(o.breaker.itemDeadline),
		Concurrency:     most.concurrency,
		HostConcurrency: o.pace.hostConcurrency,
		DialConcurrency: most.dials,
		MaxHosts:        o.pace.maxHosts,
		FirstContact:    o.breaker.firstContact,
		NoRevisit:       o.breaker.noRevisit,
		HostTimeout:     time.Duration(o.breaker.hostTimeout),
		Linger:          time.Duration(o.breaker.linger),
		Started:         o.started(),
		Log:             log,
	}, nil
}
