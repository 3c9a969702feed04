// Package failurewindow counts failures per key in a sliding window of time,
// and refuses a key that has gathered too many. It catches what a count of
// consecutive failures cannot: the host that answers one request in five.
//
// The usual path is two calls around each piece of work: [Window.Admit] before
// it, [Window.Record] when it failed. Work is judged on entry, by the failures
// gathered so far, and counted by its outcome; Admit itself counts nothing.
//
//	limit 3                    now
//	   ──x──┬──x────x──────x────┤        x  failure
//	  left  │  1    2      3    │        3 in the window: refused, until
//	        └────── length ─────┘        failure 1 is one length old
//
// Requests admitted together below the limit can overshoot it, by no more than
// the number in flight. The wait that a refused key is told counts them in.
//
// The package promises that memory is bounded, by MaxStoredFailures for all keys
// together, and that a key at its limit is never forgotten before its time,
// however many other keys fail. What gives way is precision: when there is no
// room, a key below its limit is forgotten, or the new failure is not counted,
// so that a host may be refused late but never without cause.
package failurewindow
