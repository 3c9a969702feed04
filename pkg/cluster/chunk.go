package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/redialscan/redial/internal/packing"
	"github.com/redialscan/redial/pkg/report"
)

const (
	chunkHeader = "Redial-Chunks"
	maxChunk    = 256 << 10 // of events in a message; one that is larger goes through the store of files
	maxEvent    = report.MaxLine + 64
	maxWeight   = 4 << 20 // of the events of a chunk in memory, see [packing.Packer.Weight]
	maxHeader   = 2 << 10
	maxChunks   = 64 // in a message
	maxHeads    = maxChunks * maxHeader
	maxSent     = 1 << 40 // requests of a run, so that sums hold
)

// chunk is a part of what a run of a batch tells. The chunks of a message stand in its header, and their events one after the
// other in the message.
type chunk struct {
	Batch  string `json:"batch"`
	Run    string `json:"run"` // which one of the batch: a server that crashed may count deliveries anew
	Seq    int    `json:"seq"` // from 0 in each run
	Worker string `json:"worker"`
	Size   int    `json:"size,omitempty"`   // of the events, in bytes
	Object string `json:"object,omitempty"` // the events are there and not in the message
	End    *end   `json:"end,omitempty"`    // nothing follows from this run
}

// end says what became of a batch.
type end struct {
	Sent   int64    `json:"sent,omitempty"`
	Told   int64    `json:"told,omitempty"`   // of these, by the attempts of results
	Parked []parked `json:"parked,omitempty"` // what is left
}

// parked is a remainder that waits in the stream of work.
type parked struct {
	Seq   uint64        `json:"seq"`
	Wait  time.Duration `json:"wait,omitempty"` // until it may go on
	Held  bool          `json:"held,omitempty"` // its hosts keep it back; else it was cut off, and has to go on
	Hosts int           `json:"hosts"`
}

func (c *chunk) id() string { return fmt.Sprintf("%s/%s/%d", c.Batch, c.Run, c.Seq) }

func (c *chunk) check() error {
	switch {
	case !validID(c.Batch) || !validID(c.Run) || !validID(c.Worker) || c.Object != "" && !validID(c.Object):
		return errors.New("a batch, run, worker or object without a name, expected 1 to 64 letters, digits, dots and dashes")
	case c.Size < 0 || c.Size > 0 && c.Object != "":
		return fmt.Errorf("%d bytes of events, and object %.40q", c.Size, c.Object)
	case c.Seq < 0:
		return fmt.Errorf("chunk %d of a run, expected numbers from 0", c.Seq)
	case c.End != nil && (c.End.Sent < 0 || c.End.Sent > maxSent || c.End.Told < 0 || c.End.Told > maxSent || len(c.End.Parked) > 16):
		return fmt.Errorf("an end with %d requests and %d remainders", c.End.Sent, len(c.End.Parked))
	}
	if c.End == nil {
		return nil
	}
	for _, p := range c.End.Parked {
		if p.Seq == 0 || p.Wait < 0 || p.Wait > 365*24*time.Hour || p.Hosts < 0 || p.Hosts > MaxBatchTargets {
			return fmt.Errorf("remainder %d of %d hosts, after %s", p.Seq, p.Hosts, p.Wait)
		}
	}
	return nil
}

// message puts chunks and their events together.
func message(subject string, heads []chunk, events []byte) (*nats.Msg, error) {
	head, err := json.Marshal(heads)
	if err != nil {
		return nil, err
	}
	m := nats.NewMsg(subject)
	m.Header.Set(chunkHeader, string(head))
	m.Data = events
	return m, nil
}

// decodeChunks reads the header of a message with so many bytes of events.
func decodeChunks(h nats.Header, size int) ([]chunk, error) {
	var heads []chunk
	if len(h.Values(chunkHeader)) != 1 {
		return nil, fmt.Errorf("%d headers %s, expected one", len(h.Values(chunkHeader)), chunkHeader)
	}
	err := decode([]byte(h.Get(chunkHeader)), maxHeads, &heads, func() error {
		if len(heads) == 0 || len(heads) > maxChunks {
			return fmt.Errorf("%d chunks, expected 1 to %d", len(heads), maxChunks)
		}
		left := size
		for i := range heads {
			if err := heads[i].check(); err != nil {
				return fmt.Errorf("chunk %d: %w", i, err)
			}
			if heads[i].Object != "" && len(heads) > 1 {
				return fmt.Errorf("chunk %d of %d has an object, expected it alone", i, len(heads))
			}
			if left -= heads[i].Size; left < 0 {
				break
			}
		}
		if left != 0 {
			return fmt.Errorf("%d bytes of events, expected as many as all chunks have", size)
		}
		return nil
	})
	return heads, err
}

// decodeEvents passes on what a worker may tell, up to what is bad. A *report.Result is lent until pass returns, and is not to be changed.
func decodeEvents(data []byte, limit int, spec *Spec, bound int64, pass func(report.Event)) error {
	if len(data) > limit {
		return fmt.Errorf("%d bytes of events, expected at most %d", len(data), limit)
	}
	return packing.Unpack(data, maxWeight, func(e report.Event) error {
		err := checkEvent(e, spec.Items, bound)
		if err == nil {
			pass(e)
		}
		return err
	})
}

// told says whether workers tell of such events.
func told(e report.Event) bool {
	switch e.(type) {
	case *report.Result, *report.Skipped, *report.Transition, *report.Throttled, *report.Held, *report.Paused:
		return true
	}
	return false
}

func checkEvent(e report.Event, items int, bound int64) error {
	if !told(e) {
		return fmt.Errorf("of type %.40q, which workers do not tell", e.Type())
	}
	switch e := e.(type) {
	case *report.Result:
		if e.Target < 0 || e.Target >= bound || e.Index < 0 || e.Index >= items {
			return fmt.Errorf("item %d of target %d, expected targets below %d with %d items", e.Index, e.Target, bound, items)
		}
		if e.Attempts < 0 || int64(e.Attempts) > maxSent {
			return fmt.Errorf("%d attempts", e.Attempts)
		}
	case *report.Skipped:
		if e.Target < 0 || e.Target >= bound || e.From < 0 || e.To > items || len(e.Again) > items {
			return fmt.Errorf("items %d to %d of target %d, expected targets below %d with %d items", e.From, e.To, e.Target, bound, items)
		}
		for _, i := range e.Again {
			if i < 0 || i >= items {
				return fmt.Errorf("item %d of target %d, expected one of %d", i, e.Target, items)
			}
		}
	}
	return nil
}

// first gives the part of a skip whose items take has not had yet, nil for none.
func first(e *report.Skipped, take func(item int) bool) *report.Skipped {
	kept := *e
	kept.From, kept.To, kept.Again = 0, 0, nil
	for i := e.From; i < e.To; i++ {
		if !take(i) {
			continue
		}
		switch {
		case kept.From == kept.To:
			kept.From, kept.To = i, i+1
		case kept.To == i:
			kept.To = i + 1
		default:
			kept.Again = append(kept.Again, i)
		}
	}
	for _, i := range e.Again {
		if take(i) {
			kept.Again = append(kept.Again, i)
		}
	}
	if kept.Count() == 0 {
		return nil
	}
	kept.Items = kept.Count()
	return &kept
}
