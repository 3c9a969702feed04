package scan

import (
	"errors"
	"net"
	"sync/atomic"
	"time"

	"github.com/redialscan/redial/pkg/executor"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

// ProxyFailed is why items are skipped when the proxy itself is down.
const ProxyFailed executor.Reason = "proxy-failed"

// faultEvery is how often a fault on our side is spoken of, while it lasts: it meets every item.
const faultEvery = 30 * time.Second

// faults remembers when which fault on our side was last spoken of. The zero value has spoken of none. It is safe for
// concurrent use.
type faults struct {
	resolver, proxy atomic.Int64 // Unix nanoseconds
}

// due says that a fault is to be spoken of now.
func due(last *atomic.Int64, now time.Time) bool {
	before := last.Load()
	return now.Sub(time.Unix(0, before)) >= faultEvery && last.CompareAndSwap(before, now.UnixNano())
}

// fault sees to what keeps items from being sent though no host is at fault: people are told, and a proxy that is down for
// good ends the scan, since nothing would come of the rest.
func (s *Scan) fault(err error) {
	now := time.Now()
	if down, ok := errors.AsType[*requester.ProxyDownError](err); ok {
		s.exec.Stop(ProxyFailed, down)
		return
	}
	_, proxy := errors.AsType[*hosterrors.ProxyError](err)
	_, name := errors.AsType[*net.DNSError](err)
	switch {
	case proxy && due(&s.faults.proxy, now):
		s.opt.Log.info("the proxy fails, which is no fault of any host; what it was asked for is tried again: %s", oneLine(err))
	case !proxy && name && due(&s.faults.resolver, now):
		s.opt.Log.info("a name could not be looked up, which is no fault of its host; it is tried again: %s", oneLine(err))
	}
}
