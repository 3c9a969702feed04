package batch

import (
	"sync"
	"time"
)

// partner is a scan that has a share of what this process can do.
type partner interface {
	Share(concurrency, dials int)
}

// shares divides what this process can do among the scans that run in it. A quarter goes to all alike, so that none of few hosts
// starves beside others that are dead; the rest goes by the number of hosts, so that all hosts get on alike and scans that began
// together end together. Make it with newShares. It is safe for concurrent use.
type shares struct {
	concurrency, dials int
	most               int // scans at a time

	mu      sync.Mutex
	running map[partner]int // the hosts of each
	begun   time.Time       // when the first one of all began
}

// gathering is how long the others may be on their way after the first scan has begun. What it has more than its share until they
// come would be spent on connections that it has no use for afterwards.
const gathering = 250 * time.Millisecond

func newShares(concurrency, dials, most int) shares {
	return shares{concurrency: concurrency, dials: dials, most: max(1, most), running: map[partner]int{}}
}

// begin gives a scan its share, which the others lose, until end is called.
func (s *shares) begin(p partner, hosts int) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[p] = max(1, hosts)
	now := time.Now()
	if s.begun.IsZero() {
		s.begun = now
		time.AfterFunc(gathering, s.divide) // also when this scan has ended by then: others may have begun
	}
	s.divideLocked(now)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running, p)
		s.divideLocked(time.Now())
	}
}

func (s *shares) divide() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.divideLocked(time.Now())
}

func (s *shares) divideLocked(now time.Time) {
	n, hosts := len(s.running), 0
	for _, h := range s.running {
		hosts += h
	}
	if now.Sub(s.begun) < gathering && n < s.most { // as if those that may come were there, and like these
		hosts = (hosts*s.most + n - 1) / max(1, n)
		n = s.most
	}
	for p, h := range s.running {
		p.Share(share(s.concurrency, n, h, hosts), share(s.dials, n, h, hosts))
	}
}

// share is what one of n gets that has some of all hosts, rounded up.
func share(all, n, hosts, allHosts int) int {
	part := float64(all) * (0.25/float64(n) + 0.75*float64(hosts)/float64(allHosts))
	return max(1, int(part+0.999))
}
