package scan

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/target"
)

// github.com/go-resty/resty/issues/777: what fails after its bytes left may have had its effect, and is not sent again:
// neither as a retry, nor when its host trips and comes back, nor as a probe, nor to the other scheme of its host.
func TestPostIsSentOnce(t *testing.T) {
	for _, kind := range []lab.Kind{lab.Resetting, lab.Mute, lab.Silent, lab.CutBody, lab.OneInFive} {
		t.Run(string(kind), func(t *testing.T) {
			l := startLab(t, lab.Config{Counts: map[lab.Kind]int{kind: 1, lab.Healthy: 1}})
			host := l.Of(kind)[0]
			opt := base()
			opt.Requester.Timeout, opt.Requester.DialTimeout = 300*time.Millisecond, 300*time.Millisecond
			opt.Retries, opt.Linger = 3, time.Minute
			way := &switchboard{to: map[string]string{"host.test:80": host.Addr, "host.test:443": host.Addr, host.Addr: host.Addr}}
			opt.Requester.Dial = way.dial
			var err error
			if opt.Probe, err = check.NewProbe(check.ProbeOptions{Method: http.MethodPost, Paths: paths(10)}); err != nil {
				t.Fatal(err)
			}
			_, ending := scanned(t, opt, nil, host.URL())
			for path, n := range host.Paths() {
				if path != "/" && n > 1 { // the plain probe asks for /
					t.Errorf("%s arrived %d times, want once", path, n)
				}
			}
			if ending.Failed == 0 || ending.Done+ending.Failed+ending.Skipped != 10 {
				t.Errorf("ending %+v, want items that failed", ending.Summary)
			}
		})
	}
}

// What never left may go again, whatever the method.
func TestPostThatWasRefusedIsSentLater(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Refusing: 1}})
	host := l.Hosts()[0]
	var up sync.Once
	b := &book{on: func(e report.Event) {
		if _, ok := e.(*report.Transition); ok {
			up.Do(func() { must(t, host.Up()) })
		}
	}}
	opt := base()
	opt.Breaker.MaxTrips, opt.Linger = -1, time.Minute
	var err error
	if opt.Probe, err = check.NewProbe(check.ProbeOptions{Method: http.MethodPost, Paths: paths(10)}); err != nil {
		t.Fatal(err)
	}
	ending, err := scanInto(t.Context(), t, b, opt, nil, host.URL())
	must(t, err)
	if ending.Done != 10 || host.Requests() != 10 {
		t.Errorf("ending %+v after %d requests, want 10 done by 10", ending.Summary, host.Requests())
	}
}

// Three items of a flaky host fail and trip it. It comes back, and those three are done too. No tool does that.
func TestItemsThatTrippedTheirHostAreDone(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1}})
	host := l.Hosts()[0]
	var up sync.Once
	b := &book{}
	b.on = func(e report.Event) {
		if _, ok := e.(*report.Transition); ok {
			up.Do(func() { must(t, host.Up()) })
		}
	}
	opt := base()
	opt.Requester.Dial, opt.Requester.MaxIdle = goesDown(t, host, 50), -1
	opt.Breaker.MaxHostError, opt.Breaker.MaxTrips, opt.Linger = 3, -1, time.Minute
	opt.HostConcurrency = 3
	ending, err := scanInto(t.Context(), t, b, opt, paths(100), urls(l)...)
	must(t, err)
	if ending.Done != 100 || ending.Failed != 0 || ending.Incomplete || ending.QuarantinedHosts != 1 {
		t.Errorf("ending %+v, failed %v; want 100 done by a host that was quarantined", ending.Summary, errorsOf(b))
	}
	again := 0
	for _, r := range of[*report.Result](b) {
		if r.Attempts > 1 {
			again++
		}
	}
	if again == 0 {
		t.Error("every item was done at first, want some that were sent again")
	}
}

// github.com/projectdiscovery/nuclei/issues/3165: payloads that make a firewall reset the connection, every time, alone or
// in a row that is long enough to trip the host, fail; the host is not dead, and its other items are done.
func TestPoisonedPayloads(t *testing.T) {
	for _, poison := range []int{1, 12} {
		l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Firewall: 1}})
		opt := base()
		opt.Retries, opt.HostConcurrency, opt.Breaker.MaxTrips = 1, 1, 1
		opt.Breaker.Cooldown, opt.Breaker.MaxCooldown = 20*time.Millisecond, 20*time.Millisecond
		opt.Linger = time.Minute
		list := paths(10)
		for i := range poison {
			list = append(list, "/poison"+strings.Repeat("n", i))
		}
		list = append(list, "/last", "/very-last")
		b, ending := scanned(t, opt, list, urls(l)...)
		if ending.Done != 12 || ending.Failed != int64(poison) || ending.SkippedBy["dead"] != 0 {
			t.Errorf("ending %+v, want 12 done and %d failed", ending.Summary, poison)
		}
		if strings.Contains(moves(b, l.Hosts()[0].Addr), "dead") {
			t.Errorf("moves %q, want a host that lives", moves(b, l.Hosts()[0].Addr))
		}
		for _, r := range failures(b) {
			if !strings.HasPrefix(r.Path, "/poison") {
				t.Errorf("%s failed, want the poisoned payloads alone", r.Path)
			}
		}
	}
}

// github.com/projectdiscovery/nuclei/issues/3630 and /5130: the progress ends at exactly 100 %, with failed and skipped items.
func TestProgressEndsAtHundred(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 2, lab.Refusing: 2, lab.Garbage: 1}})
	opt := base()
	opt.Breaker.MaxTrips = 1
	opt.Handlers = []report.Handler{&book{}}
	var err error
	if opt.Probe, err = check.NewProbe(check.ProbeOptions{Paths: paths(7)}); err != nil {
		t.Fatal(err)
	}
	opt.Targets = reader(t, urls(l)...)
	s, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	ending, err := s.Run(t.Context())
	must(t, err)
	status := s.Status()
	status.Final = true
	if ending.Failed == 0 || ending.Skipped == 0 || status.Percent() != 100 || status.Finished() != 35 || status.Growing {
		t.Errorf("status %+v at %d %%, want failed and skipped items and 100", status, status.Percent())
	}
}

// github.com/projectdiscovery/nuclei/issues/5355, github.com/projectdiscovery/httpx/issues/527: the host of the last item
// trips, and the scan ends all the same, whether it waits for that host or not.
func TestScanEndsWhenItsLastHostTrips(t *testing.T) {
	for _, linger := range []time.Duration{0, time.Minute} {
		for _, items := range []int{1, 3, 4} {
			l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1, lab.Refusing: 1}})
			opt := base()
			opt.Breaker.Cooldown, opt.Breaker.MaxCooldown, opt.Breaker.MaxTrips = 20*time.Millisecond, 20*time.Millisecond, 2
			opt.Linger = linger
			_, ending := scanned(t, opt, paths(items), urls(l)...)
			if ending.Done != int64(items) || ending.Failed+ending.Skipped != int64(items) {
				t.Errorf("linger %v, %d items: ending %+v", linger, items, ending.Summary)
			}
		}
	}
}

// github.com/projectdiscovery/nuclei/issues/5372: a dead host and a living one behind the same proxy.
func TestDeadHostBehindAProxy(t *testing.T) {
	for name, test := range map[string]struct {
		start  func(lab.ProxyConfig) (*lab.Proxy, error)
		living lab.Kind
		scheme string
	}{
		"CONNECT": {lab.StartHTTPProxy, lab.TLS, "https://"}, "SOCKS": {lab.StartSOCKS5, lab.Healthy, "http://"},
	} {
		t.Run(name, func(t *testing.T) {
			l := startLab(t, lab.Config{Counts: map[lab.Kind]int{test.living: 1, lab.Refusing: 1}})
			living, dead := l.Of(test.living)[0], l.Of(lab.Refusing)[0]
			p, err := test.start(lab.ProxyConfig{})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			opt := base()
			opt.Requester.Proxy = p.URL()
			opt.Breaker.MaxTrips = 1
			b, ending := scanned(t, opt, paths(10), test.scheme+dead.Addr, test.scheme+living.Addr)
			if ending.Done != 10 || ending.SkippedBy["dead"] != 10 || ending.QuarantinedHosts != 1 || moves(b, dead.Addr) == "" {
				t.Errorf("ending %+v, want the living host's 10 done and the dead one's skipped", ending.Summary)
			}
		})
	}
}

func reader(t *testing.T, lines ...string) *target.Reader {
	t.Helper()
	r, err := target.NewReader(target.Config{Sources: []target.Source{target.Values("-u", lines...)}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A host has its time; what is left of it then is skipped, and the items of others are not.
func TestHostTimeoutSkipsWhatIsLeft(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1, lab.Slow: 1, lab.Refusing: 1}, Delay: 200 * time.Millisecond})
	opt := base()
	opt.HostConcurrency, opt.HostTimeout, opt.Linger = 1, 2*time.Second, time.Minute
	opt.Breaker.MaxTrips = -1
	var said []string
	var mu sync.Mutex
	opt.Log.Verbose = func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, fmt.Sprintf(format, args...))
	}
	b, ending := scanned(t, opt, paths(30), urls(l)...)
	skipped := map[string]int64{}
	for _, s := range of[*report.Skipped](b) {
		skipped[s.Host+" "+s.Reason] += s.Count()
	}
	slow, refusing := skipped[l.Of(lab.Slow)[0].Addr+" host-timeout"], skipped[l.Of(lab.Refusing)[0].Addr+" host-timeout"]
	if slow < 20 || slow == 30 || refusing != 30 || ending.SkippedBy["host-timeout"] != slow+refusing || ending.Done != 60-slow || !ending.Incomplete {
		t.Errorf("ending %+v, skipped %v; want the rest of the slow host and all of the refusing one", ending.Summary, skipped)
	}
	if text := strings.Join(said, "\n"); !strings.Contains(text, l.Of(lab.Slow)[0].Addr+" has had its time, --host-timeout 2s") {
		t.Errorf("said %s, want that the slow host has had its time", text)
	}
}
