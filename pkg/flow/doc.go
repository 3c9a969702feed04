// Package flow decides how fast requests may leave.
//
// A [Rule] has a rate of T requests per second (fractions such as 0.5 work) and
// one of four behaviours:
//
//	Queue        requests leave at even intervals of 1/T; each is told how long
//	             to wait, and one that would wait too long is refused
//	WarmUp       starts slow, speeds up to T under load, and cools while idle;
//	             a request that comes too early is refused
//	WarmUpQueue  the same pace, but a request that comes too early waits
//	Reject       no more than T in any second; what is above is refused
//
// The usual path: make one [Limiter] for the whole scan and one for each host
// with [New], ask both at once with [TakeBoth], wait for [Grant].Wait, send. A
// grant that is not used after all goes back with [Grant.Cancel].
//
// # Time
//
// Nothing here sleeps, starts a goroutine or reads a clock: the caller passes
// now and does the waiting. Pass what [time.Now] gives: its monotonic reading is
// kept, so setting the wall clock changes nothing. A now that lies before one
// that was seen already is taken as the later of the two, so that no order of
// calls grants anything twice; Wait is still counted from the caller's own now,
// so that now + Wait is always the moment that the rule means.
//
// Slots are moments of a schedule and not of a wake-up. A caller that takes its
// slots a little ahead and waits for them keeps the exact rate in the long run,
// however late its timers fire.
//
// # Warm-up
//
// The two warm-up behaviours are the bucket known from Guava's SmoothWarmingUp.
// The bucket counts stored permits: full is cold, empty is warm. Taking one
// permit costs the area under the curve over the unit that is taken, and that is
// the time to the next request:
//
//	 interval
//	   c |                        /
//	     |                      / |
//	     |                    /   |
//	     |                  /     |        s = 1/T, c = ColdFactor x s
//	   s |----------------/       |
//	     |   area W/2    | area W |        W = WarmUp
//	   0 +---------------+--------+---> stored permits
//	     0           threshold   max
//	   warm                      cold
//
//	threshold = 0.5 W / s
//	max       = threshold + 2 W / (s + c)
//	slope     = (c - s) / (max - threshold)
//	f(x)      = s                            for x <= threshold
//	          = s + slope (x - threshold)    above
//
// A new limiter is cold. Each request takes one permit out, so that under full
// load the interval falls from c to s within W and stays there; with a factor of
// 3 the rate after t seconds is T / sqrt(9 - 8 t / W). While nothing is taken
// permits come back at one in W / max, so that a limiter idle for W is cold again.
//
// # Promise
//
// A decision allocates nothing (a Reject limiter grows its memory of moments up
// to the number that one interval really held, then keeps it). Everything that a
// limiter remembers fades: see [Limiter.Idle].
package flow
