package requester

import (
	"sync"
	"time"
)

// How long answers hold. A server that asks for no caching at all would be asked for each connection of a scan, and nobody
// expects a scan to notice within seconds that a name has moved, hence the least life.
const (
	leastLife    = 10 * time.Second
	mostLife     = time.Hour
	mostNotFound = 5 * time.Minute
	systemLife   = time.Minute
)

// maxNames bounds the cache, at 200 bytes or so each.
const maxNames = 1 << 16

// nameCache is a cache of answers by name. The zero value is an empty one. It is safe for concurrent use.
type nameCache struct {
	mu sync.Mutex
	m  map[string]kept
}

type kept struct {
	answer
	until time.Time
}

func (n *nameCache) get(host string, now time.Time) (answer, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	k, ok := n.m[host]
	return k.answer, ok && now.Before(k.until)
}

// put keeps an answer for its life. When there is no room, a few of those that have run out go, or else whatever the map offers
// first.
func (n *nameCache) put(host string, a answer, now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.m == nil {
		n.m = map[string]kept{}
	}
	if len(n.m) >= maxNames {
		looked := 0
		for name, old := range n.m {
			if looked++; looked == 1 || now.After(old.until) {
				delete(n.m, name)
			}
			if looked == 64 {
				break
			}
		}
	}
	n.m[host] = kept{answer: a, until: now.Add(a.life)}
}
