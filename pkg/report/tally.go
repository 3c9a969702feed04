package report

import (
	"hash/maphash"
	"maps"
	"sync/atomic"
)

// Tally is a [Handler] that counts: what is done, failed and skipped, of the scan and of each
// host that tripped. Make one with [NewTally]. [Tally.Counts] may be called from any
// goroutine; everything else belongs to the handlers' goroutine, or comes after [Run].
//
// Hosts that never trip may number many millions, so their counts are kept for those only
// that were heard of lately (two generations, as many as are in work each). A host
// that stays silent while twice as many others report counts from its trip on.
type Tally struct {
	done, failed, skipped, findings atomic.Int64

	skippedBy map[string]int64
	// Hosts stand under the hash of their key, since a million dead ones are kept: at that number the chance
	// that two share one is less than one in ten million.
	seed       maphash.Seed
	tripped    map[uint64]packed     // kept for good
	young, old map[uint64]HostCounts // not tripped yet
	generation int                   // size at which young becomes old
	throttled  map[uint64]struct{}   // hosts that asked for less
	held       map[uint64]*heldHost
	key        []byte // scratch
}

// Counts are the items of a scan so far.
type Counts struct {
	Done, Failed, Skipped, Findings int64
}

// HostCounts are the items of one host. [Tally] counts each up to 2,097,151.
type HostCounts struct {
	Done, Failed, Skipped uint32
}

// NewTally makes a Tally for a scan with at most maxHosts hosts in work at a time.
func NewTally(maxHosts int) *Tally {
	return &Tally{
		skippedBy:  make(map[string]int64),
		seed:       maphash.MakeSeed(),
		tripped:    make(map[uint64]packed),
		young:      make(map[uint64]HostCounts),
		generation: max(maxHosts, 1024),
		throttled:  make(map[uint64]struct{}),
		held:       make(map[uint64]*heldHost),
	}
}

// Start implements [Handler].
func (t *Tally) Start() error { return nil }

// Finish implements [Handler].
func (t *Tally) Finish() error { return nil }

// Event counts e.
func (t *Tally) Event(e Event) error {
	switch e := e.(type) {
	case *Result:
		one := HostCounts{Done: 1}
		if e.Failed {
			t.failed.Add(1)
			one = HostCounts{Failed: 1}
		} else {
			t.done.Add(1)
		}
		t.count(maphash.Bytes(t.seed, t.resultKey(e)), one)
		t.findings.Add(int64(e.Findings()))
	case *Skipped:
		n := e.Count()
		t.skipped.Add(n)
		t.skippedBy[e.Reason] += n
		t.count(maphash.String(t.seed, e.Host), HostCounts{Skipped: uint32(n)})
	case *Transition:
		t.keep(e.Host)
	case *Throttled:
		t.throttled[maphash.String(t.seed, e.Host)] = struct{}{}
	case *Held:
		t.hold(e)
	}
	return nil
}

// Counts says how far the scan is. It is safe for concurrent use; the four numbers may be
// apart by the events that are counted meanwhile.
func (t *Tally) Counts() Counts {
	return Counts{
		Done: t.done.Load(), Failed: t.failed.Load(),
		Skipped: t.skipped.Load(), Findings: t.findings.Load(),
	}
}

// Host gives the counts of a host that tripped, by the breaker's key.
func (t *Tally) Host(key string) HostCounts {
	return t.tripped[maphash.String(t.seed, key)].counts()
}

// Fill writes the counts into s.
func (t *Tally) Fill(s *Summary) {
	c := t.Counts()
	s.Done, s.Failed, s.Skipped, s.Findings = c.Done, c.Failed, c.Skipped, c.Findings
	s.SkippedBy = maps.Clone(t.skippedBy)
	s.ThrottledHosts = int64(len(t.throttled))
	s.Held, s.HeldHosts = Worst(t.heldRows(s.Time), ShownHosts)
}

// count adds to the counts of a host.
func (t *Tally) count(host uint64, more HostCounts) {
	if c, ok := t.tripped[host]; ok {
		t.tripped[host] = pack(c.counts().plus(more))
		return
	}
	c, ok := t.young[host]
	if !ok {
		if len(t.young) >= t.generation {
			t.old, t.young = t.young, make(map[uint64]HostCounts)
		}
		c = t.old[host]
	}
	t.young[host] = c.plus(more)
}

func (c HostCounts) plus(more HostCounts) HostCounts {
	return HostCounts{c.Done + more.Done, c.Failed + more.Failed, c.Skipped + more.Skipped}
}

// packed holds the counts of a host in one word: three of 21 bits each. A count that does not fit stays at the most that
// does, two million, which the number of targets that one host may hold makes a rare thing.
type packed uint64

const (
	packedBits = 21
	packedMost = 1<<packedBits - 1
)

func pack(c HostCounts) packed {
	word := func(n uint32) packed { return packed(min(n, packedMost)) }
	return word(c.Done)<<(2*packedBits) | word(c.Failed)<<packedBits | word(c.Skipped)
}

func (p packed) counts() HostCounts {
	return HostCounts{
		Done: uint32(p >> (2 * packedBits)), Failed: uint32(p>>packedBits) & packedMost, Skipped: uint32(p) & packedMost,
	}
}

// keep remembers a host for good, with what was counted before it tripped.
func (t *Tally) keep(key string) {
	host := maphash.String(t.seed, key)
	if _, ok := t.tripped[host]; ok {
		return
	}
	c, ok := t.young[host]
	if !ok {
		c = t.old[host]
	}
	t.tripped[host] = pack(c)
	delete(t.young, host)
	delete(t.old, host)
}

// resultKey builds the breaker's key of a result: host:port, IPv6 in brackets.
func (t *Tally) resultKey(r *Result) []byte {
	key := appendHostKey(t.key[:0], r)
	t.key = key
	return key
}
