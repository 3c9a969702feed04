// Package executor is redial's worker pool: it shares a bounded number of workers among hosts, stops sending to a host
// that is quarantined, calls it again when its time comes, and accounts for every item.
//
// An item is one check against one target; items belong to hosts. The package knows nothing of HTTP: what an item does,
// which host it belongs to and whether that host may be called are functions of the [Config].
//
// # The usual path
//
//	e, err := executor.New(executor.Config[string]{
//		Concurrency: 150, HostConcurrency: 10, Checks: len(paths),
//		Host: key, Run: send, Quarantined: breaker.Quarantined, NextAdmit: breaker.NextAdmit, Trip: breaker.Trip,
//	})
//	tally, err := e.Run(ctx, source)
//
// # Where a host stands
//
//	           input
//	             |
//	             v           answered
//	 .------> [fresh] ----------------------> [living] <--.
//	 |    one item at a time,             round robin,    | an item ended,
//	 |    on a dial slot                  on a worker     | a wait is over
//	 |           |                            |           |
//	 |           | quarantined                +-----> [paused], [full]
//	 |           v                            |
//	 '------ [parked] <-----------------------'---------> [ended]
//	NextAdmit    |     quarantined                nothing left to send
//	has come     '---> skipped: dead, not revisited, no room, the scan ends
//
// Fresh and living hosts are queues, so hosts take turns. A turn is one item; of a host that answers within milliseconds it is a
// row of up to 32 by one worker, as far as 100 ms go. Paused and parked hosts sit in one heap by the time at which they may go on.
// A host whose window is full stands nowhere: the end of one of its items puts it back.
//
// Whoever can tell that many hosts fail because of an outage on this side may [Executor.Pause] the scan, have what failed
// taken back with [Executor.Recall], and [Executor.Resume]. For that a failure that ends the work of a host is not told
// until it is certain, see Config.Doubt.
//
// # What it promises
//
//   - No worker waits: an item that must wait, before its start or in the middle of its run ([Turn.Wait]), holds none.
//   - An item of a quarantined host costs neither a worker nor a request, and is not forgotten.
//   - A host that has not answered sends one item at a time and holds a dial slot, not a worker, until [Turn.Dialed].
//   - An item out of attempts is reported as failed only when it is known that the host was not at fault.
//   - Done, failed and skipped add up to the items that the input made, also after a cancellation or a panic.
package executor
