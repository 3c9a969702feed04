package scan

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
)

// cable is the way to the lab. It can be pulled out.
type cable struct {
	out   atomic.Bool
	dials atomic.Int64
	pull  int64 // at this dial; 0 = never
}

func (c *cable) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if c.dials.Add(1) == c.pull {
		c.out.Store(true)
	}
	if c.out.Load() {
		return nil, syscall.EHOSTUNREACH
	}
	var d net.Dialer
	return d.DialContext(ctx, network, addr)
}

// linked is a scan over a cable, with a connection for each request, that looks for outages.
func linked(c *cable) Options {
	opt := base()
	opt.Requester.Dial, opt.Requester.MaxIdle = c.dial, -1
	opt.Requester.OutageTimeout = time.Minute
	opt.Breaker.MaxHostError, opt.Breaker.Cooldown, opt.Breaker.MaxCooldown = 3, time.Minute, time.Minute
	return opt
}

// All hosts have answered, and fail at once for a while: no item is lost, and no host is quarantined at the end.
func TestOurLinkIsDownForAWhile(t *testing.T) {
	for _, retries := range []int{0, 1} {
		l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 12}})
		way := &cable{pull: 300}
		b := &book{}
		b.on = func(e report.Event) {
			if p, ok := e.(*report.Paused); ok && !p.Resumed {
				way.out.Store(false)
			}
		}
		opt := linked(way)
		opt.Retries, opt.RetryBudget = retries, 1000
		ending, err := scanInto(t.Context(), t, b, opt, paths(100), urls(l)...)
		must(t, err)
		if ending.Done != 1200 || ending.Failed+ending.Skipped != 0 || ending.QuarantinedHosts != 0 || ending.Incomplete {
			t.Errorf("%d retries: ending %+v, failed %q; want 1200 done and nobody quarantined", retries, ending.Summary, errorsOf(b))
		}
		pauses := of[*report.Paused](b)
		if len(pauses) < 2 || pauses[0].Resumed || pauses[0].Hosts < 10 || !pauses[1].Resumed {
			t.Errorf("pauses %+v, want one for 10 hosts or more, and its end", pauses)
		}
		open := map[string]bool{}
		for _, tr := range of[*report.Transition](b) {
			open[tr.Host] = tr.To != "closed"
			if tr.To == "closed" && !tr.Undone {
				t.Errorf("%s recovered by a call, want its quarantine undone", tr.Host)
			}
		}
		for host, is := range open {
			if is {
				t.Errorf("%s is quarantined at the end", host)
			}
		}
	}
}

// A link that does not come back ends the scan: what is left is accounted for by a reason of its own.
func TestOurLinkIsDownForGood(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 5}})
	opt := linked(&cable{pull: 100})
	opt.Requester.OutageTimeout = 100 * time.Millisecond
	b := &book{}
	ending, err := scanInto(t.Context(), t, b, opt, paths(100), urls(l)...)
	if _, ok := errors.AsType[*requester.LongOutageError](err); !ok {
		t.Errorf("error %v, want a long outage", err)
	}
	if ending.Done+ending.SkippedBy["outage"] != 500 || ending.Failed != 0 || !ending.Incomplete || ending.Done < 90 {
		t.Errorf("ending %+v, want what is not done to be skipped for the outage", ending.Summary)
	}
}

// A list that is dead, but for a few hosts, is no outage.
func TestDeadListIsNoOutage(t *testing.T) {
	for healthy := range 3 {
		l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: healthy, lab.Refusing: 300}})
		opt := linked(&cable{})
		opt.Linger = 0
		b, ending := scanned(t, opt, paths(10), urls(l)...)
		if pauses := of[*report.Paused](b); len(pauses) > 0 || ending.Done != int64(10*healthy) {
			t.Errorf("%d healthy hosts: %d pauses, ending %+v; want none", healthy, len(pauses), ending.Summary)
		}
	}
}

// Requests that this process was too slow for are sent again, and their hosts are not blamed.
func TestStarvedItemsAreSentAgain(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 5}})
	var dials atomic.Int64
	opt := base()
	opt.Retries, opt.Requester.MaxIdle = 0, -1
	opt.Breaker.MaxHostError, opt.FirstContact = 1, 1
	opt.Requester.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if dials.Add(1)%5 == 0 {
			return nil, &hosterrors.StarvedError{Lag: time.Second}
		}
		var d net.Dialer
		return d.DialContext(ctx, network, addr)
	}
	b, ending := scanned(t, opt, paths(20), urls(l)...)
	if ending.Done != 100 || len(of[*report.Transition](b)) > 0 {
		t.Errorf("ending %+v, failed %q; want 100 done, and no host that tripped", ending.Summary, errorsOf(b))
	}
}

// A process without descriptors lowers its load and loses nothing.
func TestNoDescriptorsLeft(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 5}})
	var dials atomic.Int64
	var lowered atomic.Int64
	opt := base()
	opt.Requester.MaxIdle = -1
	opt.Requester.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if dials.Add(1)%7 == 0 {
			return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.EMFILE}
		}
		var d net.Dialer
		return d.DialContext(ctx, network, addr)
	}
	opt.Log.Verbose = func(format string, args ...any) {
		if len(args) > 0 && fmt.Sprintf(format, args...)[:19] == "concurrency lowered" {
			lowered.Add(1)
		}
	}
	b, ending := scanned(t, opt, paths(20), urls(l)...)
	if ending.Done != 100 || ending.QuarantinedHosts != 0 || lowered.Load() == 0 {
		t.Errorf("ending %+v, failed %q, concurrency lowered %d times; want 100 done", ending.Summary, errorsOf(b), lowered.Load())
	}
}

func TestEaseFallsWithStrainAndRisesInCalm(t *testing.T) {
	now := time.Unix(1000, 0)
	var e ease
	if e.calm(now) || e.of(1000) != 1000 {
		t.Errorf("at rest: %d of 1000", e.of(1000))
	}
	for i, want := range []int{750, 562, 421} {
		if !e.strain(now) || e.strain(now) || e.strain(now.Add(easeStep-1)) {
			t.Errorf("cut %d: want one a second", i)
		}
		if got := e.of(1000); got != want {
			t.Errorf("cut %d: %d of 1000, want %d", i, got, want)
		}
		now = now.Add(easeStep)
	}
	now = now.Add(easeCalm - easeStep)
	if e.calm(now.Add(-1)) {
		t.Error("rises before it was calm for long enough")
	}
	steps := 0
	for ; e.calm(now); now = now.Add(easeStep) {
		if steps++; e.calm(now.Add(easeStep - 1)) {
			t.Error("rises twice a second")
		}
	}
	if steps != 12 || e.of(1000) != 1000 { // 0.58 missing, 0.05 a step
		t.Errorf("back at %d of 1000 after %d steps, want 1000 after 12", e.of(1000), steps)
	}
}

func TestEaseLeavesSomething(t *testing.T) {
	now := time.Unix(1000, 0)
	var e ease
	for range 100 {
		e.strain(now)
		now = now.Add(easeStep)
	}
	if e.of(1000) != easeFloor || e.of(2) != 2 {
		t.Errorf("%d of 1000 and %d of 2, want %d and 2", e.of(1000), e.of(2), easeFloor)
	}
}
