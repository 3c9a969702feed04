package scan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"github.com/redialscan/redial/pkg/flow"
	"github.com/redialscan/redial/pkg/report"
)

// A host that takes 20 requests a second and answers 429 above is found out within ten seconds: the rate stays between 14
// and 20, every item is done, fewer than 5 % of the requests are refused.
func TestThrottlingHostIsFoundOut(t *testing.T) {
	for _, limit := range []float64{0, 30, 100, 1000} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				bucket, refused := rate.NewLimiter(20, 20), 0
				s := newStreet(map[string]func(int) string{"host.test:80": func(int) string {
					if bucket.AllowN(time.Now(), 1) {
						return reply(200, "")
					}
					refused++
					return reply(429, "")
				}})
				opt, b := base(), &book{}
				opt.Requester.Host = flow.Rule{Rate: limit, MaxQueueWait: time.Second}
				if limit == 0 {
					opt.Requester.Host = flow.Rule{}
				}
				ending := walk(t, s, b, opt, 1000, "http://host.test/")
				each := s.within("host.test:80")
				if low, high := slices.Min(each[10:]), slices.Max(each[10:]); low < 14 || high > 20 {
					t.Errorf("from %d to %d a second after 10 s, want 14 to 20: %v", low, high, each)
				}
				if ending.Done != 1000 || refused*20 >= int(ending.Sent) || refused == 0 {
					t.Errorf("%d done, %d of %d refused; want 1000 done, fewer than 5 %% refused", ending.Done, refused, ending.Sent)
				}
				for _, r := range of[*report.Result](b) {
					if r.StatusCode != 200 {
						t.Errorf("%s ended with status %d", r.URL, r.StatusCode)
					}
				}
				told := of[*report.Throttled](b)
				if len(told) == 0 || len(told) > 5 || told[0].Rate == 0 || told[0].Reason != report.ReasonHalved || ending.ThrottledHosts != 1 {
					t.Errorf("told %d decisions, %d hosts throttled; want a few, of one host", len(told), ending.ThrottledHosts)
				}
			})
		})
	}
}

// github.com/projectdiscovery/nuclei/issues/3370, github.com/ffuf/ffuf/issues/352: 429 with Retry-After: 7 holds that host
// for seven seconds, others go on, nothing failed.
func TestRetryAfterHoldsOneHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStreet(map[string]func(int) string{"other.test:80": ok, "host.test:80": func(n int) string {
			if n == 5 {
				return reply(429, "Retry-After: 7\r\n")
			}
			return reply(200, "")
		}})
		var said []string
		opt, b := base(), &book{}
		opt.HostConcurrency = 1
		opt.Log.Verbose = func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
		ending := walk(t, s, b, opt, 20, "http://host.test/", "http://other.test/")
		if ending.Done != 40 || ending.Failed != 0 || len(of[*report.Transition](b)) != 0 || ending.Sent != 41 {
			t.Errorf("ending %+v, want 40 done by 41 requests and nobody blamed", ending.Summary)
		}
		at, other := s.sent["host.test:80"], s.sent["other.test:80"]
		if wait := at[5].Sub(at[4]); wait < 7*time.Second || wait > 7*time.Second+50*time.Millisecond {
			t.Errorf("the host was left alone for %v, want 7s", wait)
		}
		if last := other[len(other)-1].Sub(other[0]); last > time.Second {
			t.Errorf("the other host took %v, want it not held up", last)
		}
		text := strings.Join(said, "\n")
		if n := strings.Count(text, "held until"); n != 1 || !strings.Contains(text, "host.test:80 held until ") || !strings.Contains(text, "asked for 7s") {
			t.Errorf("said %q, want the decision once", text)
		}
		if e := of[*report.Throttled](b); len(e) != 1 || e[0].StatusCode != 429 || time.Duration(e[0].Wait) != 7*time.Second || !e[0].Until.Equal(e[0].Time.Add(7*time.Second)) {
			t.Errorf("events %+v, want one", e)
		}
	})
}

// github.com/hashicorp/go-retryablehttp/pull/297 and /issues/247: absurd waits are capped, others ignored. An item is
// sent again three times, then it is done with its status.
func TestAbsurdRetryAfter(t *testing.T) {
	for value, most := range map[string]time.Duration{
		"99999999999": 4 * 60 * time.Second, "-5": 10 * time.Second, "soon": 10 * time.Second, "Fri, 01 Jan 1999 15:04:05 GMT": 10 * time.Second,
	} {
		t.Run(value, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStreet(map[string]func(int) string{"host.test:80": func(int) string { return reply(429, "Retry-After: "+value+"\r\n") }})
				start := time.Now()
				opt, b := base(), &book{}
				opt.Requester.IdleTimeout = time.Hour
				ending := walk(t, s, b, opt, 1, "http://host.test/")
				took := time.Since(start)
				r := of[*report.Result](b)
				if ending.Done != 1 || len(r) != 1 || r[0].StatusCode != 429 || r[0].Attempts != 4 || ending.Sent != 4 {
					t.Errorf("ending %+v, result %+v; want one done with its status after 4 requests", ending.Summary, r)
				}
				if took < 3*time.Second || took > most {
					t.Errorf("took %v, want at most %v", took, most)
				}
			})
		})
	}
}

// github.com/epi052/feroxbuster/issues/822: in a storm of 429 the rate falls by half each second and climbs back in steps.
func TestStormOfRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s := newStreet(map[string]func(int) string{"host.test:80": func(int) string {
			if d := time.Since(start); d > 5*time.Second && d < 8*time.Second {
				return reply(429, "")
			}
			return reply(200, "")
		}})
		opt, b := base(), &book{}
		opt.Requester.Host = flow.Rule{Rate: 64, MaxQueueWait: time.Second}
		ending := walk(t, s, b, opt, 2500, "http://host.test/")
		each := s.within("host.test:80")
		if ending.Done != 2500 || ending.Failed != 0 {
			t.Errorf("ending %+v, want all done", ending.Summary)
		}
		for second, want := range map[int]int{4: 64, 5: 32, 6: 16, 7: 8} {
			if got := each[second]; got < want-2 || got > want+2 {
				t.Errorf("%d requests in second %d, want about %d: %v", got, second, want, each[:12])
			}
		}
		for second := 9; second < len(each); second++ {
			if up := each[second] - each[second-1]; up < -2 || up > 8 {
				t.Errorf("from %d to %d in second %d, want steps up: %v", each[second-1], each[second], second, each[:second+1])
			}
		}
		if each[30] < 45 {
			t.Errorf("%d requests in second 30, want it back near 64: %v", each[30], each[:31])
		}
	})
}
