package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/redialscan/redial/pkg/report"
)

// ErrLeaseLost is in the cause of the end of a [Run] that nobody waits for any more: another worker may have its batch by now,
// what it tells cannot be delivered, or the scan is over.
var ErrLeaseLost = errors.New("the batch is no longer this worker's")

// ErrHandBack is the cause of the end of a [Run] whose worker leaves, or whose scan is stopped: what is left goes back.
var ErrHandBack = errors.New("the batch is handed back")

// Lease says whether a batch is still with this worker. It is safe for concurrent use.
type Lease interface {
	// Valid is to be asked right before bytes leave, with the time of asking as time.Now gives it: what is sent while it is
	// true is sent before another worker can have the host.
	Valid(now time.Time) bool
}

// Run is one batch on one worker.
type Run struct {
	Batch Batch
	Lease Lease
	// Emit takes what happened: *report.Result, which it does not keep, and *report.Skipped, whose Target is [Target.Index], and
	// transitions, throttled, held and paused. Others are dropped. It is safe for concurrent use until Run returns, may wait for the
	// network, and drops everything once the lease is lost.
	//
	// An item skipped as quarantined, held, interrupted or outage is not over: it goes back, unless [Spec].NoRevisit makes
	// a quarantine and a hold final.
	Emit func(report.Event)
}

// Outcome is what a Run leaves behind.
type Outcome struct {
	// Hosts are those that have anything to remember, whatever their state.
	Hosts []Host
	Sent  int64 // requests
}

// Runner runs batches of one scan: each is a small scan that does not linger for parked hosts. When it is an io.Closer it
// is closed after the last Run has ended.
type Runner interface {
	// Run runs a batch, and is called for several at once. When ctx ends it is to skip what is left as interrupted and
	// return soon. The error is what kept it from running; what was emitted counts all the same.
	Run(ctx context.Context, r Run) (Outcome, error)
	// Pace takes the permits of a scan with a rate for the whole scan; nil otherwise.
	Pace() Pace
}

// Pace takes what the coordinator allows a worker of the scan-wide rate. It is safe for concurrent use.
type Pace interface {
	// Add allows n sends, the first at from and the others each every later. One that was not used soon after its moment is
	// void.
	Add(from time.Time, every time.Duration, n int)
	// Wanted is the number of sends that would be made soon and have no permit yet.
	Wanted(now time.Time) int
}
