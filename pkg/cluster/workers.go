package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// WorkerStatus is what a worker says of itself.
type WorkerStatus struct {
	Name    string        `json:"name"`
	Version string        `json:"version"`
	Scan    string        `json:"scan,omitempty"` // "" while it waits for one
	Slots   int           `json:"slots"`
	Failing bool          `json:"failing,omitempty"` // it could not run its last batch
	Batches []BatchStatus `json:"batches,omitempty"` // that it runs now, the oldest first
}

// BatchStatus is a batch that is being run.
type BatchStatus struct {
	ID        string    `json:"id"`
	Partition int       `json:"partition"`
	Targets   int       `json:"targets"`
	Hosts     int       `json:"hosts"`
	Delivery  uint64    `json:"delivery"` // above 1: somebody had it before
	Since     time.Time `json:"since"`
}

const (
	maxStatus  = 256 << 10
	maxWorkers = 10_000
	censusWait = 300 * time.Millisecond // without another answer
)

func (s *WorkerStatus) check() error {
	if !validID(s.Name) || len(s.Version) > 100 || s.Scan != "" && !validID(s.Scan) || s.Slots < 0 {
		return fmt.Errorf("worker %.40q of version %.40q in scan %.40q", s.Name, s.Version, s.Scan)
	}
	for _, b := range s.Batches {
		if !validID(b.ID) || b.Partition < 0 || b.Targets < 0 || b.Hosts < 0 {
			return fmt.Errorf("batch %.40q of partition %d", b.ID, b.Partition)
		}
	}
	return nil
}

// Workers asks who takes part and with what, and returns those that answer, by name.
func Workers(ctx context.Context, c *Conn) ([]WorkerStatus, error) {
	var bad Refusals
	all, _, err := c.census(ctx, &bad, 0, censusWait)
	return all, err
}

// census asks who takes part. Answers are waited for until none comes for a time, or so many as are known have come; 0 = no number
// is known. It is whole when they have, or nobody is there.
func (c *Conn) census(ctx context.Context, refused *Refusals, known int, wait time.Duration) (all []WorkerStatus, whole bool, err error) {
	inbox := c.nc.NewInbox()
	sub, err := c.nc.SubscribeSync(inbox)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := c.nc.PublishRequest(statusSubject, inbox, nil); err != nil {
		return nil, false, fmt.Errorf("ask for workers: %w", err)
	}
	for len(all) < maxWorkers && !whole {
		waiting, stop := context.WithTimeout(ctx, wait)
		m, err := sub.NextMsgWithContext(waiting)
		stop()
		if ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
		if whole = errors.Is(err, nats.ErrNoResponders); whole || errors.Is(err, context.DeadlineExceeded) {
			break
		}
		if err != nil {
			return nil, false, fmt.Errorf("ask for workers: %w", err)
		}
		var s WorkerStatus
		if err := decode(m.Data, maxStatus, &s, s.check); err != nil {
			refused.note("status", statusSubject, err)
			continue
		}
		all = append(all, s)
		whole = len(all) == known
	}
	slices.SortFunc(all, func(x, y WorkerStatus) int { return cmp.Compare(x.Name, y.Name) })
	return all, whole, nil
}

// board is where a worker notes what it does. It is safe for concurrent use.
type board struct {
	mu     sync.Mutex
	status WorkerStatus
}

func (b *board) begin(scan string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status.Scan = scan
}

func (b *board) leave() { b.begin("") }

// ran notes whether the last batch could be run.
func (b *board) ran(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status.Failing = err != nil
}

// add notes a batch, and returns what takes it off again.
func (b *board) add(batch *Batch, delivery uint64) func() {
	s := BatchStatus{
		ID: batch.ID, Partition: batch.Partition, Targets: len(batch.Targets), Hosts: countHosts(batch.Targets),
		Delivery: delivery, Since: time.Now(),
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status.Batches = append(b.status.Batches, s)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.status.Batches = slices.DeleteFunc(b.status.Batches, func(x BatchStatus) bool { return x == s })
	}
}

func (b *board) text() ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return json.Marshal(b.status)
}

// answer tells whoever asks what this worker does.
func (w *worker) answer(m *nats.Msg) {
	if m.Reply == "" {
		return
	}
	if text, err := w.board.text(); err == nil {
		_ = m.Respond(text) // whoever asked asks again
	}
}
