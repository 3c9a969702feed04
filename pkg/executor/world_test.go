package executor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errDown = errors.New("down")

// world is a small network for the tests: hosts that answer, fail or hang as a function says, and a breaker that opens
// after max errors in a row, for a cooldown that does not grow. A target is "host" or "host/name".
type world struct {
	max      int
	cooldown time.Duration
	maxTrips int
	respond  func(w *world, item Item[string]) Outcome[string] // nil: every item is done

	mu        sync.Mutex
	breakers  map[string]*breaker
	runs      []string // "host#check" in the order of their start
	failed    []string
	skipped   []Skipped[string]
	ended     []string
	inflight  map[string]int
	maxIn     map[string]int
	all, most int
}

type breaker struct {
	errs, trips int
	until       time.Time
	open, dead  bool
	probing     bool
}

func newWorld() *world {
	return &world{
		max: 3, cooldown: 10 * time.Second, maxTrips: 5,
		breakers: map[string]*breaker{}, inflight: map[string]int{}, maxIn: map[string]int{},
	}
}

func hostOf(target string) string {
	host, _, _ := strings.Cut(target, "/")
	return host
}

func (w *world) breaker(host string) *breaker {
	b := w.breakers[host]
	if b == nil {
		b = &breaker{}
		w.breakers[host] = b
	}
	return b
}

func (w *world) quarantined(host string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.breaker(host)
	return b.dead || b.open && (b.probing || time.Now().Before(b.until))
}

func (w *world) nextAdmit(host string, now time.Time) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch b := w.breaker(host); {
	case b.dead:
		return now.Add(100 * 365 * 24 * time.Hour)
	case b.open:
		return b.until
	}
	return now
}

func (w *world) trip(host string, _ error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.breaker(host)
	b.open, b.until = true, time.Now().Add(w.cooldown)
}

// admit and outcome are what a requester does around a send.
func (w *world) admit(host string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.breaker(host)
	if b.dead || b.open && (b.probing || time.Now().Before(b.until)) {
		return false
	}
	if b.probing = b.open; b.probing {
		b.until = time.Now().Add(30 * time.Second) // until a probe is taken to be lost
	}
	return true
}

func (w *world) outcome(host string, out Outcome[string]) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.breaker(host)
	probe := b.probing
	b.probing = false
	switch {
	case out.answered():
		if !b.open || probe {
			*b = breaker{}
		}
	case out.Kind == HostError && probe:
		b.trips++
		b.until = time.Now().Add(w.cooldown)
		b.dead = b.trips >= w.maxTrips
	case probe:
		b.until = time.Now()
	case out.Kind == HostError && !b.open:
		if b.errs++; b.errs >= w.max {
			b.open, b.until = true, time.Now().Add(w.cooldown)
		}
	}
}

// undo closes all hosts.
func (w *world) undo() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.breakers)
}

func (w *world) lastCall(host string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.breaker(host)
	return b.open && b.trips+1 >= w.maxTrips
}

func (w *world) run(ctx context.Context, item Item[string], turn *Turn) Outcome[string] {
	host := hostOf(item.Target)
	if !w.admit(host) {
		return Outcome[string]{Kind: NotAdmitted, At: w.nextAdmit(host, time.Now())}
	}
	if err := turn.Dialed(ctx); err != nil {
		return Outcome[string]{Kind: Neutral, Err: err}
	}
	w.mu.Lock()
	w.runs = append(w.runs, fmt.Sprintf("%s#%d", item.Target, item.Check))
	w.inflight[host]++
	w.all++
	w.maxIn[host] = max(w.maxIn[host], w.inflight[host])
	w.most = max(w.most, w.all)
	w.mu.Unlock()
	out := Outcome[string]{Kind: CheckError} // what a panic leaves
	defer func() {
		w.mu.Lock()
		w.inflight[host]--
		w.all--
		w.mu.Unlock()
		w.outcome(host, out)
	}()
	if w.respond == nil {
		out = Outcome[string]{}
	} else {
		out = w.respond(w, item)
	}
	return out
}

// config has every function of the world in it; the tests set the numbers.
func (w *world) config() Config[string] {
	return Config[string]{
		Concurrency: 10, HostConcurrency: 4, Checks: 1, Linger: time.Minute, FirstContact: 3,
		Host: hostOf, Run: w.run,
		Quarantined: w.quarantined, NextAdmit: w.nextAdmit, Trip: w.trip, LastCall: w.lastCall, Probe: w.run,
		Failed: func(f Failure[string]) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.failed = append(w.failed, fmt.Sprintf("%s#%d x%d: %v", f.Item.Target, f.Item.Check, f.Item.Sends, f.Err))
		},
		Skipped: func(s Skipped[string]) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.skipped = append(w.skipped, s)
		},
		Ended: func(host string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.ended = append(w.ended, host)
		},
	}
}

// list is a source of fixed targets.
func list(targets ...string) func() (string, error) {
	return func() (string, error) {
		if len(targets) == 0 {
			return "", io.EOF
		}
		next := targets[0]
		targets = targets[1:]
		return next, nil
	}
}

// hosts is a source of n hosts.
func hosts(prefix string, n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("%s%d", prefix, i))
	}
	return all
}

// scan runs a whole scan in a bubble of its own and checks what holds for every scan.
func scan(t *testing.T, cfg Config[string], check func(Tally, error), targets ...string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		e, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		tally, err := e.Run(t.Context(), list(targets...))
		wantSum(t, tally)
		if want := int64(len(targets) * cfg.Checks); tally.Items != want {
			t.Errorf("items = %d, want %d", tally.Items, want)
		}
		check(tally, err)
	})
}

func wantSum(t *testing.T, tally Tally) {
	t.Helper()
	if tally.Done+tally.Failed+tally.Skipped != tally.Items || tally.InFlight != 0 || tally.Working != 0 || tally.Parked != 0 {
		t.Errorf("does not add up: %+v", tally)
	}
}

func hang(d time.Duration) { <-time.After(d) }

func down() Outcome[string] { return Outcome[string]{Kind: HostError, Err: errDown} }
