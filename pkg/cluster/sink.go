package cluster

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/redialscan/redial/internal/packing"
	"github.com/redialscan/redial/pkg/report"
)

const (
	chunkWait = 250 * time.Millisecond // the longest time that an event waits for others
	fullChunk = maxChunk / 2           // where it does not wait any more; one more event has room
	maxQueued = 4 << 20                // bytes that wait for the network before Emit waits, too
)

// sink carries the events of one run of a batch to the coordinator, in chunks. emit is safe for concurrent use until
// finish; carry runs beside it.
type sink struct {
	send func(ctx context.Context, c chunk, events []byte) error
	head chunk     // of the next one
	tick time.Time // from when times of chunkWait are counted: all sinks of a worker send at once

	mu     sync.Mutex
	room   sync.Cond
	left   *left
	queue  [][]byte // chunks that are full
	open   packing.Packer
	size   int           // of both
	told   int64         // attempts of results
	over   *end          // set: no more events
	broken bool          // nothing is carried any more
	some   chan struct{} // holds a token when there is something to carry
	full   chan struct{} // holds a token when that fills a chunk, or is the last
}

func newSink(head chunk, l *left, send func(context.Context, chunk, []byte) error) *sink {
	s := &sink{head: head, left: l, send: send, some: make(chan struct{}, 1), full: make(chan struct{}, 1)}
	s.room.L = &s.mu
	return s
}

// emit takes an event, and waits while too much is on its way.
func (s *sink) emit(e report.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		return
	}
	if e = s.left.take(e); e == nil {
		return
	}
	for s.size >= maxQueued && !s.broken {
		s.room.Wait()
	}
	if s.broken {
		return
	}
	before := s.open.Len()
	if err := s.open.Add(e); err != nil {
		s.broken = true // it is accounted for and cannot be told: the batch is to be run again as a whole
		return
	}
	s.size += s.open.Len() - before
	if result, ok := e.(*report.Result); ok {
		s.told += int64(result.Attempts)
	}
	if before == 0 {
		raise(s.some)
	}
	if s.open.Len() >= fullChunk || s.open.Weight() >= maxWeight/2 {
		s.queue = append(s.queue, s.open.Take())
		raise(s.full)
	}
}

// finish is called once, when nothing will be emitted any more.
func (s *sink) finish(e end) {
	s.mu.Lock()
	e.Told = s.told
	s.over = &e
	s.mu.Unlock()
	raise(s.some)
	raise(s.full)
}

// carry sends chunks until the end was sent, or one could not be.
func (s *sink) carry(ctx context.Context) error {
	defer s.release()
	timer := time.NewTimer(chunkWait)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.some:
		}
		timer.Reset(chunkWait - time.Since(s.tick)%chunkWait)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.full:
		case <-timer.C:
		}
		for {
			data, last, more := s.take()
			if len(data) == 0 && last == nil {
				break
			}
			c := s.head
			c.End = last
			if err := s.send(ctx, c, data); err != nil {
				return fmt.Errorf("chunk %s: %w", c.id(), err)
			}
			s.head.Seq++
			if last != nil {
				return nil
			}
			if !more {
				break
			}
		}
	}
}

// take gives the next chunk, with the end when it is the last, and whether there is more that should not wait.
func (s *sink) take() (data []byte, last *end, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) > 0 {
		data, s.queue = s.queue[0], s.queue[1:]
	} else {
		data = s.open.Take()
	}
	s.size -= len(data)
	s.room.Broadcast()
	if len(s.queue) > 0 {
		return data, nil, true
	}
	if s.open.Len() > 0 {
		if s.over != nil {
			return data, nil, true
		}
		raise(s.some) // its own token may have gone for what was in the queue
	}
	return data, s.over, false
}

// release lets go of whoever waits: what is emitted from now on is dropped.
func (s *sink) release() {
	s.mu.Lock()
	s.broken = true
	s.queue, s.size = nil, 0
	s.open.Take()
	s.mu.Unlock()
	s.room.Broadcast()
}

// rest is what is left of the batch.
func (s *sink) rest() (targets []Target, cut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left.rest(), s.left.cut
}

func raise(token chan<- struct{}) {
	select {
	case token <- struct{}{}:
	default:
	}
}
