package batch

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/redialscan/redial/internal/scan"
	"github.com/redialscan/redial/pkg/cluster"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
)

// pace is how a host is to be paced, on its way from one process to another.
type pace struct {
	// Left is what cluster.Host.Left was when this was told: by how much that one has become less tells how old this is.
	Left time.Duration    `json:"left,omitempty"`
	Gate requester.Memory `json:"gate"`
}

// hostOf writes what is remembered of a host.
func hostOf(m scan.HostMemory) (cluster.Host, error) {
	h := cluster.Host{
		Key: m.Key, State: m.Breaker.State.String(), Errors: int(m.Breaker.Errors), Trips: int(m.Breaker.Trips),
		Seq: m.Breaker.Seq, LastError: m.Breaker.LastError,
	}
	left := max(m.Breaker.Left, m.Gate.Wait())
	h.Left = report.Duration(left)
	if m.Gate.IsZero() {
		return h, nil
	}
	text, err := json.Marshal(pace{left, m.Gate})
	h.Pace = text
	return h, err
}

func memoryOf(h *cluster.Host) (scan.HostMemory, error) {
	m := scan.HostMemory{Key: h.Key, Breaker: hosterrors.Memory{
		Key: h.Key, Errors: int32(h.Errors), Trips: int32(h.Trips), Left: time.Duration(h.Left), Seq: h.Seq, LastError: h.LastError,
	}}
	state, err := hosterrors.ParseState(h.State)
	if err != nil {
		return m, err
	}
	m.Breaker.State = state
	if len(h.Pace) == 0 {
		return m, nil
	}
	var p pace
	if err := json.Unmarshal(h.Pace, &p); err != nil {
		return m, fmt.Errorf("pace: %w", err)
	}
	m.Gate = p.Gate.Aged(p.Left - time.Duration(h.Left))
	return m, nil
}

func memoriesOf(hosts []cluster.Host) ([]scan.HostMemory, error) {
	all := make([]scan.HostMemory, 0, len(hosts))
	for i := range hosts {
		m, err := memoryOf(&hosts[i])
		if err != nil {
			return nil, fmt.Errorf("host %.80q: %w", hosts[i].Key, err)
		}
		all = append(all, m)
	}
	return all, nil
}
