package cmd

import (
	"errors"
	"time"

	"github.com/spf13/pflag"

	"github.com/redialscan/redial/pkg/flow"
	"github.com/redialscan/redial/pkg/requester"
)

// paceOptions say how fast and how much at a time.
type paceOptions struct {
	concurrency, hostConcurrency, dialConcurrency, maxHosts int
	rateLimit, hostRateLimit                                float64
	rateMode                                                string
	warmUp, maxQueueWait                                    durationValue
	coldFactor                                              float64
	throttleStatus                                          []string
}

func (o *paceOptions) addFlags(fs *pflag.FlagSet) {
	o.warmUp = durationValue(30 * time.Second)
	o.maxQueueWait = durationValue(time.Second)
	fs.IntVarP(&o.concurrency, "concurrency", "c", 150, "requests in flight over all hosts")
	fs.IntVar(&o.hostConcurrency, "host-concurrency", 10, "requests in flight per host")
	fs.IntVar(&o.dialConcurrency, "dial-concurrency", 1000, "hosts that are being contacted for the first time at once")
	fs.IntVar(&o.maxHosts, "max-hosts", 10_000, "hosts in work at once")
	fs.Float64Var(&o.rateLimit, "rate-limit", 500, "requests per second over all hosts; 0 is no limit")
	fs.Float64Var(&o.hostRateLimit, "host-rate-limit", 100, "requests per second per host; 0 is no limit")
	fs.StringVar(&o.rateMode, "rate-mode", flow.Queue.String(), "`how` both limits are kept: queue, warm-up, warm-up-queue or reject")
	fs.Var(&o.warmUp, "warm-up", "time from a slow start to the full rate, in the warm-up modes")
	fs.Float64Var(&o.coldFactor, "cold-factor", flow.DefaultColdFactor, "how much slower that start is, in the warm-up modes")
	fs.Var(&o.maxQueueWait, "max-queue-wait", "longest wait of a request in a queue, then its host waits; 0 is no limit")
	listVar(fs, &o.throttleStatus, "throttle-status", "", "`codes` besides 429 and 503 by which a host asks for less, such as 403,520-529")
}

func (o *paceOptions) validate(fs *pflag.FlagSet) error {
	for _, f := range []struct {
		name string
		v    int
	}{
		{"concurrency", o.concurrency}, {"host-concurrency", o.hostConcurrency},
		{"dial-concurrency", o.dialConcurrency}, {"max-hosts", o.maxHosts},
	} {
		if err := atLeast(f.name, f.v, 1); err != nil {
			return err
		}
	}
	if err := atLeast("rate-limit", o.rateLimit, 0); err != nil {
		return err
	}
	if err := atLeast("host-rate-limit", o.hostRateLimit, 0); err != nil {
		return err
	}
	return o.validateMode(fs)
}

// validateMode refuses a mode that there is not, and a flag that the mode does not look at.
func (o *paceOptions) validateMode(fs *pflag.FlagSet) error {
	mode, err := flow.ParseMode(o.rateMode)
	if err != nil {
		return usageErrorf("rate-mode", "%q, expected queue, warm-up, warm-up-queue or reject", o.rateMode)
	}
	warms, queues := mode == flow.WarmUp || mode == flow.WarmUpQueue, mode == flow.Queue || mode == flow.WarmUpQueue
	for _, f := range []struct {
		name   string
		looked bool
		modes  string
	}{
		{"warm-up", warms, "warm-up or warm-up-queue"}, {"cold-factor", warms, "warm-up or warm-up-queue"},
		{"max-queue-wait", queues, "queue or warm-up-queue"},
	} {
		if fs.Changed(f.name) && !f.looked {
			return usageErrorf(f.name, "expected together with --rate-mode %s", f.modes)
		}
	}
	if o.rateLimit == 0 && o.hostRateLimit == 0 {
		for _, name := range []string{"rate-mode", "warm-up", "cold-factor", "max-queue-wait"} {
			if fs.Changed(name) {
				return usageErrorf(name, "expected together with a --rate-limit or --host-rate-limit above 0")
			}
		}
		return nil
	}
	for _, rate := range []struct {
		flag string
		v    float64
	}{{"rate-limit", o.rateLimit}, {"host-rate-limit", o.hostRateLimit}} {
		if _, err := flow.New(o.rule(rate.v)); err != nil && rate.v > 0 {
			return ruleError(rate.flag, err)
		}
	}
	return nil
}

// ruleError puts what a rule refuses into the words of the flag that it came from.
func ruleError(rateFlag string, err error) error {
	bad, ok := errors.AsType[*flow.RuleError](err)
	if !ok {
		return err
	}
	flag, known := map[string]string{
		"warm-up": "warm-up", "cold factor": "cold-factor", "max queue wait": "max-queue-wait", "mode": "rate-mode",
	}[bad.Field]
	if !known {
		flag = rateFlag
	}
	return usageErrorf(flag, "%s is out of range, expected %s", bad.Got, bad.Want)
}

// rule is the rule of a rate, the zero rule of none. A mode that there is not was refused before.
func (o *paceOptions) rule(rate float64) flow.Rule {
	if rate == 0 {
		return flow.Rule{}
	}
	mode, _ := flow.ParseMode(o.rateMode)
	r := flow.Rule{Rate: rate, Mode: mode, WarmUp: time.Duration(o.warmUp), ColdFactor: o.coldFactor}
	if mode == flow.Queue || mode == flow.WarmUpQueue {
		r.MaxQueueWait = time.Duration(o.maxQueueWait)
	}
	return r
}

// pace adds the rates to the configuration of the send path.
func (o *paceOptions) pace(cfg *requester.Config) error {
	cfg.Scan, cfg.Host = o.rule(o.rateLimit), o.rule(o.hostRateLimit)
	for _, list := range o.throttleStatus {
		codes, err := parseStatusCodes(list)
		if err != nil {
			return usageErrorf("throttle-status", "%v", err)
		}
		cfg.ThrottleStatus = append(cfg.ThrottleStatus, codes...)
	}
	return nil
}
