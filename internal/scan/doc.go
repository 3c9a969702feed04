// Package scan assembles a scan from its parts and runs it: targets from a reader, items through the executor, each item
// one check sent by the requester, every outcome judged, every end reported.
//
//	reader ──> executor ──> item ──> check ──> requester ──> network
//	               ^          │                    │
//	               │          └── settle the scheme, judge, retry or not
//	               └── Quarantined? NextAdmit? ── breaker
//
//	results, skips, transitions ──> report.Run ──> handlers
//
// Checks that make the same request of a target share its answer: the first run sends, the others wait off their workers and take what
// it got. A failure is not shared.
//
// The usual path is New with Options, then Run once. The rooms that do the work know nothing of each other; what one says
// is put into the words of the next here, and only here.
package scan
