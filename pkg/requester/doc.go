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
// # Pace
//
// What a host owns is one record, its gate: failure window, throttle, flow rule and connections. A send looks it up once, and
// [Client.NextAdmit] is the one question that others ask it. A host without state has no gate.
//
// A 429 is an answer, not a failure, and so is a 503 of a host that answers otherwise or says when to come back. It holds
// the whole host until then, or halves its rate, at most once a second and not below one a second; the rate climbs back
// in steps to what the host was seen to take, and tries more only after a quiet time. Config.Observe hears of each decision.
//
// # Connections
//
// HTTP/1.1 runs over connections of our own: a timer and a type of error for each phase, fresh or kept-alive known, exact bytes
// and header order, no goroutine per idle connection. It costs nothing: 200 loopback hosts x 500 paths by 150 workers
// on 2 cores make 46,800 requests a second with it, 46,600 with a bare fasthttp client (medians of 5, interleaved, 22 us of
// CPU each) and half to two thirds of that with net/http's Transport, which takes twice the CPU and makes 48 allocations where
// this makes 4. HTTP/2 is net/http's, on connections dialled here. A response head is parsed here because fasthttp's parser
// loses the order and the case of fields.
//
// # Names
//
// All that ask for a name at the same time share one look-up, which none of them can cancel for the others. With servers of
// our own (Config.Resolvers) an answer holds for its TTL, between 10 seconds and an hour, and that a name does not exist for
// as long as its zone says, 5 minutes at most; the system's resolver tells neither, so its answers hold for a minute. What
// a resolver that fails says is not kept, and no host is blamed for it.
//
// # Proxies
//
// Names are resolved at the proxy's far end. What it says of a host, by CONNECT status 502 to 504 or SOCKS reply 3 to 6, is that
// host's error; all else that goes wrong is the proxy's own, and after a few such failures in a row the error is a
// [ProxyDownError]. An HTTP proxy is silent while it dials, so before a host is blamed for a silence in which the proxy said
// nothing to anybody, the proxy is asked for its own options.
//
// # Other than HTTP
//
// A [Handshake] is a request without a request: a connection, TLS, and what was agreed on, through the same doors. So is a [Talk], in which
// both sides say what they like; a host that says nothing there has not failed, and has shown no sign of life either. A [Query] goes
// to DNS servers, by the pace of the scan alone, and says nothing of any host.
//
// # Errors
//
// Errors are meant for [hosterrors.Judge]: each is typed by phase and cause, small enough to be kept for a million
// dead hosts, and the caller's own deadline or cancellation is never mistaken for the host's silence.
package requester
