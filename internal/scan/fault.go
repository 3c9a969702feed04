package scan

import (
	"errors"
	"net"
	"sync/atomic"
	"time"
)

// faultEvery is how often a fault on our side is spoken of, while it lasts: it meets every item.
const faultEvery = 30 * time.Second

// faults remembers when which fault on our side was last spoken of. The zero value has spoken of none. It is safe for
// concurrent use.
type faults struct {
	resolver atomic.Int64 // nanoseconds since the epoch
}

// due says that a fault is to be spoken of now.
func due(last *atomic.Int64, now time.Time) bool {
	before := last.Load()
	return now.Sub(time.Unix(0, before)) >= faultEvery && last.CompareAndSwap(before, now.UnixNano())
}

// tellFault speaks of what keeps items from being sent though no host is at fault.
func (s *Scan) tellFault(err error) {
	if dns, ok := errors.AsType[*net.DNSError](err); ok && due(&s.faults.resolver, time.Now()) {
		s.opt.Log.info("a name could not be looked up, which is no fault of its host; it is tried again: %v", dns)
	}
}
