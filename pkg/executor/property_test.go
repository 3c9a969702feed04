package executor

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// Whatever hosts do, every item ends exactly once, the bounds hold and the scan ends.
func TestEveryItemEndsExactlyOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Int64().Draw(rt, "seed")
		nHosts := rapid.IntRange(1, 12).Draw(rt, "hosts")
		perHost := rapid.IntRange(1, 3).Draw(rt, "targets a host")
		cancelAfter := rapid.SampledFrom([]time.Duration{0, 0, time.Second, 20 * time.Second}).Draw(rt, "cancelled after")
		w := newWorld()
		cfg := w.config()
		cfg.Concurrency = rapid.IntRange(1, 9).Draw(rt, "concurrency")
		cfg.HostConcurrency = rapid.IntRange(1, 5).Draw(rt, "per host")
		cfg.DialConcurrency = rapid.IntRange(1, 6).Draw(rt, "dials")
		cfg.MaxHosts = rapid.IntRange(1, 12).Draw(rt, "hosts in work")
		cfg.MaxParked = rapid.IntRange(1, 12).Draw(rt, "parked")
		cfg.Checks = rapid.IntRange(1, 9).Draw(rt, "checks")
		cfg.FirstContact = rapid.IntRange(0, 4).Draw(rt, "first contact")
		cfg.NoRevisit = rapid.Bool().Draw(rt, "no revisit")
		cfg.Linger = rapid.SampledFrom([]time.Duration{0, 15 * time.Second, time.Hour}).Draw(rt, "linger")
		cfg.MaxBacklog = rapid.SampledFrom([]int{1, 2, 100}).Draw(rt, "targets a host holds")
		w.maxTrips = rapid.IntRange(1, 5).Draw(rt, "trips until dead")
		cfg.Doubt = rapid.SampledFrom([]time.Duration{0, 3 * time.Second}).Draw(rt, "doubt")
		cfg.Grace = rapid.SampledFrom([]time.Duration{0, 2 * time.Second}).Draw(rt, "grace")
		cfg.HostTimeout = rapid.SampledFrom([]time.Duration{0, 0, time.Second, 10 * time.Second}).Draw(rt, "time of a host")
		if rapid.Bool().Draw(rt, "without breaker") {
			cfg.Quarantined = nil
		}
		if rapid.Bool().Draw(rt, "without plain calls") {
			cfg.LastCall, cfg.Probe = nil, nil
		}
		if rapid.Bool().Draw(rt, "paced") {
			cfg.Pace = every(50 * time.Millisecond)
		}
		resumed := rapid.Bool().Draw(rt, "resumed")
		synctest.Test(t, func(*testing.T) {
			c := &chaos{world: w, rng: rand.New(rand.NewSource(seed)), ends: map[string]int{}}
			if resumed {
				cfg.Left = func(target string) (int, []int) { return c.before(target, cfg.Checks) }
			}
			c.scan(rt, cfg, nHosts, perHost, cancelAfter)
		})
	})
}

// every paces a scan evenly.
func every(step time.Duration) func(time.Time) (time.Time, int) {
	var next time.Time
	return func(now time.Time) (time.Time, int) {
		if now.Before(next) {
			return next, 0
		}
		next = now.Add(step)
		return now, 1
	}
}

// chaos is a scan whose hosts do anything. It counts what became of each item.
type chaos struct {
	world *world

	mu   sync.Mutex
	rng  *rand.Rand
	ends map[string]int
	done int // items that had ended before the scan
	owed int // repeats that runs asked for, and that were neither made nor waived
}

// before draws what an earlier scan has left of a target.
func (c *chaos) before(target string, checks int) (from int, again []int) {
	from = c.dice(checks + 1)
	for check := range from {
		if c.dice(3) == 0 {
			again = append(again, check)
			continue
		}
		c.end(target, check)
		c.done++
	}
	return from, again
}

// end notes the end of an item, by the name of its target in the input.
func (c *chaos) end(target string, check int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ends[fmt.Sprintf("%s#%d", strings.Replace(target, "+", "", 1), check)]++
}

// count keeps account of repeats.
func (c *chaos) count(item Item[string], out Outcome[string]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if item.Repeat && out.Kind != NotAdmitted {
		c.owed--
	}
	if !out.At.IsZero() && (out.Kind == HostError || out.Kind == Retry && !out.Free) {
		c.owed++
	}
}

func (c *chaos) dice(sides int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rng.Intn(sides)
}

func (c *chaos) respond(_ *world, item Item[string]) Outcome[string] {
	wait := time.Duration(c.dice(3000)) * time.Millisecond
	hang(wait)
	if item.Check < 0 {
		switch c.dice(4) {
		case 0, 1:
			return down()
		case 2:
			return Outcome[string]{Kind: Neutral, Err: errDown}
		}
		return Outcome[string]{}
	}
	switch dice := c.dice(20); {
	case dice == 0:
		panic("chaos")
	case dice < 7:
		return down()
	case dice < 9 && item.Attempt < 3:
		return Outcome[string]{Kind: HostError, Err: errDown, At: time.Now().Add(wait)}
	case dice == 9:
		return Outcome[string]{Kind: Neutral, Err: errDown}
	case dice == 10 && item.Free < 3:
		return Outcome[string]{Kind: Retry, Free: true, At: time.Now().Add(wait)}
	case dice == 16 && item.Attempt < 3:
		return Outcome[string]{Kind: Retry, At: time.Now().Add(wait)}
	case dice == 11:
		return Outcome[string]{Kind: CheckError, Err: errDown, Answered: true}
	case dice < 14 && !strings.Contains(item.Target, "+"):
		named := strings.Replace(item.Target, "/", "+/", 1)
		return Outcome[string]{Target: &named}
	case dice == 15:
		return Outcome[string]{Kind: Moot}
	case dice == 14 && c.dice(20) == 0:
		return Outcome[string]{Kind: Abandon, Reason: NoRoute, Err: errDown}
	}
	return Outcome[string]{}
}

// run refuses and waits, as flow rules do, before and after the run of the world.
func (c *chaos) run(ctx context.Context, item Item[string], turn *Turn) Outcome[string] {
	if dice := c.dice(40); dice < 8 {
		// in the past, at once, later
		return Outcome[string]{Kind: NotAdmitted, At: time.Now().Add(time.Duration(dice-4) * time.Second)}
	} else if dice == 39 && c.dice(20) == 0 {
		return Outcome[string]{Kind: NotAdmitted, At: time.Now().Add(2 * never), Err: errDown}
	}
	for range c.dice(3) {
		if err := turn.Wait(ctx, time.Now().Add(time.Duration(c.dice(500)-100)*time.Millisecond)); err != nil {
			return Outcome[string]{Kind: Neutral, Err: err}
		}
	}
	out := c.world.run(ctx, item, turn)
	if err := turn.Wait(ctx, time.Now().Add(time.Duration(c.dice(200)-100)*time.Millisecond)); err != nil && out.Kind != Done && out.Kind != Moot {
		return Outcome[string]{Kind: Neutral, Err: err}
	}
	return out
}

func (c *chaos) scan(rt *rapid.T, cfg Config[string], nHosts, perHost int, cancelAfter time.Duration) {
	c.world.respond = c.respond
	cfg.Run = func(ctx context.Context, item Item[string], turn *Turn) Outcome[string] {
		if item.Sends < item.Attempt {
			rt.Errorf("item %+v: fewer sends than attempts", item)
		}
		out := Outcome[string]{Kind: CheckError} // what a panic leaves
		defer func() { c.count(item, out) }()
		out = c.run(ctx, item, turn)
		if out.Kind == Done || out.Kind == Moot {
			c.end(item.Target, item.Check)
		}
		return out
	}
	cfg.Unsent = func(repeats int) {
		c.mu.Lock()
		c.owed -= repeats
		c.mu.Unlock()
	}
	cfg.Failed = func(f Failure[string]) { c.end(f.Item.Target, f.Item.Check) }
	cfg.Skipped = func(s Skipped[string]) {
		for check := s.From; check < s.To; check++ {
			c.end(s.Target, check)
		}
		for _, check := range s.Again {
			c.end(s.Target, check)
		}
	}
	var targets []string
	for i := range nHosts * perHost {
		targets = append(targets, fmt.Sprintf("h%d/%d", i%nHosts, i/nHosts))
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if cancelAfter > 0 {
		stop := time.AfterFunc(cancelAfter, cancel)
		defer stop.Stop()
	}
	e, err := New(cfg)
	if err != nil {
		rt.Fatal(err)
	}
	var meddling sync.WaitGroup
	over := make(chan struct{})
	meddling.Go(func() { c.meddle(e, over) })
	tally, _ := e.Run(ctx, list(targets...))
	close(over)
	meddling.Wait()
	c.check(rt, e, tally)
}

// meddle takes a scan through outages and other limits until it is over.
func (c *chaos) meddle(e *Executor[string], over <-chan struct{}) {
	defer e.SetLimits(e.cfg.Concurrency, e.cfg.DialConcurrency)
	for {
		select {
		case <-over:
			return
		case <-time.After(time.Duration(c.dice(8000)) * time.Millisecond):
		}
		switch c.dice(3) {
		case 0:
			e.SetLimits(1+c.dice(9), 1+c.dice(6))
		case 1:
			since := time.Now().Add(-3 * time.Second)
			e.Pause()
			hang(time.Duration(c.dice(5000)) * time.Millisecond)
			if c.dice(2) == 0 {
				c.world.undo()
				e.Recall(since)
			}
			e.Resume()
		}
	}
}

// check holds the end of a scan against what every scan promises.
func (c *chaos) check(rt *rapid.T, e *Executor[string], tally Tally) {
	if tally.Done+tally.Failed+tally.Skipped != tally.Items || tally.InFlight+tally.Working+tally.Parked != 0 {
		rt.Errorf("does not add up: %+v", tally)
	}
	if e.workers != e.cfg.Concurrency || e.dials != e.cfg.DialConcurrency || e.contacts != 0 || e.calling != 0 {
		rt.Errorf("slots left: %d workers, %d dials, %d contacts, %d calls", e.workers, e.dials, e.contacts, e.calling)
	}
	if len(e.hosts)+len(e.timers.list)+len(e.sleepers.list)+e.fresh.n+e.living.n+e.doubted.n+e.proven+len(e.dialed)+len(e.resuming)+len(e.leaving) > 0 {
		rt.Errorf("something is left behind: %+v", tally)
	}
	if int64(len(c.ends)) != tally.Items+int64(c.done) {
		rt.Errorf("%d of %d items ended, %d of them before", len(c.ends), tally.Items, c.done)
	}
	for item, n := range c.ends {
		if n != 1 {
			rt.Errorf("%s ended %d times", item, n)
		}
	}
	if c.owed != 0 {
		rt.Errorf("%d repeats were neither made nor told as unsent", c.owed)
	}
	if lost := tally.Failed + tally.Skipped; tally.Lost > lost || tally.Lost < 0 || tally.Done == 0 && tally.Lost > 0 {
		rt.Errorf("%d items lost: %+v", tally.Lost, tally)
	}
	if c.world.most > e.cfg.Concurrency {
		rt.Errorf("%d items in flight, want %d at most", c.world.most, e.cfg.Concurrency)
	}
	for host, n := range c.world.maxIn {
		if n > e.cfg.HostConcurrency {
			rt.Errorf("%d items of %s in flight, want %d at most", n, host, e.cfg.HostConcurrency)
		}
	}
}
