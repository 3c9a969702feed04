// Package requester is the one place from which redial sends.
//
// A [Client] is made once per scan and shared by all workers. Its usual path is
//
//	client, err := requester.New(requester.Config{Breaker: breaker, Timeout: 15 * time.Second})
//	resp, err := client.Do(ctx, &requester.Request{Scheme: "https", Host: "example.com", Port: 443, Target: "/"}, nil)
//
// Do makes exactly one attempt, and the attempt walks through the same doors in the same order every time:
//
//	flow rules ──> failure window ──> breaker ticket ──> dial, TLS, bytes ──> exactly one outcome
//	    │                 │                  │                                    │
//	    └── slot back ────┴──────────────────┴── NotAdmittedError{Key, Until}     └── success, host error or neither
//
// The ticket comes last, immediately before the first packet, because a host may trip while its requests queue.
// Whatever happens after that, a panic or a cancellation included, the ticket gets one outcome. Success is booked
// when the response head is there; what becomes of the body afterwards says nothing about the host.
//
// Repeating is not done here: the scan owns the retry loop, and a library that repeats behind its back would multiply
// load and spoil the count of attempts. The single exception is a kept-alive connection that the server had closed in
// the meantime: no byte of a response came, so the request goes out once more on a fresh connection, with a flow slot
// of its own, where RFC 9110 section 9.2.2 allows it.
//
// Errors are meant for [hosterrors.Judge]: each is typed by phase and cause, small enough to be kept for a million
// dead hosts, and the caller's own deadline or cancellation is never mistaken for the host's silence.
package requester
