package hosterrors

import (
	"fmt"
	"sync"

	"github.com/hashicorp/golang-lru/arc/v2"
)

// counters bounds the records of hosts that have errors but never tripped. An ARC of keys says which of them
// are worth keeping; it is asked on failures only, because its every call takes a lock. It does not tell what
// it drops, so the records are listed here as well, and when the list has grown to twice the bound the dropped
// ones are swept out of the map. The list holds no tripped host for longer than that, so a sweep never costs
// more than the bound allows, however many hosts are quarantined.
type counters struct {
	hosts *sync.Map
	bound int
	kept  *arc.ARCCache[string, struct{}]

	mu   sync.Mutex
	list []counter
}

// counter is a record with the key that it has in the map.
type counter struct {
	key string
	*record
}

func newCounters(hosts *sync.Map, bound int) (*counters, error) {
	kept, err := arc.NewARC[string, struct{}](bound)
	if err != nil {
		return nil, fmt.Errorf("hosterrors: MaxHostsCount is %d: %w", bound, err)
	}
	return &counters{hosts: hosts, bound: bound, kept: kept}, nil
}

// touch gives the record of a host that has just failed, a new one if need be. The ARC learns of the key
// first: a sweep that runs in between must find it there.
func (cs *counters) touch(key string) *record {
	cs.kept.Add(key, struct{}{})
	v, found := cs.hosts.LoadOrStore(key, new(record))
	r := v.(*record)
	if !found {
		cs.enlist(key, r)
	}
	return r
}

func (cs *counters) enlist(key string, r *record) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.list = append(cs.list, counter{key, r})
	if len(cs.list) >= 2*cs.bound {
		cs.sweepLocked()
	}
}

// sweepLocked takes the records that the ARC has dropped out of the map, and off the list those that have
// tripped or are out of the map already.
func (cs *counters) sweepLocked() {
	live := cs.list[:0]
	for _, entry := range cs.list {
		if cs.keep(entry) {
			live = append(live, entry)
		}
	}
	clear(cs.list[len(live):])
	cs.list = live
}

// keep tells whether a record stays on the list, and forgets it where the ARC has dropped it. Its lock keeps
// it from tripping meanwhile, because a tripped host is never forgotten.
func (cs *counters) keep(entry counter) bool {
	entry.mu.Lock()
	defer entry.mu.Unlock()
	if w := entry.load(); w.gone() || w.gen() != 0 {
		return false
	}
	if cs.kept.Contains(entry.key) {
		return true
	}
	cs.forgetLocked(entry.key, entry.record)
	return false
}

// forgetLocked takes a record out of the map, with the record's lock held, so that nobody can find it there
// and see it gone.
func (cs *counters) forgetLocked(key string, r *record) {
	r.dropLocked()
	cs.hosts.CompareAndDelete(key, r)
}

// untrack is for a host that has tripped: it lives outside the ARC from now on.
func (cs *counters) untrack(key string) { cs.kept.Remove(key) }
