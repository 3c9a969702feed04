// Package cluster runs one scan on several machines over NATS JetStream.
//
//	coordinator                                    worker (any number, they come and go)
//	targets ──> batches ──> WORK stream ───────> slot: take a batch ──> Runner (a small scan)
//	                ^            ^                  │
//	   parked until due          └── remainder ─────┤ what quarantined hosts left
//	ledger <── EVENTS stream <─── chunks of all ────┘
//	   └──> handlers (events file first, outputs, progress)
//	permits of the scan-wide rate <── request, reply ──> pace of the worker
//	ledger <── what has ended of it? ──> whoever has a batch that came again
//	hosts that are not well: one entry each, read when a batch begins
//
// The usual path: [Dial] or [Embed], then [NewCoordinator] and [Coordinator.Serve] on one machine, [Join] with a [Runner] on
// the others. It knows nothing of HTTP: what an item is and how it is sent is the Runner's.
//
// A batch holds targets of hosts of one partition, and a partition has one batch out at a time, so that a host is with one
// worker at a time. The worker keeps a [Lease] while it works: it asks for more time and counts only what is confirmed
// while the time before still runs, so that a worker that was stopped, starved or cut off knows that it has lost its
// batch before another can have it. The Runner asks the lease right before bytes leave.
//
// The promise: every item of the input ends exactly once, as a result or as skipped, whatever workers come, go, hang or die.
// An item may be sent twice when a worker dies; the first account of it counts, and the other is dropped. A worker publishes
// the end of a batch, and what is left of it, before it gives the batch back, and the coordinator lets go of what it was told
// only when its handlers have flushed it.
//
// A worker's batches tell their events in chunks, packed (internal/packing); those that are ready at the same time go in one
// message, since each message is synced to a disk and acknowledged by itself.
//
// What others have sent is decoded strictly and bounded in size. What is refused is counted and told, see [Refusals].
package cluster
