package scan

import (
	"time"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

// HostMemory is what a scan has learnt of a host, for another scan to go on from: where it stands with the breaker, and how it
// is to be paced. Either part may be empty.
type HostMemory struct {
	Key     string
	Breaker hosterrors.Memory
	Gate    requester.Memory
}

// Hosts tells what there is to remember of hosts when the scan has run: those that ever tripped, are held, have asked for
// less or have a pace that has not forgotten them. Call it once, soon after Run, since all times count from now.
func (s *Scan) Hosts() []HostMemory {
	var all []HostMemory
	gates := s.client.Memories(time.Now())
	if s.breaker != nil {
		for m := range s.breaker.Memories() {
			all = append(all, HostMemory{Key: m.Key, Breaker: m, Gate: gates[m.Key]})
			delete(gates, m.Key)
		}
	}
	for key, m := range gates {
		all = append(all, HostMemory{Key: key, Gate: m})
	}
	return all
}

// recall goes on from what another scan has learnt of hosts.
func (s *Scan) recall(all []HostMemory) error {
	if len(all) == 0 {
		return nil
	}
	gates := make(map[string]requester.Memory, len(all))
	for _, m := range all {
		gates[m.Key] = m.Gate
		if s.breaker != nil && (m.Breaker.Seq > 0 || m.Breaker.State != hosterrors.StateClosed) {
			m.Breaker.Key = m.Key
			s.restore(m.Breaker)
		}
	}
	return s.client.Recall(gates, time.Now())
}

// restore makes a host stand where it stood.
func (s *Scan) restore(m hosterrors.Memory) {
	if m.State == hosterrors.StateDead {
		s.dead.Add(1)
	}
	s.breaker.Restore(m)
}
