package failurewindow

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"
)

// leaversPerRecord bounds what one Record clears away. It is more than one, so
// what has left the window is gone before long, and never stands in the way: it
// does not count, and while there is any the store has room.
const leaversPerRecord = 16

// Config holds the rule. Limit and Length have no default: a missing one is an
// error and does not mean unlimited.
type Config struct {
	Limit  int           // failures inside the window that refuse a key, 1 to MaxStoredFailures
	Length time.Duration // of the window, above 0
	// Now is the clock, read inside the window's lock, so it must not call the
	// window. Nil is time.Now.
	Now func() time.Time
}

// Window counts failures per key. It is safe for concurrent use. Use New; the
// zero value is not ready.
//
// A failure is inside the window while less than Length has passed since, and
// out at exactly Length. Time never runs back here: a clock that steps back is
// taken to stand still at the newest failure until it has caught up. So it lets
// nothing in before its time, and no single wait is told longer than Length.
type Window struct {
	length time.Duration
	now    func() time.Time
	origin time.Time

	mu       sync.RWMutex
	failures store
	latest   time.Duration // since origin, of the newest failure
}

// New returns an empty window, or an error that names the bad field.
func New(cfg Config) (*Window, error) {
	return newWindow(cfg, MaxStoredFailures)
}

func newWindow(cfg Config, room int) (*Window, error) {
	if cfg.Limit < 1 || cfg.Limit > MaxStoredFailures {
		return nil, fmt.Errorf("failure window: limit is %d, want 1 to %d", cfg.Limit, MaxStoredFailures)
	}
	if cfg.Length <= 0 {
		return nil, fmt.Errorf("failure window: length is %v, want more than 0", cfg.Length)
	}
	now := cfg.Now
	if now == nil {
		now = time.Now
	}
	return &Window{
		length:   cfg.Length,
		now:      now,
		origin:   now(),
		failures: newStore(cfg.Limit, room),
	}, nil
}

// Admit reports whether the key is below its limit. If not, wait is the time
// until its count is one below the limit, above 0 and at most Length; Admit
// called then is true unless more failures were recorded. It changes nothing.
func (w *Window) Admit(key string) (wait time.Duration, ok bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	oldest, full := w.failures.oldestAtLimit(key)
	if !full {
		return 0, true
	}
	wait = w.leftLocked(oldest, w.now())
	return wait, wait == 0
}

// NextAdmit returns when Admit would let the key in, as seen at now: now itself
// means at once. It changes nothing and does not read the clock.
func (w *Window) NextAdmit(key string, now time.Time) time.Time {
	w.mu.RLock()
	defer w.mu.RUnlock()
	oldest, full := w.failures.oldestAtLimit(key)
	if !full {
		return now
	}
	return now.Add(w.leftLocked(oldest, now))
}

// Record counts a failure of the key, now. The key is copied.
func (w *Window) Record(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.latest = w.sinceOriginLocked(w.now())
	for range leaversPerRecord {
		at, found := w.failures.oldestOfAll()
		if !found || w.latest-at < w.length {
			break
		}
		w.failures.forgetOldest()
	}
	w.failures.add(key, w.latest)
}

// Undo takes back every failure from since on, of all keys: it was not theirs. What a key at its limit had dropped for
// one of them does not come back. It walks through all failures.
func (w *Window) Undo(since time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failures.undo(since.Sub(w.origin))
}

// Length is that of the window.
func (w *Window) Length() time.Duration { return w.length }

// Failure is one failure of a key, as it is told to another window.
type Failure struct {
	Key string
	Age time.Duration // since it happened
}

// Failures gives all failures that are inside the window, the oldest first.
func (w *Window) Failures() []Failure {
	w.mu.RLock()
	defer w.mu.RUnlock()
	now := w.sinceOriginLocked(w.now())
	var all []Failure
	for key, at := range w.failures.all() {
		if age := now - at; age < w.length {
			all = append(all, Failure{key, age})
		}
	}
	slices.SortStableFunc(all, func(a, b Failure) int { return cmp.Compare(b.Age, a.Age) })
	return all
}

// Recall counts failures that another window has told of. It is for a window that has counted nothing yet.
func (w *Window) Recall(all []Failure) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Failure) int { return cmp.Compare(b.Age, a.Age) })
	now := w.sinceOriginLocked(w.now())
	for _, f := range all {
		if age := max(0, f.Age); age < w.length {
			w.failures.add(f.Key, now-age)
		}
	}
}

// leftLocked returns for how long a failure stays in the window, 0 when it is out.
func (w *Window) leftLocked(at time.Duration, now time.Time) time.Duration {
	return max(0, w.length-(w.sinceOriginLocked(now)-at))
}

// sinceOriginLocked never returns less than the newest failure, which keeps
// failures in the order of their times.
func (w *Window) sinceOriginLocked(now time.Time) time.Duration {
	return max(w.latest, now.Sub(w.origin))
}
