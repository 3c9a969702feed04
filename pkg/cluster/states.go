package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/redialscan/redial/pkg/report"
)

// states keeps on the server what is known of hosts that are not well, for whoever has their partition next.
type states struct {
	conn    *Conn
	names   names
	refused *Refusals
}

// tell stores a state, without waiting for the server: what is published on this connection afterwards comes after it.
func (s *states) tell(partition int, h Host) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return s.conn.nc.Publish(s.names.hostSubject(partition, h.Key), data)
}

// of reads what is known of the hosts of a batch.
func (s *states) of(ctx context.Context, b *Batch) ([]Host, error) {
	asked := make(map[string]string) // keys by subject
	var subjects []string
	for i := range b.Targets {
		for _, k := range breakerKeys(b.Targets[i].Key) {
			subject := s.names.hostSubject(b.Partition, k)
			if asked[subject] == "" {
				asked[subject] = k
				subjects = append(subjects, subject)
			}
		}
	}
	var all []Host
	for len(subjects) > 0 {
		some := subjects[:min(len(subjects), 512)]
		subjects = subjects[len(some):]
		err := s.conn.latest(ctx, s.names.hosts(), some, func(m *nats.Msg) {
			subject := m.Header.Get(nats.JSSubject)
			h, err := decodeHost(m.Data)
			if err == nil && h.Key != asked[subject] {
				err = fmt.Errorf("host %.80q, expected %.80q", h.Key, asked[subject])
			}
			if err != nil {
				s.refused.note("host", subject, err)
				return
			}
			all = append(all, h.aged(s.conn.age(m)))
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// aged is the state after a time.
func (h Host) aged(by time.Duration) Host {
	h.Left = max(0, h.Left-report.Duration(max(0, by)))
	return h
}

// merge puts two accounts of hosts together; of a host that is in both, the later one by its breaker's transitions, and
// then that of newer.
func merge(older, newer []Host) []Host {
	at := make(map[string]int, len(older)+len(newer))
	var all []Host
	for _, h := range append(append([]Host(nil), older...), newer...) {
		i, known := at[h.Key]
		switch {
		case !known:
			at[h.Key] = len(all)
			all = append(all, h)
		case h.Seq >= all[i].Seq:
			all[i] = h
		}
	}
	return all
}

// afterTransition is the state of a host that a transition has led to.
func afterTransition(t *report.Transition) Host {
	h := Host{Key: t.Host, State: t.To, Errors: t.Errors, Trips: t.Trips, Left: t.Cooldown, Seq: t.Seq, LastError: t.Error}
	if t.To == "closed" {
		h.Errors, h.Trips, h.Left = 0, 0, 0
	}
	return h.shortened()
}

// shortened keeps texts within their bounds.
func (h Host) shortened() Host {
	if len(h.LastError) > maxText/2 { // JSON may need more
		h.LastError = h.LastError[:maxText/2]
	}
	if len(h.Pace) > maxPace {
		h.Pace = nil
	}
	return h
}
