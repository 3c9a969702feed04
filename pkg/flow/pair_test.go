package flow

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestTakeBothNil(t *testing.T) {
	now := time.Now()
	if g := TakeBoth(nil, nil, now); !g.OK || g.Wait != 0 {
		t.Errorf("no rule at all: %v, wait %v", g.OK, g.Wait)
	}
	one := mustNew(t, Rule{Rate: 1, Mode: Reject})
	if g := TakeBoth(one, nil, now); !g.OK {
		t.Error("scan alone: refused")
	}
	if g := TakeBoth(nil, one, now); g.OK || g.Wait != time.Second {
		t.Errorf("the host alone, used up: %v, wait %v", g.OK, g.Wait)
	}
	if g := TakeBoth(one, one, now.Add(time.Second)); !g.OK {
		t.Error("the same limiter twice counts once")
	}
}

// Whichever of the two refuses, the other is as it was.
func TestTakeBothOrNeither(t *testing.T) {
	for _, r := range allModes(2) {
		t.Run(r.Mode.String(), func(t *testing.T) {
			now := time.Now()
			full, free := mustNew(t, r), mustNew(t, r)
			for full.Take(now).OK {
			}
			was := full.Take(now).Wait
			fresh := free.NextAdmit(now)
			for _, g := range []Grant{TakeBoth(full, free, now), TakeBoth(free, full, now)} {
				if g.OK || g.Wait != was {
					t.Errorf("got %v, wait %v; want a refusal for %v", g.OK, g.Wait, was)
				}
				g.Cancel(now)
			}
			if next := free.NextAdmit(now); !next.Equal(fresh) || !free.Idle(now) {
				t.Errorf("the other one lost something: next in %v", next.Sub(now))
			}
			if again := full.Take(now); again.OK || again.Wait != was {
				t.Errorf("the full one changed: %v, wait %v", again.OK, again.Wait)
			}
		})
	}
}

func TestTakeBothCancel(t *testing.T) {
	for _, r := range allModes(2) {
		now := time.Now()
		scan, host := mustNew(t, r), mustNew(t, r)
		g := TakeBoth(scan, host, now)
		if !g.OK || scan.Idle(now) || host.Idle(now) {
			t.Errorf("%v: not taken from both", r.Mode)
		}
		g.Cancel(now)
		if !scan.Idle(now) || !host.Idle(now) {
			t.Errorf("%v: not given back to both", r.Mode)
		}
	}
}

func TestTakeBothWaitsForTheLonger(t *testing.T) {
	now := time.Now()
	scan, host := mustNew(t, Rule{Rate: 1000}), mustNew(t, Rule{Rate: 10})
	TakeBoth(scan, host, now)
	if g := TakeBoth(scan, host, now); g.Wait != 100*time.Millisecond {
		t.Errorf("wait %v, want the host's 100ms", g.Wait)
	}
	for range 200 {
		scan.Take(now)
	}
	if g := TakeBoth(scan, mustNew(t, Rule{Rate: 10}), now); g.Wait != 202*time.Millisecond {
		t.Errorf("wait %v, want the scan's 202ms", g.Wait)
	}
}

// 50 hosts at 10 a second each under 200 a second for all: both hold, and the scan's
// rate is used up (github.com/projectdiscovery/nuclei/issues/3216 and
// github.com/projectdiscovery/katana/issues/1613).
func TestBothRatesHold(t *testing.T) {
	const hosts, perHost, all = 50, 10, 200
	scan, t0 := mustNew(t, Rule{Rate: all, Mode: Reject}), time.Now()
	var limiters [hosts]*Limiter
	var went [hosts][]time.Duration
	var total []time.Duration
	for i := range limiters {
		limiters[i] = mustNew(t, Rule{Rate: perHost, Mode: Reject})
	}
	for at := time.Duration(0); at < 10*time.Second; at += time.Millisecond {
		for i, host := range limiters {
			if TakeBoth(scan, host, t0.Add(at)).OK {
				went[i] = append(went[i], at)
				total = append(total, at)
			}
		}
	}
	within := func(what string, went []time.Duration, many int) {
		for i := many; i < len(went); i++ {
			if went[i]-went[i-many] < time.Second {
				t.Errorf("%s: %d within a second", what, many+1)
			}
		}
	}
	for _, w := range went {
		within("host", w, perHost)
	}
	within("scan", total, all)
	if len(total) != 10*all {
		t.Errorf("%d went in ten seconds, want %d", len(total), 10*all)
	}
}

func TestTakeBothConcurrent(t *testing.T) {
	const hosts, asks, perHost, all = 8, 100, 30, 100
	scan, now := mustNew(t, Rule{Rate: all, Mode: Reject}), time.Now()
	var wg sync.WaitGroup
	var grants [hosts][]Grant
	for i := range hosts {
		host := mustNew(t, Rule{Rate: perHost, Mode: Reject})
		wg.Go(func() {
			for n := range asks {
				g := TakeBoth(scan, host, now)
				if !g.OK {
					continue
				}
				if n%3 == 0 {
					g.Cancel(now)
					continue
				}
				grants[i] = append(grants[i], g)
			}
		})
	}
	wg.Wait()
	held := 0
	for i := range grants {
		if len(grants[i]) > perHost {
			t.Errorf("host %d: %d granted", i, len(grants[i]))
		}
		held += len(grants[i])
	}
	// The scan's room is exactly what the hosts do not hold.
	room := 0
	for scan.Take(now).OK {
		room++
	}
	if held+room != all {
		t.Errorf("%d held and room for %d, want %d together", held, room, all)
	}
}

// Twenty senders share a queue and really wait; one in the middle gives up.
func TestQueueInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, t0 := mustNew(t, Rule{Rate: 64}), time.Now()
		var mu sync.Mutex
		var went []time.Duration
		send := func(g Grant) {
			<-time.After(g.Wait)
			mu.Lock()
			defer mu.Unlock()
			went = append(went, time.Since(t0))
		}
		var wg sync.WaitGroup
		for i := range 20 {
			g := l.Take(time.Now())
			if i != 10 {
				wg.Go(func() { send(g) })
				continue
			}
			wg.Go(func() {
				<-time.After(g.Wait / 2)
				g.Cancel(time.Now())
				send(l.Take(time.Now())) // the slot again
			})
		}
		wg.Wait()
		for i, d := range went {
			if want := time.Duration(i) * time.Second / 64; d != want {
				t.Errorf("request %d left after %v, want %v", i, d, want)
			}
		}
		if len(went) != 20 {
			t.Errorf("%d left, want 20", len(went))
		}
	})
}
