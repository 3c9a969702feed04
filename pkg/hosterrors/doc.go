// Package hosterrors is the breaker that keeps a scan away from dead hosts and calls them back.
//
// It counts host errors in a row for each key (a canonical host:port). A host that reaches the limit is
// quarantined; after a cooldown one caller is let through as a probe, and what becomes of that probe decides
// whether the host gets the rest of its requests.
//
//	        MaxHostError host errors in a row, or Trip
//	┌────────┐ ──────────────────────────────────────> ┌──────┐
//	│ Closed │                                         │ Open │ <─────────────┐
//	└────────┘                                         └──────┘               │
//	     ^                                                │ first Admit       │
//	     │                                                │ after the         │ probe fails:
//	     │                                                v cooldown          │ cooldown doubles
//	     │  probe succeeds                           ┌──────────┐             │
//	     └────────────────────────────────────────── │ HalfOpen │ ────────────┤
//	                                                 └──────────┘             │ for the
//	              probe cancelled or lost: the slot is    ^ │                 │ MaxTrips-th
//	              free, the next Admit probes             └─┘                 v time
//	                                                                       ┌──────┐
//	                                                                       │ Dead │
//	                                                                       └──────┘
//
// # Usual path
//
// Immediately before the bytes leave, ask [Cache.Enter]. It answers whether the request may go, and gives a
// [Ticket] that takes exactly one outcome: Success once a response head arrived, Fail with the error, or
// Release when the outcome says nothing about the host. The ticket remembers the host's generation, so an
// outcome that comes after the host has moved on is harmless.
//
// The keyed calls ([Cache.Admit], [Cache.MarkSuccess], [Cache.MarkFailed]) do the same for callers that
// cannot carry a ticket; they cannot tell a late outcome from a fresh one.
//
// [Judge] decides by the type of an error whose fault it is: the host's, nobody's, or no fault at all
// because the host did answer.
//
// When many hosts fail at once the fault is more likely on this side of the wire. Whoever can tell that takes
// it back with [Cache.Undo].
//
// # Promise
//
// A healthy host costs one map look-up, no lock and no allocation. Counters of hosts with a few errors are
// bounded; a quarantined host is never forgotten. Of any number of concurrent callers exactly one is the
// probe, and a probe that is lost frees its place by itself.
package hosterrors
