package requester

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	// OutageWindow is within how long hosts that have answered must fail for the fault to be ours.
	OutageWindow = 3 * time.Second
	// outageHosts of them are enough; where fewer have answered it takes all, and minWitnesses at least.
	outageHosts  = 10
	minWitnesses = 3
	// maxWitnesses is how many hosts that have answered are remembered.
	maxWitnesses = 10_000
)

// origin is where a host that has answered was reached.
type origin struct {
	scheme string
	host   string
	port   uint16
}

// outage tells a fault of ours from faults of hosts. The only evidence are hosts that have answered in this scan: when
// enough of them fail within a short while, and nothing succeeds anywhere, the link is more likely down than all of them.
// A list that is simply dead has no such hosts. It is safe for concurrent use.
type outage struct {
	suspected atomic.Bool // there are suspects
	down      atomic.Bool

	mu        sync.Mutex
	witnesses *simplelru.LRU[string, origin]
	seen      int                  // hosts that have answered
	suspects  map[string]time.Time // when a host failed last, without a success of any host since
	found     Outage               // the one that is on
	declared  chan struct{}        // capacity 1: an outage has begun
}

// Outage is a time in which nothing gets through to any host.
type Outage struct {
	Since time.Time // what failed since then is put down to it
	Hosts int       // that have answered before, and failed
	Err   error     // the last of their failures
}

func newOutage() *outage {
	known, _ := simplelru.NewLRU[string, origin](maxWitnesses, nil) // fails for sizes below 1 only
	return &outage{
		witnesses: known, suspects: map[string]time.Time{},
		declared: make(chan struct{}, 1),
	}
}

// succeeded notes that a host has answered a request that was sent at some moment. An answer to an earlier one does not
// show that the link was well when others failed. known is kept by whoever calls, for the host: after its first answer a host
// costs two loads, unless something is amiss.
func (o *outage) succeeded(key string, from origin, known *atomic.Bool, sent time.Time) {
	if known.Load() && !o.suspected.Load() && !o.down.Load() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	known.Store(true)
	if _, again := o.witnesses.Get(key); !again {
		o.witnesses.Add(key, from)
		o.seen++
	}
	if o.down.Load() { // what was on its way when the link went down may still come in
		return
	}
	for other, last := range o.suspects {
		if !sent.Before(last) {
			delete(o.suspects, other)
		}
	}
	o.suspected.Store(len(o.suspects) > 0)
}

// failed notes that a host did not answer, and says whether the fault is ours. An outage that this failure completes
// has begun.
func (o *outage) failed(key string, now time.Time, err error) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.down.Load() {
		return true
	}
	if !o.witnesses.Contains(key) {
		return false
	}
	for other, last := range o.suspects {
		if now.Sub(last) >= OutageWindow {
			delete(o.suspects, other)
		}
	}
	o.suspects[key] = now
	o.suspected.Store(true)
	if o.seen < minWitnesses || len(o.suspects) < min(o.seen, outageHosts) {
		return false
	}
	o.found = Outage{Since: now.Add(-OutageWindow), Hosts: len(o.suspects), Err: err}
	o.down.Store(true)
	o.declared <- struct{}{}
	return true
}

// witness says whether the host has answered in this scan.
func (o *outage) witness(key string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.witnesses.Contains(key)
}

// parties gives the outage that is on, the hosts whose failures it was told by, and others that have answered, those that
// did so last first.
func (o *outage) parties(most int) (found Outage, failing, others map[string]origin) {
	o.mu.Lock()
	defer o.mu.Unlock()
	failing, others = map[string]origin{}, map[string]origin{}
	keys := o.witnesses.Keys() // the oldest first
	for i := len(keys) - 1; i >= 0; i-- {
		at, _ := o.witnesses.Peek(keys[i])
		if _, suspect := o.suspects[keys[i]]; suspect {
			failing[keys[i]] = at
		} else if len(others) < most {
			others[keys[i]] = at
		}
	}
	return o.found, failing, others
}

// end says that the outage is over. Where the hosts were at fault after all, they are no evidence until they answer
// again, and are returned.
func (o *outage) end(ours bool) (doubtful []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !ours {
		for key := range o.suspects {
			if o.witnesses.Remove(key) {
				o.seen--
				doubtful = append(doubtful, key)
			}
		}
	}
	clear(o.suspects)
	o.suspected.Store(false)
	o.down.Store(false)
	return doubtful
}
