// Package lab serves loopback hosts with chosen faults, for tests, benchmarks
// and the commands that show redial at work.
//
// A lab is a set of hosts, each on an address of its own out of 127.0.0.0/8 and
// all on one port, so that a scanner sees separate machines:
//
//	127.9.4.1:40123  healthy       ── answers
//	127.9.4.2:40123  refusing      ── nothing listens
//	127.9.4.3:40123  silent        ── accepts, never answers
//	127.9.4.4:40123  black-hole    ── SYNs are swallowed, a connect times out
//	127.9.4.5:40123  flaky         ── down ┐_____┌ up, by a schedule or by hand
//
// The usual path: [Start] with the counts of each [Kind], hand the addresses of
// [Lab.Hosts] (or [Lab.WriteList]) to whatever is to be tried, ask [Lab.Stats]
// what arrived, and [Lab.Close]. Start returns when everything listens; Close
// returns when every goroutine of the lab has ended.
//
// The promise: a request is counted before its answer leaves, so a client that
// has its answer finds it in the counts; no count is sampled or estimated.
// Nothing of a lab is reachable from, or sends to, anything but loopback.
//
// Where a system binds 127.0.0.1 only (macOS), a lab falls back to that one
// address and a port for each host. A black hole needs Linux; elsewhere Start
// refuses it with an error that wraps [errors.ErrUnsupported].
//
// The server is lean on purpose: it must not be what limits a benchmark. It
// speaks HTTP/1.1 only, from prebuilt bytes, with one write for each answer.
package lab
