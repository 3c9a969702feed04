package scan

import (
	"time"

	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/journal"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
	"github.com/redialscan/redial/pkg/retry"
	"github.com/redialscan/redial/pkg/target"
)

// Options are what a scan is made of. Numbers are those of the flags of the same name, checked by whoever reads them;
// New reports what its parts refuse.
type Options struct {
	Targets Targets
	// Index is the number by which events name the target that was read n-th, from 0; nil = n itself. It is called once for each
	// target, in order.
	Index func(n int64) int64
	// StopReading makes a read of Targets that waits return, when the scan ends before its time; nil = they never wait.
	StopReading func()

	Probe      *check.Probe
	Checks     *check.Set        // run in place of the probe; nil = none
	Vars       map[string]string // values for variables of checks
	KeepRaw    bool              // findings tell request and response
	NoShared   bool              // each check sends all its requests itself, also those that others send as well
	Follow     int               // redirects that requests of checks follow at most; 0 = what the check says
	FollowHost bool              // but only on the same host

	Requester requester.Config  // its Breaker, Window and Observe are set by New
	Breaker   hosterrors.Config // MaxHostError 0 = no breaker

	FailureLimit  int           // failures of a host within FailureWindow at which it is held; 0 = off
	FailureWindow time.Duration // above 0 with a FailureLimit

	Retries      int
	RetryWait    time.Duration
	RetryMaxWait time.Duration
	RetryBudget  float64 // percent of the requests sent
	// Budget is that of retries where several scans have one together, in place of RetryBudget; nil = one of its own.
	Budget       *retry.Budget
	ItemDeadline time.Duration

	Concurrency     int
	HostConcurrency int
	DialConcurrency int
	MaxHosts        int
	FirstContact    int // 0 = Breaker.MaxHostError, which it never exceeds
	NoRevisit       bool
	HostTimeout     time.Duration // time that a host may hold; 0 = no limit
	Linger          time.Duration

	// Hosts is what other scans have learnt of hosts that may come in this one, as their Hosts told it.
	Hosts []HostMemory

	// Earlier is a scan of the same items that goes on here; nil = none. Its events are not told again.
	Earlier *journal.Progress

	// Only are the items that are run, of all that the targets and checks make; nil = all. Targets have the numbers of Index.
	Only Left

	Handlers []report.Handler
	Started  report.Started // the first event; Time is set by Run
	// OutputFailed hears at once of an output that fails.
	OutputFailed func(error)
	Log          Log
}

// Targets is where a scan's targets come from. Next is called from one goroutine, and gives io.EOF after the last one.
type Targets interface {
	Next() (target.Target, error)
}

// Left says which of its items, all in number, a target still has: those from on, and those in again, which are below it. It
// is called from one goroutine.
type Left interface {
	Left(target int64, all int) (from int, again []int)
}

// Log takes messages for people, each a sentence without a line end. A nil function drops them. They are called from
// several goroutines at once.
type Log struct {
	Info    func(format string, args ...any) // what a person waits for
	Verbose func(format string, args ...any) // each decision
}

func (l Log) info(format string, args ...any)    { say(l.Info, format, args) }
func (l Log) verbose(format string, args ...any) { say(l.Verbose, format, args) }

func say(f func(string, ...any), format string, args []any) {
	if f != nil {
		f(format, args...)
	}
}
