package requester

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redialscan/redial/pkg/failurewindow"
	"github.com/redialscan/redial/pkg/flow"
)

// gate is what a host owns: failure window, throttle, pace and connections. A gate lives while a send uses it, while it has
// idle connections and while one of its rules remembers anything; a host without state has none, so that millions of hosts
// need no memory.
type gate struct {
	key   string
	pace  *flow.Limiter // nil = no rule
	shard *shard

	answered atomic.Bool // see outage.succeeded

	mu     sync.Mutex
	held   time.Time // at the limit of its failure window until then
	slow   *throttle // nil = it has not asked for less
	served meter     // answers that did not ask for less
	idle   []*conn   // the last one was used last
	h2     *h2conn
	gone   bool // the client is closed: connections are not kept any more
	h1     bool // the host wants HTTP/1.1, though it offers more

	refs int // sends that use it; guarded by the shard's lock
}

// gates is the table of all gates, split so that sends to different hosts do not meet at one lock.
type gates struct {
	rule        flow.Rule
	window      *failurewindow.Window // nil = off
	maxIdle     int64
	idleTimeout time.Duration

	idling atomic.Int64 // idle connections of all gates
	swept  atomic.Int64 // when idle connections were last looked for that nobody needs, in Unix seconds
	seed   maphash.Seed
	shards [64]shard
}

type shard struct {
	mu   sync.Mutex
	m    map[string]*gate
	goal int // number of gates at which the next sweep is due
}

const minSweep = 64

func newGates(cfg *Config) *gates {
	t := &gates{rule: cfg.Host, window: cfg.Window, maxIdle: int64(cfg.MaxIdle), idleTimeout: cfg.IdleTimeout, seed: maphash.MakeSeed()}
	for i := range t.shards {
		t.shards[i] = shard{m: map[string]*gate{}, goal: minSweep}
	}
	return t
}

func (t *gates) shardOf(key []byte) *shard {
	return &t.shards[maphash.Bytes(t.seed, key)%uint64(len(t.shards))]
}

// enter finds the host's gate, or makes it after the check of a host never seen has passed. Pair it with leave.
func (t *gates) enter(key []byte, now time.Time, check func() error) (*gate, error) {
	s := t.shardOf(key)
	s.mu.Lock()
	if g := s.m[string(key)]; g != nil {
		g.refs++
		s.mu.Unlock()
		return g, nil
	}
	s.mu.Unlock()
	if err := check(); err != nil {
		return nil, err
	}
	fresh := &gate{key: string(key), shard: s}
	if t.rule.Rate != 0 {
		pace, err := flow.New(t.rule)
		if err != nil {
			return nil, err
		}
		fresh.pace = pace
	}
	if t.window != nil {
		fresh.held = t.window.NextAdmit(fresh.key, now)
	}
	s.mu.Lock()
	g := s.m[fresh.key]
	if g == nil {
		g = fresh
		s.m[g.key] = g
	}
	g.refs++
	var swept []*conn
	if len(s.m) >= s.goal {
		swept = t.sweepLocked(s, now)
		s.goal = max(minSweep, 2*len(s.m))
	}
	s.mu.Unlock()
	t.shut(swept)
	return g, nil
}

// leave ends a send's use of the gate, and drops the gate when nothing is left in it.
func (t *gates) leave(g *gate, now time.Time) {
	s := g.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	g.refs--
	t.dropLocked(s, g, now)
}

// dropLocked removes a gate that has no state. The caller holds the shard's lock.
func (t *gates) dropLocked(s *shard, g *gate, now time.Time) {
	if g.refs > 0 || s.m[g.key] != g {
		return
	}
	g.mu.Lock()
	empty := g.gone || len(g.idle) == 0 && g.h2 == nil && g.quietLocked(now)
	g.mu.Unlock()
	if empty {
		delete(s.m, g.key)
	}
}

// sweepLocked drops the gates without state, and takes out the connections that have been idle for too long.
func (t *gates) sweepLocked(s *shard, now time.Time) []*conn {
	var old []*conn
	for _, g := range s.m {
		old = append(old, t.expire(g, now)...)
		t.dropLocked(s, g, now)
	}
	return old
}

func (t *gates) expire(g *gate, now time.Time) []*conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := 0
	for n < len(g.idle) && now.Sub(g.idle[n].idleSince) >= t.idleTimeout {
		n++
	}
	if g.h2 != nil && g.h2.cc.Err() != nil {
		g.h2 = nil
	}
	old := append([]*conn(nil), g.idle[:n]...)
	g.idle = g.idle[:copy(g.idle, g.idle[n:])]
	t.idling.Add(-int64(n))
	return old
}

// pop takes the idle connection that was used last, since it is the least likely to have been closed by the host.
func (t *gates) pop(g *gate, secure bool) *conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := len(g.idle) - 1; i >= 0; i-- {
		if c := g.idle[i]; c.secure == secure {
			g.idle = append(g.idle[:i], g.idle[i+1:]...)
			t.idling.Add(-1)
			return c
		}
	}
	return nil
}

// push keeps a connection for the next request to the host, or closes it where there is no room.
func (t *gates) push(g *gate, c *conn, now time.Time) {
	c.end(now)
	g.mu.Lock()
	keep := !g.gone && t.idling.Add(1) <= t.maxIdle
	if keep {
		g.idle = append(g.idle, c)
	} else if !g.gone {
		t.idling.Add(-1)
	}
	g.mu.Unlock()
	if !keep {
		c.shut()
		t.reclaim(now)
	}
}

// reclaim looks through all gates, at most once a second, for connections that have been idle for too long: those of
// hosts that nobody forgets, such as the ends of redirects, would otherwise keep the room for ever.
func (t *gates) reclaim(now time.Time) {
	last := t.swept.Load()
	if now.Unix() <= last || !t.swept.CompareAndSwap(last, now.Unix()) {
		return
	}
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		old := t.sweepLocked(s, now)
		s.mu.Unlock()
		t.shut(old)
	}
}

// find returns the host's gate, nil when it has none. It is for questions only: the gate may go at any moment.
func (t *gates) find(key string) *gate {
	s := t.shardOf([]byte(key))
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m[key]
}

// forget closes the host's idle connections and drops its gate; a gate one of whose rules still remembers something stays
// for the next sweep, lest the host be sent a burst when it comes again in the input.
func (t *gates) forget(key string, now time.Time) {
	if g := t.find(key); g != nil {
		t.empty(g, false)
		g.mu.Lock()
		g.served = meter{}
		g.mu.Unlock()
		g.shard.mu.Lock()
		t.dropLocked(g.shard, g, now)
		g.shard.mu.Unlock()
	}
}

// reconsider asks the failure window again until when each host is held.
func (t *gates) reconsider(now time.Time) {
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		for _, g := range s.m {
			g.mu.Lock()
			if g.held.After(now) {
				g.held = t.window.NextAdmit(g.key, now)
			}
			g.mu.Unlock()
		}
		s.mu.Unlock()
	}
}

// clear closes all idle connections; with gone, for good.
func (t *gates) clear(gone bool) {
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		all := make([]*gate, 0, len(s.m))
		for _, g := range s.m {
			all = append(all, g)
		}
		s.mu.Unlock()
		for _, g := range all {
			t.empty(g, gone)
		}
	}
}

func (t *gates) empty(g *gate, gone bool) {
	g.mu.Lock()
	idle, h2 := g.idle, g.h2
	g.idle, g.h2, g.gone = nil, nil, g.gone || gone
	t.idling.Add(-int64(len(idle)))
	g.mu.Unlock()
	t.shut(idle)
	if h2 != nil {
		h2.retire()
	}
}

func (t *gates) shut(conns []*conn) {
	for _, c := range conns {
		c.shut()
	}
}
