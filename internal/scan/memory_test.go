package scan

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/target"
)

// A host that is dead for one scan is not tried from the start by the next: it gets the calls that it had coming, at their
// times, and its quarantines count on.
func TestHostsGoFromScanToScan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		alive := false
		s := newStreet(map[string]func(int) string{
			"well.test:80": ok,
			"down.test:80": func(int) string {
				if alive {
					return reply(200, "")
				}
				return ""
			},
		})
		var hosts []HostMemory
		part := func(want int) Ending {
			t.Helper()
			opt, b := base(), &book{}
			opt.Requester.MaxIdle = -1
			opt.Breaker.Cooldown, opt.Breaker.MaxCooldown, opt.Breaker.MaxTrips = 10*time.Second, time.Minute, 5
			opt.Linger, opt.Hosts = 0, hosts
			opt.Requester.Dial = s.dial
			opt.Handlers = []report.Handler{b}
			var err error
			opt.Targets, err = target.NewReader(target.Config{
				Sources: []target.Source{target.Stream("list", strings.NewReader("http://well.test\nhttp://down.test"))},
			})
			if err != nil {
				t.Fatal(err)
			}
			if opt.Probe, err = check.NewProbe(check.ProbeOptions{Paths: []string{"/1", "/2", "/3", "/4"}}); err != nil {
				t.Fatal(err)
			}
			one, err := New(opt)
			if err != nil {
				t.Fatal(err)
			}
			before := len(s.sent["down.test:80"])
			ending, err := one.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s.open.Wait()
			if got := len(s.sent["down.test:80"]) - before; got != want {
				t.Errorf("%d requests to the dead host, want %d", got, want)
			}
			hosts = one.Hosts()
			return ending
		}
		part(3) // first contact
		if len(hosts) != 1 || hosts[0].Key != "down.test:80" || hosts[0].Breaker.Left < 9*time.Second {
			t.Fatalf("told of %+v, want the dead host alone, with its cooldown", hosts)
		}
		part(0)
		<-time.After(10 * time.Second)
		hosts[0].Breaker.Left = 0
		part(1)
		if m := hosts[0].Breaker; m.Trips != 1 || m.Left < 19*time.Second {
			t.Errorf("told of %+v, want a failed call and a cooldown of twice the time", m)
		}
		alive = true
		hosts[0].Breaker.Left = 0
		if end := part(4); end.Done != 8 {
			t.Errorf("ending %+v, want all done", end.Summary)
		}
	})
}
