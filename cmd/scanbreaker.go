package cmd

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/retry"
)

// breakerOptions say when redial hangs up on a host and when it calls back, and what is repeated.
type breakerOptions struct {
	maxHostError, firstContact, maxTrips    int
	cooldown, maxCooldown, probeTTL, linger durationValue
	trackError                              []string
	noRevisit                               bool
	hostTimeout, outageTimeout              durationValue
	retries                                 int
	retryWait, retryMaxWait, itemDeadline   durationValue
	maxRetryAfter                           durationValue
	retryBudget                             float64
}

// defaultOutageTimeout is long enough for a router to start again.
const defaultOutageTimeout = 5 * time.Minute

func (o *breakerOptions) addFlags(fs *pflag.FlagSet) {
	o.cooldown = durationValue(hosterrors.DefaultCooldown)
	o.maxCooldown = durationValue(hosterrors.DefaultMaxCooldown)
	fs.IntVar(&o.maxHostError, "max-host-error", 30, "errors in a row after which a host is quarantined; 0 is off")
	fs.IntVar(&o.firstContact, "first-contact", 3, "the same for a host that has not answered yet; 0 is --max-host-error")
	fs.Var(&o.cooldown, "cooldown", "how long a quarantined host is left alone before it is called again")
	fs.Var(&o.maxCooldown, "max-cooldown", "the cooldown doubles with each failed call, up to this")
	fs.IntVar(&o.maxTrips, "max-trips", hosterrors.DefaultMaxTrips, "failed calls in a row after which a host is dead; -1 is never")
	fs.Var(&o.probeTTL, "probe-ttl", "when a call that stays silent is given up (default 2 x --timeout)")
	listVar(fs, &o.trackError, "track-error", "", "`text` of further errors that count against a host")
	fs.BoolVar(&o.noRevisit, "no-revisit", false, "do not call quarantined hosts again")
	fs.Var(&o.hostTimeout, "host-timeout", "time for all items of a host since its first request, quarantines included; 0 is no limit")
	o.outageTimeout = durationValue(defaultOutageTimeout)
	fs.Var(&o.outageTimeout, "outage-timeout", "how long to wait when all hosts fail at once, which is taken for a fault on this side; 0 does not look for it")
	fs.Var(&o.linger, "linger", "how long the end of a scan waits for quarantined hosts (default --cooldown + --timeout)")
}

func (o *breakerOptions) addRetryFlags(fs *pflag.FlagSet) {
	o.retryWait = durationValue(retry.DefaultBase)
	o.retryMaxWait = durationValue(retry.DefaultMax)
	o.maxRetryAfter = durationValue(retry.DefaultMaxRetryAfter)
	fs.IntVar(&o.retries, "retries", 1, "how often a request that failed is sent again")
	fs.Var(&o.retryWait, "retry-wait", "wait before the first retry; it doubles with each")
	fs.Var(&o.retryMaxWait, "retry-max-wait", "longest wait before a retry")
	fs.Float64Var(&o.retryBudget, "retry-budget", retry.DefaultBudgetPercent, "retries of the whole scan, in percent of the requests sent")
	fs.Var(&o.itemDeadline, "item-deadline", "no attempt of an item starts later than this after its first; 0 is none")
	fs.Var(&o.maxRetryAfter, "max-retry-after", "longest pause that a host may ask for")
}

func (o *breakerOptions) validate(timeout time.Duration, fs *pflag.FlagSet) error {
	for _, f := range []struct {
		name string
		v    int
	}{{"max-host-error", o.maxHostError}, {"first-contact", o.firstContact}, {"retries", o.retries}} {
		if err := atLeast(f.name, f.v, 0); err != nil {
			return err
		}
	}
	if err := atLeast("retry-budget", o.retryBudget, 0); err != nil {
		return err
	}
	if !fs.Changed("probe-ttl") {
		o.probeTTL = durationValue(2 * timeout)
	}
	if !fs.Changed("linger") {
		o.linger = o.cooldown + durationValue(timeout)
	}
	if !fs.Changed("max-cooldown") {
		o.maxCooldown = max(o.maxCooldown, o.cooldown)
	}
	switch {
	case o.cooldown == 0:
		return usageErrorf("cooldown", "0 is out of range, expected more")
	case o.maxRetryAfter == 0:
		return usageErrorf("max-retry-after", "0 is out of range, expected more")
	case o.probeTTL == 0 && fs.Changed("probe-ttl"):
		return usageErrorf("probe-ttl", "0 is out of range, expected more")
	case o.maxTrips == 0:
		return usageErrorf("max-trips", "0 is out of range, expected 1 or more, or -1 for never")
	case o.maxCooldown < o.cooldown:
		return usageErrorf("max-cooldown", "%s is shorter than --cooldown %s, expected at least that",
			time.Duration(o.maxCooldown), time.Duration(o.cooldown))
	case o.retries > 0 && o.retryWait == 0:
		return usageErrorf("retry-wait", "0 is out of range, expected more")
	case o.retries > 0 && o.retryMaxWait < o.retryWait:
		return usageErrorf("retry-max-wait", "%s is shorter than --retry-wait %s, expected at least that",
			time.Duration(o.retryMaxWait), time.Duration(o.retryWait))
	}
	return nil
}

func (o *breakerOptions) breaker(maxHosts int) hosterrors.Config {
	return hosterrors.Config{
		MaxHostError: o.maxHostError, MaxHostsCount: maxHosts, TrackError: o.trackError,
		Cooldown: time.Duration(o.cooldown), MaxCooldown: time.Duration(o.maxCooldown),
		MaxTrips: o.maxTrips, ProbeTTL: time.Duration(o.probeTTL),
	}
}
