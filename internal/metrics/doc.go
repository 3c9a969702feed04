// Package metrics shows a scan to Prometheus while it runs, and to go tool pprof.
//
// The usual path is New, Observe as the listener of the scan's requests, Listen before the scan starts, and Serve beside it.
// The promise: labels are bounded (class, code, outcome, state), never a host or a URL, so that a scan of a million hosts
// has as many series as one of ten.
package metrics
