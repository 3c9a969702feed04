package cmd

import (
	"strconv"
	"strings"
	"time"

	"github.com/redialscan/redial/internal/scan"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
)

// parts turns the flags into the options of a scan; targets and handlers are added by run.
func (o *scanOptions) parts(screen *screen) (scan.Options, error) {
	probe, err := o.request.probe(screen.messages.info)
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

// withoutUser is a target as it was typed, without name and password.
func withoutUser(text string) string {
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		scheme, _, ok := strings.Cut(text, "://")
		if ok {
			return scheme + "://" + text[at+1:]
		}
		return text[at+1:]
	}
	return text
}

// started describes the scan in its events file: what it was asked to do, and no secret. Headers, bodies and
// credentials stay out.
func (o *scanOptions) started() report.Started {
	st := report.Started{Version: version(), Options: map[string]string{
		"path":             strings.Join(o.request.paths, ","),
		"method":           o.request.method,
		"timeout":          o.request.timeout.String(),
		"retries":          strconv.Itoa(o.breaker.retries),
		"concurrency":      strconv.Itoa(o.pace.concurrency),
		"host-concurrency": strconv.Itoa(o.pace.hostConcurrency),
		"rate-limit":       strconv.FormatFloat(o.pace.rateLimit, 'g', -1, 64),
		"host-rate-limit":  strconv.FormatFloat(o.pace.hostRateLimit, 'g', -1, 64),
		"max-host-error":   strconv.Itoa(o.breaker.maxHostError),
		"first-contact":    strconv.Itoa(o.breaker.firstContact),
		"cooldown":         o.breaker.cooldown.String(),
		"max-cooldown":     o.breaker.maxCooldown.String(),
		"max-trips":        strconv.Itoa(o.breaker.maxTrips),
		"linger":           o.breaker.linger.String(),
		"outage-timeout":   o.breaker.outageTimeout.String(),
		"host-timeout":     o.breaker.hostTimeout.String(),
	}}
	st.Options["ports"] = o.input.ports
	if o.input.strict {
		st.Options["strict"] = "true"
	}
	st.Options["rate-mode"] = o.pace.rateMode
	if o.hold.failureLimit > 0 {
		st.Options["failure-limit"] = strconv.Itoa(o.hold.failureLimit)
		st.Options["failure-window"] = o.hold.failureWindow.String()
	}
	if len(o.pace.throttleStatus) > 0 {
		st.Options["throttle-status"] = strings.Join(o.pace.throttleStatus, ",")
	}
	if o.request.proxy != "" {
		st.Options["proxy"] = proxyName(o.request.proxyURL())
	}
	for _, list := range o.input.lists {
		st.Inputs = append(st.Inputs, report.Input{Kind: "list", Name: list})
	}
	for _, name := range o.checks.templates {
		st.Inputs = append(st.Inputs, report.Input{Kind: "check", Name: name})
	}
	for _, t := range o.input.targets {
		st.Inputs = append(st.Inputs, report.Input{Kind: "target", Name: withoutUser(t)})
	}
	return st
}
