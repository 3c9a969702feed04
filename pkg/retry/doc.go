// Package retry answers four questions about an attempt that failed: may it be
// made again, how often, after how long, and until when.
//
// Each question has a rule of its own and none of them sleeps:
//
//	kind      MayRepeat, Failure   a permanent failure stops at once
//	budget    Policy.Attempts      counts the first call: 3 is 3 calls and 2 waits
//	waits     Waits, Plan          double from Base, plus jitter, never above Max
//	deadline  Policy.Deadline      exclusive: an attempt at or after it is not made
//
// A fifth one looks at the whole scan: [Budget] keeps retries a small share of
// everything sent, so that a network in trouble is not met with more load.
//
// The usual path is [Policy.Next] after each failure. It takes the moment and
// returns a [Decision]; the caller puts the work back with the time from which
// it may go, and asks [Policy.Start] when that time has come:
//
//	          Start            fails            Next
//	item ──> allowed? ──> attempt ──> kind ──> budget ──> wait ──> deadline ──> scan budget
//	            ^                                                                   │
//	            └──────────────── back in the backlog until Decision.At ────────────┘
//
// Who has one call and no backlog uses [Loop], which waits by itself.
//
// The package promises that no wait is negative, endless or above its bound,
// whatever the counts, the jitter or a server's Retry-After say.
package retry
