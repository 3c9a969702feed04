package executor

import (
	"context"
	"fmt"
	"math/rand"
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
		if rapid.Bool().Draw(rt, "without breaker") {
			cfg.Quarantined = nil
		}
		synctest.Test(t, func(*testing.T) {
			chaos(rt, w, cfg, seed, nHosts, perHost, cancelAfter)
		})
	})
}

// chaos runs a scan whose hosts do anything, and counts what became of each item.
func chaos(rt *rapid.T, w *world, cfg Config[string], seed int64, nHosts, perHost int, cancelAfter time.Duration) {
	rng := rand.New(rand.NewSource(seed))
	var mu sync.Mutex
	ends := make(map[string]int)
	end := func(target string, check int) {
		mu.Lock()
		defer mu.Unlock()
		ends[fmt.Sprintf("%s#%d", target, check)]++
	}
	w.respond = func(_ *world, item Item[string]) Outcome[string] {
		mu.Lock()
		wait := time.Duration(rng.Intn(3000)) * time.Millisecond
		dice := rng.Intn(20)
		mu.Unlock()
		hang(wait)
		if item.Check < 0 {
			if dice < 10 {
				return down()
			}
			return Outcome[string]{}
		}
		switch {
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
		case dice == 11:
			return Outcome[string]{Kind: CheckError, Err: errDown, Answered: true}
		}
		return Outcome[string]{}
	}
	run := cfg.Run
	cfg.Run = func(ctx context.Context, item Item[string], turn *Turn) Outcome[string] {
		if item.Attempt+item.Free > 1 && item.Sends < item.Attempt {
			rt.Errorf("item %+v: fewer sends than attempts", item)
		}
		out := run(ctx, item, turn)
		if out.Kind == Done {
			end(item.Target, item.Check)
		}
		return out
	}
	cfg.Failed = func(f Failure[string]) { end(f.Item.Target, f.Item.Check) }
	cfg.Skipped = func(s Skipped[string]) {
		for check := s.From; check < s.To; check++ {
			end(s.Target, check)
		}
		for _, check := range s.Again {
			end(s.Target, check)
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
	tally, _ := e.Run(ctx, list(targets...))
	if tally.Done+tally.Failed+tally.Skipped != tally.Items || tally.InFlight+tally.Working+tally.Parked != 0 {
		rt.Errorf("does not add up: %+v", tally)
	}
	if e.workers != cfg.Concurrency || e.dials != cfg.DialConcurrency || e.contacts != 0 || e.calling != 0 {
		rt.Errorf("slots left: %d of %d workers, %d of %d dials, %d contacts, %d calls", e.workers, cfg.Concurrency,
			e.dials, cfg.DialConcurrency, e.contacts, e.calling)
	}
	if int64(len(ends)) != tally.Items {
		rt.Errorf("%d of %d items ended", len(ends), tally.Items)
	}
	for item, n := range ends {
		if n != 1 {
			rt.Errorf("%s ended %d times", item, n)
		}
	}
	if w.most > cfg.Concurrency {
		rt.Errorf("%d items in flight, want %d at most", w.most, cfg.Concurrency)
	}
	for host, n := range w.maxIn {
		if n > cfg.HostConcurrency {
			rt.Errorf("%d items of %s in flight, want %d at most", n, host, cfg.HostConcurrency)
		}
	}
}
