package scan

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/flow"
	"github.com/redialscan/redial/pkg/report"
)

// dialTo takes names with a port to addresses of the lab; what it does not know refuses.
func dialTo(l *lab.Lab, ways map[string]string) func(context.Context, string, string) (net.Conn, error) {
	refusing := l.Of(lab.Refusing)[0].Addr
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		to, ok := ways[addr]
		if !ok {
			to = refusing
		}
		var d net.Dialer
		return d.DialContext(ctx, network, to)
	}
}

// A pace that refuses the first candidate says nothing of it: the second one is not taken in its place.
func TestRefusedSlotSettlesNoScheme(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1, lab.TLS: 1, lab.Refusing: 1}})
	opt := base()
	opt.Requester.NoHTTP2 = true
	opt.Requester.Host = flow.Rule{Rate: 2, Mode: flow.Reject}
	opt.Requester.Dial = dialTo(l, map[string]string{
		"both.test:443": l.Of(lab.TLS)[0].Addr, "both.test:80": l.Of(lab.Healthy)[0].Addr,
	})
	b, ending := scanned(t, opt, []string{"/"}, "https://both.test/1", "https://both.test/2", "both.test/3", "both.test/4")
	for _, r := range of[*report.Result](b) {
		if r.Scheme != "https" {
			t.Errorf("%s was settled as %s, want https, which answers", r.Input, r.Scheme)
		}
	}
	if ending.Done != 4 {
		t.Errorf("ending %+v, want 4 done", ending.Summary)
	}
}

// Nor does one that refuses the second candidate, when the first has said that it speaks something else, or nothing at all.
func TestSecondCandidateWaitsForItsSlot(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1, lab.Refusing: 1}})
	healthy := l.Of(lab.Healthy)[0].Addr
	for _, mode := range []flow.Mode{flow.Queue, flow.Reject} {
		for _, line := range []string{"web.test", healthy} {
			opt := base()
			opt.Requester.Scan = flow.Rule{Rate: 2, Mode: mode}
			if mode == flow.Queue {
				opt.Requester.Scan.MaxQueueWait = 50 * time.Millisecond
			} else {
				opt.Requester.Scan.Rate = 1
			}
			opt.Requester.Dial = dialTo(l, map[string]string{"web.test:80": healthy, healthy: healthy})
			_, ending := scanned(t, opt, []string{"/"}, line)
			if ending.Done != 1 || ending.Sent != 2 {
				t.Errorf("%s, %v: ending %+v, want it done by the second request", line, mode, ending.Summary)
			}
		}
	}
}

// The candidates of a name may die under their own keys first: the scan does not wait for the name.
func TestNameWithDeadCandidates(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Refusing: 1}})
	opt := base()
	opt.Requester.Dial = dialTo(l, nil)
	opt.Breaker.MaxTrips, opt.Linger = 1, 10*time.Second
	_, ending := scanned(t, opt, paths(9), "https://gone.test", "http://gone.test", "gone.test")
	if ending.Skipped != 27 || ending.SkippedBy["dead"] < 18 {
		t.Errorf("ending %+v, want 27 items skipped, those of both candidates as dead", ending.Summary)
	}
}

// An item that failed before its host did another one makes the scan incomplete.
func TestEarlyFailureIsIncomplete(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1, lab.Refusing: 1}})
	opt := base()
	var calls atomic.Int64
	opt.Requester.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		to := addr
		if calls.Add(1) == 1 {
			to = l.Of(lab.Refusing)[0].Addr
		}
		var d net.Dialer
		return d.DialContext(ctx, network, to)
	}
	_, ending := scanned(t, opt, paths(3), strings.TrimSpace(urls(l)[0]))
	if ending.Done != 2 || ending.Failed != 1 || !ending.Incomplete {
		t.Errorf("ending %+v, want 2 done, 1 failed and an incomplete scan", ending)
	}
}

// A host that never said which scheme it speaks has its failures in its row of the summary all the same: its key has the port.
func TestFailuresWithoutASchemeStandInTheRow(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Garbage: 1}})
	host := l.Hosts()[0].Addr
	opt := base()
	opt.NoRevisit = true
	opt.Requester.Dial, opt.Requester.MaxIdle = goesDown(t, l.Hosts()[0], 8), -1
	b, ending := scanned(t, opt, paths(20), host)
	if len(ending.Quarantined) != 1 || ending.Failed == 0 || ending.Skipped == 0 {
		t.Fatalf("ending %+v, want items that failed before the host went down, and the others skipped", ending.Summary)
	}
	row := ending.Quarantined[0]
	if row.Host != host || row.Failed != ending.Failed || row.Skipped != ending.Skipped {
		t.Errorf("row %+v, want the %d failed and %d skipped of %s", row, ending.Failed, ending.Skipped, host)
	}
	for _, r := range failures(b) {
		if r.Host+":"+r.Port != host || r.Scheme != "" {
			t.Errorf("result %+v, want the port of %s, and no scheme", r, host)
		}
	}
}

// On a port that was named, http is tried after a protocol error alone: what refuses or says nothing to https would do the same.
func TestNamedPortIsAskedForHTTPAfterAProtocolErrorAlone(t *testing.T) {
	for kind, want := range map[lab.Kind]int64{lab.Healthy: 2, lab.Refusing: 1, lab.Silent: 1, lab.ResetOnAccept: 1} {
		t.Run(string(kind), func(t *testing.T) {
			l := startLab(t, lab.Config{Counts: map[lab.Kind]int{kind: 1}})
			opt := base()
			if kind == lab.Silent {
				opt.Requester.Timeout, opt.Requester.DialTimeout = 300*time.Millisecond, 300*time.Millisecond
			}
			var dials atomic.Int64
			opt.Requester.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
				dials.Add(1)
				var d net.Dialer
				return d.DialContext(ctx, network, l.Hosts()[0].Addr)
			}
			_, ending := scanned(t, opt, []string{"/"}, "host.test:8443")
			if got := dials.Load(); got != want || ending.Items != 1 || (ending.Done == 1) != (kind == lab.Healthy) {
				t.Errorf("%d connections, ending %+v; want %d", got, ending.Summary, want)
			}
		})
	}
}
