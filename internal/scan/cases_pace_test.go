package scan

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/pkg/flow"
	"github.com/redialscan/redial/pkg/requester"
	"github.com/redialscan/redial/pkg/retry"
)

// github.com/projectdiscovery/nuclei/issues/3216, github.com/projectdiscovery/katana/issues/1613: both limits hold together,
// in every mode, and nothing is lost by them.
func TestBothLimitsHold(t *testing.T) {
	for _, mode := range []flow.Mode{flow.Queue, flow.WarmUp, flow.WarmUpQueue, flow.Reject} {
		t.Run(mode.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				serve := map[string]func(int) string{}
				var hosts []string
				for i := range 20 {
					serve[fmt.Sprintf("h%d.test:80", i)] = ok
					hosts = append(hosts, fmt.Sprintf("http://h%d.test/", i))
				}
				s := newStreet(serve)
				opt := base()
				opt.Requester.Host = flow.Rule{Rate: 5, Mode: mode, WarmUp: 4 * time.Second, ColdFactor: 3}
				opt.Requester.Scan = flow.Rule{Rate: 40, Mode: mode, WarmUp: 4 * time.Second, ColdFactor: 3}
				opt.Budget, _ = retry.NewBudget(100, 0)
				start := time.Now()
				ending := walk(t, s, &book{}, opt, 20, hosts...)
				if _, allowed := opt.Budget.Retries(); allowed != ending.Sent {
					t.Errorf("the retry budget is that of %d requests, want that of the %d that were sent", allowed, ending.Sent)
				}
				if ending.Done != 400 || ending.Sent != 400 {
					t.Errorf("ending %+v, want 400 done", ending.Summary)
				}
				var all []time.Time
				for addr := range serve {
					all = append(all, s.sent[addr]...)
					most(t, addr, s.sent[addr], 5)
				}
				slices.SortFunc(all, time.Time.Compare)
				most(t, "the scan", all, 40)
				// 400 requests at 40 a second, and what a warm-up costs, with some room for the last hosts.
				if took := time.Since(start); took < 9*time.Second || took > 20*time.Second {
					t.Errorf("took %v, want about 10s", took)
				}
			})
		})
	}
}

// most fails where a second holds more than its rate; one more where a queue puts one at each end.
func most(t *testing.T, what string, all []time.Time, many int) {
	t.Helper()
	for i := many + 1; i < len(all); i++ {
		if all[i].Sub(all[i-many-1]) < time.Second {
			t.Errorf("%s got %d requests within %v", what, many+2, all[i].Sub(all[i-many-1]))
			return
		}
	}
}

// github.com/uber-go/ratelimit/issues/119: a host that was left alone for a minute gets no burst afterwards.
func TestNoBurstAfterIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStreet(map[string]func(int) string{"host.test:80": func(n int) string {
			if n == 3 {
				return reply(429, "Retry-After: 60\r\n")
			}
			return reply(200, "")
		}})
		opt := base()
		opt.Requester.Host = flow.Rule{Rate: 10, MaxQueueWait: time.Second}
		if ending := walk(t, s, &book{}, opt, 60, "http://host.test/"); ending.Done != 60 {
			t.Errorf("ending %+v, want 60 done", ending.Summary)
		}
		at := s.sent["host.test:80"]
		most(t, "the host", at, 10)
		idle := 0
		for i := 1; i < len(at); i++ {
			if at[i].Sub(at[i-1]) > 50*time.Second {
				idle++
			}
		}
		if idle != 1 {
			t.Errorf("left alone %d times, want once: the test shows nothing", idle)
		}
	})
}

// --rate-limit 0.5 is one request every two seconds.
func TestHalfARequestASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStreet(map[string]func(int) string{"host.test:80": ok})
		opt := base()
		opt.Requester.Scan = flow.Rule{Rate: 0.5, MaxQueueWait: time.Second}
		walk(t, s, &book{}, opt, 10, "http://host.test/")
		at := s.sent["host.test:80"]
		for i := 1; i < len(at); i++ {
			if apart := at[i].Sub(at[i-1]); apart != 2*time.Second {
				t.Errorf("requests %d and %d are %v apart, want 2s", i, i+1, apart)
			}
		}
		if len(at) != 10 {
			t.Errorf("%d requests, want 10", len(at))
		}
	})
}

// github.com/google/guava/issues/2730: a scan is not made with a rule that makes no sense.
func TestNonsenseRulesAreRefused(t *testing.T) {
	nan := 0.0
	nan /= nan
	for name, r := range map[string]flow.Rule{
		"NaN": {Rate: nan}, "negative": {Rate: -1}, "warm-up of 0": {Rate: 1, Mode: flow.WarmUp, ColdFactor: 3},
		"factor of 1": {Rate: 1, Mode: flow.WarmUpQueue, WarmUp: time.Second, ColdFactor: 1},
	} {
		for _, set := range []func(*requester.Config){
			func(c *requester.Config) { c.Scan = r }, func(c *requester.Config) { c.Host = r },
		} {
			opt := base()
			set(&opt.Requester)
			if _, err := New(opt); !errors.As(err, new(*flow.RuleError)) {
				t.Errorf("%s: got %v, want the rule refused", name, err)
			}
		}
	}
}
