package scan

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/pkg/report"
)

// github.com/ffuf/ffuf/issues/273: a host answers one request in five, for an hour. Its breaker never opens; the failure
// window lets no more failures through than its limit, and what was in flight.
func TestHostThatAnswersOneInFive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit, window = 20, time.Minute
		var failed []time.Time
		s := newStreet(map[string]func(int) string{"host.test:80": func(n int) string {
			if n%5 == 1 {
				return reply(200, "Connection: close\r\n")
			}
			failed = append(failed, time.Now())
			return ""
		}})
		opt, b := base(), &book{}
		opt.Breaker.MaxHostError, opt.FirstContact = 30, 30
		opt.Breaker.Cooldown, opt.Breaker.MaxCooldown = 30*time.Second, time.Minute
		opt.FailureLimit, opt.FailureWindow, opt.Linger = limit, window, 2*window
		opt.Retries, opt.RetryBudget, opt.HostConcurrency = 3, 1000, 4
		opt.Requester.MaxIdle = -1
		ending := walk(t, s, b, opt, 300, "http://host.test/")
		if len(failed) < 2*limit {
			t.Fatalf("only %d failures: the test shows nothing", len(failed))
		}
		for i := limit + opt.HostConcurrency; i < len(failed); i++ {
			if apart := failed[i].Sub(failed[i-limit-opt.HostConcurrency]); apart < window {
				t.Errorf("%d failures within %v", limit+opt.HostConcurrency+1, apart)
			}
		}
		held := of[*report.Held](b)
		if len(held) < 2 || held[0].Limit != limit || len(of[*report.Transition](b)) != 0 {
			t.Errorf("%d times held, moves %q; want it held, and no breaker that opens", len(held), moves(b, "host.test:80"))
		}
		if ending.HeldHosts != 1 || len(ending.Held) != 1 || ending.Held[0].Trips != len(held) || ending.QuarantinedHosts != 0 {
			t.Errorf("summary %+v, want one host held", ending.Summary)
		}
		if ending.Skipped != 0 || ending.Done == 0 {
			t.Errorf("ending %+v, want items that waited for their host", ending.Summary)
		}
	})
}

// What is left of a host at its failure limit is skipped under that name.
func TestHeldItemsAreSkippedAsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStreet(map[string]func(int) string{"host.test:80": func(n int) string {
			if n <= 2 {
				return reply(200, "")
			}
			return ""
		}})
		opt, b := base(), &book{}
		opt.Breaker.MaxHostError = 0 // the window alone
		opt.FailureLimit, opt.FailureWindow, opt.Linger = 3, time.Hour, time.Minute
		opt.HostConcurrency = 1
		opt.Requester.MaxIdle = -1
		ending := walk(t, s, b, opt, 50, "http://host.test/")
		if ending.SkippedBy["held"] != ending.Skipped || ending.Skipped < 40 || !ending.Incomplete {
			t.Errorf("ending %+v, want the rest skipped as held", ending.Summary)
		}
		if n := len(s.sent["host.test:80"]); n != 5 {
			t.Errorf("%d requests, want two and the three that failed", n)
		}
		for _, k := range of[*report.Skipped](b) {
			if k.LastError == "" || k.Reason != "held" {
				t.Errorf("skipped %+v, want the reason and the last error", k)
			}
		}
	})
}
