package cluster

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go/jetstream"
)

// mail carries the chunks of all batches of a worker. A message is synced, handed out and acknowledged by itself, whatever is in
// it; so those that are ready at the same time go together. send is safe for concurrent use while run runs.
type mail struct {
	conn  *Conn
	names names

	mu      sync.Mutex
	waiting []*parcel
	some    chan struct{} // holds a token when there are some
}

// parcel is a chunk on its way.
type parcel struct {
	chunk     chunk
	partition int
	events    []byte
	sent      chan error
	withdrawn atomic.Bool // nobody waits for it any more: its batch may be another worker's
}

func newMail(c *Conn, n names) *mail { return &mail{conn: c, names: n, some: make(chan struct{}, 1)} }

// send returns when the server has a chunk, or ctx ends: then it does not go any more, unless it is on its way.
func (m *mail) send(ctx context.Context, partition int, c chunk, events []byte) error {
	c.Size = len(events)
	p := &parcel{chunk: c, partition: partition, events: events, sent: make(chan error, 1)}
	m.mu.Lock()
	m.waiting = append(m.waiting, p)
	m.mu.Unlock()
	raise(m.some)
	select {
	case err := <-p.sent:
		return err
	case <-ctx.Done():
		p.withdrawn.Store(true)
		return context.Cause(ctx)
	}
}

// run carries until ctx ends.
func (m *mail) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.some:
		}
		for all := m.next(); len(all) > 0; all = m.next() {
			err := m.publish(ctx, all)
			for _, p := range all {
				p.sent <- err
			}
		}
	}
}

// next takes what fits into one message. One whose events are in an object goes alone: that is large.
func (m *mail) next() []*parcel {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, size := 0, 0
	for _, p := range m.waiting[:min(len(m.waiting), maxChunks)] {
		if size += len(p.events); n > 0 && (size > maxChunk || p.chunk.Object != "" || m.waiting[0].chunk.Object != "") {
			break
		}
		n++
	}
	all := m.waiting[:n]
	m.waiting = m.waiting[n:]
	return all
}

// publish stores chunks in one message, again and again while ctx lasts. Those that are withdrawn meanwhile are left out of the next
// try. The id makes a second copy drop out.
func (m *mail) publish(ctx context.Context, all []*parcel) error {
	return m.conn.insist(ctx, callTimeout, func(ctx context.Context) error {
		var heads []chunk
		var data []byte
		for _, p := range all {
			if !p.withdrawn.Load() {
				heads, data = append(heads, p.chunk), append(data, p.events...)
			}
		}
		if len(heads) == 0 {
			return nil
		}
		msg, err := message(m.names.eventsSubject(all[0].partition), heads, data)
		if err == nil {
			_, err = m.conn.js.PublishMsg(ctx, msg, jetstream.WithMsgID(all[0].chunk.id()), jetstream.WithRetryAttempts(0))
		}
		return err
	})
}
