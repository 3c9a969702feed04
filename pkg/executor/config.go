package executor

import (
	"context"
	"fmt"
	"time"
)

// Defaults of the numbers that a Config leaves at 0.
const (
	DefaultDialConcurrency = 1000
	DefaultMaxHosts        = 10_000
	DefaultMaxParked       = 200_000
	DefaultMaxBacklog      = 10_000
)

const (
	// neutralPause is the shortest pause after a neutral outcome; it doubles with each one of an item, six times at most.
	neutralPause = time.Second
	// maxNeutral bounds the neutral outcomes of one item, so that a fault of ours that never ends does not keep the scan.
	maxNeutral = 10
	// maxGiven bounds how often a trip gives an item its attempt back: an item that itself makes its host trip would
	// otherwise go round for ever.
	maxGiven = 5
	// paceStep is the pause between two questions to Pace, in which items that have started make themselves felt there.
	paceStep = time.Millisecond
	// minPark keeps a host whose state changes under our eyes from being asked in a loop.
	minPark = 10 * time.Millisecond
	// never is further away than any cooldown: a host that may be tried only then is dead.
	never = 365 * 24 * time.Hour
)

// Config describes a pool for targets of type T. All functions are called from several goroutines at once and without
// any lock of the executor held.
type Config[T any] struct {
	Concurrency     int // items in flight over all hosts; required
	HostConcurrency int // items in flight per host; 0 = Concurrency
	// DialConcurrency is how many hosts that have not answered may have an item under way that has not reached
	// Turn.Dialed. These hold no worker.
	DialConcurrency int
	MaxHosts        int // hosts in work, parked ones aside
	MaxParked       int // parked hosts
	MaxBacklog      int // targets that one host holds
	Checks          int // items per target; required

	// FirstContact is how many host errors in a row make the executor call Trip for a host that has never answered;
	// 0 = never.
	FirstContact int
	NoRevisit    bool // a quarantine is final
	// HostTimeout is the time that a host may hold from the start of its first item, time spent parked included and time
	// under a Pause not; what it has left then, or is read of it later, is skipped. Items in flight go on. A host that had
	// ended, and is read again, has its time anew. 0 = no limit.
	HostTimeout time.Duration
	Linger      time.Duration // how long parked hosts may keep a scan that has nothing else to do; 0 = not at all
	// Doubt is how long the last failure of an item, or the death of a host, may turn out to be the work of an outage,
	// which Recall takes back. It is waited for before either is told, unless any host answers meanwhile. 0 = not at all.
	Doubt time.Duration
	Grace time.Duration // how long items in flight may go on after a cancellation; 0 = as long as they need

	// Left says what there is to do for a target, of which an earlier scan may have done a part: the checks from on, and
	// those in again, which are below it. nil = all checks. A target with nothing left is passed over.
	Left func(target T) (from int, again []int)
	// Host names the host of a target. Required.
	Host func(target T) string
	// Run runs an item and says how it ended. A panic is caught and becomes a CheckError with a *PanicError. Required.
	Run func(ctx context.Context, item Item[T], turn *Turn) Outcome[T]
	// Failed takes each item that failed, once it is certain.
	Failed func(Failure[T])
	// Skipped takes what was left out.
	Skipped func(Skipped[T])
	// Unsent tells how many of the repeats that runs asked for within the attempts (Outcome.At) will not be made: the items are
	// skipped, or their host was parked, after which it is called back and nothing is a repeat.
	Unsent func(repeats int)

	// Quarantined asks the breaker before each item. nil = no breaker: then no failure is held back either.
	Quarantined func(host string) bool
	// NextAdmit says when a host may next be called, for whatever reason it may not be now; more than a year ahead
	// means never. nil = always now.
	NextAdmit func(host string, now time.Time) time.Time
	// Trip opens the breaker of a host that did not answer its first contact.
	Trip func(host string, err error)
	// LastCall says that the host's next failed probe would be its last. Then Probe runs in place of an item.
	LastCall func(host string) bool
	// Probe asks a target's host for a sign of life, with an Item whose Check is -1.
	Probe func(ctx context.Context, item Item[T], turn *Turn) Outcome[T]
	// Pace says when the next item of any host may start and, where that is now, how many may start before it is asked
	// again. nil = no limit.
	Pace func(now time.Time) (at time.Time, room int)

	// Stopping tells that the scan stops early, for whatever reason, so that a source that waits can be made to return.
	Stopping func()
	// Ended tells that a host has nothing left, so that what is kept for it can go.
	Ended func(host string)
	// Waiting tells that only parked hosts are left, and until when the scan waits for them.
	Waiting func(hosts int, until time.Time)
}

// ConfigError names the field that New refuses.
type ConfigError struct {
	Field string
	Want  string
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("executor: %s: expected %s", e.Field, e.Want)
}

func (c Config[T]) withDefaults() (Config[T], error) {
	for _, n := range []struct {
		name string
		v    *int
		def  int
	}{
		{"Concurrency", &c.Concurrency, 0},
		{"Checks", &c.Checks, 0},
		{"HostConcurrency", &c.HostConcurrency, c.Concurrency},
		{"DialConcurrency", &c.DialConcurrency, DefaultDialConcurrency},
		{"MaxHosts", &c.MaxHosts, DefaultMaxHosts},
		{"MaxParked", &c.MaxParked, DefaultMaxParked},
		{"MaxBacklog", &c.MaxBacklog, DefaultMaxBacklog},
	} {
		if *n.v == 0 {
			*n.v = n.def
		}
		if *n.v <= 0 {
			return c, &ConfigError{Field: n.name, Want: "a number above 0"}
		}
	}
	switch {
	case c.FirstContact < 0:
		return c, &ConfigError{Field: "FirstContact", Want: "0 or more"}
	case c.HostTimeout < 0:
		return c, &ConfigError{Field: "HostTimeout", Want: "0 or more"}
	case c.Doubt < 0:
		return c, &ConfigError{Field: "Doubt", Want: "0 or more"}
	case c.Linger < 0:
		return c, &ConfigError{Field: "Linger", Want: "0 or more"}
	case c.Host == nil:
		return c, &ConfigError{Field: "Host", Want: "a function"}
	case c.Run == nil:
		return c, &ConfigError{Field: "Run", Want: "a function"}
	case (c.LastCall == nil) != (c.Probe == nil):
		return c, &ConfigError{Field: "LastCall and Probe", Want: "both or neither"}
	}
	c.HostConcurrency = min(c.HostConcurrency, c.Concurrency)
	return c, nil
}
