package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/redialscan/redial/pkg/report"
)

// listen takes chunks of events from their stream until ctx ends.
func (c *Coordinator) listen(ctx context.Context, wg *sync.WaitGroup) (<-chan *nats.Msg, error) {
	consumer, err := c.conn.js.CreateOrUpdateConsumer(ctx, c.names.events(), jetstream.ConsumerConfig{
		Durable: coordinatorConsumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: chunkAckWait,
		MaxAckPending: maxUnacked, MaxDeliver: -1,
		MemoryStorage: c.conn.own, // where it stood is of no use when the server is another one: all that is left comes again
	})
	if err != nil {
		return nil, fmt.Errorf("make the consumer of events: %w", err)
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(32))
	if err != nil {
		return nil, fmt.Errorf("listen for events: %w", err)
	}
	incoming := make(chan *nats.Msg)
	wg.Go(func() {
		<-ctx.Done()
		messages.Stop()
	})
	wg.Go(func() {
		for ctx.Err() == nil {
			m, err := messages.Next()
			if errors.Is(err, jetstream.ErrMsgIteratorClosed) {
				return
			}
			if err != nil { // the iterator goes on by itself when the server is back
				pause(ctx, reconnectWait)
				continue
			}
			select {
			case incoming <- &nats.Msg{Subject: m.Subject(), Reply: m.Reply(), Header: m.Headers(), Data: m.Data()}:
			case <-ctx.Done():
			}
		}
	})
	return incoming, nil
}

// take takes one message: its events are told once, whoever sends them, and however often. What is refused in a chunk is no reason to
// refuse the others.
func (r *course) take(ctx context.Context, m *nats.Msg) error {
	r.hear(m.Reply)
	err := r.unpack(ctx, m, r.takeChunk)
	if refused, ok := errors.AsType[*MessageError](err); ok {
		r.c.cfg.Refused.note("events", refused.Subject, refused.Err)
		err = nil
	}
	if err == nil {
		r.acks.add(r.lent.emitted, m.Reply)
	}
	return err
}

func (r *course) takeChunk(head chunk, read reader) error {
	run := head.Batch + "/" + head.Run
	if seq, known := r.chunks.Get(run); known && head.Seq <= seq {
		return nil
	}
	requests := int64(0)
	err := read(func(e report.Event) {
		if e = r.account(e); e == nil {
			return
		}
		if result, ok := e.(*report.Result); ok {
			requests += int64(result.Attempts)
			e = r.lend(result)
		}
		r.emit(e)
	})
	if _, out := r.out[head.Batch]; out {
		r.sent.hear(head.Batch, head.Run, requests)
	}
	if refused, ok := errors.AsType[*MessageError](err); ok {
		r.c.cfg.Refused.note("events", refused.Subject, refused.Err)
		return nil
	}
	if err != nil {
		return err
	}
	r.chunks.Add(run, head.Seq)
	r.c.heardOf(head.Worker)
	if head.End != nil {
		r.back(head)
	}
	return nil
}

// hear remembers how far the stream of events has come.
func (r *course) hear(reply string) {
	if a, err := readAck(reply); err == nil {
		r.heard = max(r.heard, a.seq)
	}
}

// reader passes on the events of a chunk, up to what is bad; then the error is a *MessageError. A *report.Result is lent until pass
// returns, and is not to be changed.
type reader func(pass func(report.Event)) error

// unpack passes on the chunks of a message. The error is a *MessageError for one that is none, or what each returns.
func (r *course) unpack(ctx context.Context, m *nats.Msg, each func(chunk, reader) error) error {
	heads, err := decodeChunks(m.Header, len(m.Data))
	if err == nil {
		_, err = partitionIn(m.Subject, r.c.spec.Partitions)
	}
	if err != nil {
		return &MessageError{Subject: m.Subject, Err: err}
	}
	rest := m.Data
	for _, head := range heads {
		data := rest[:head.Size]
		rest = rest[head.Size:]
		err := each(head, func(pass func(report.Event)) error { return r.readChunk(ctx, head, m.Subject, data, pass) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *course) readChunk(ctx context.Context, head chunk, subject string, data []byte, pass func(report.Event)) (err error) {
	limit := maxChunk
	if head.Object != "" {
		limit = maxEvent
		if data, err = r.fetchObject(ctx, head.Object, subject); err != nil {
			return err
		}
	}
	if err := decodeEvents(data, limit, &r.c.spec, max(r.read, r.bound), pass); err != nil {
		return &MessageError{Subject: subject, Err: err}
	}
	return nil
}

// fetchObject reads events that were too large for a message.
func (r *course) fetchObject(ctx context.Context, name, subject string) (data []byte, err error) {
	err = r.c.conn.insist(ctx, 6*callTimeout, func(ctx context.Context) error {
		store, err := r.c.conn.js.ObjectStore(ctx, r.c.names.files())
		if err != nil {
			return err
		}
		object, err := store.Get(ctx, name)
		if err != nil {
			return err
		}
		defer object.Close()
		data, err = io.ReadAll(io.LimitReader(object, maxEvent+1))
		return err
	})
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, &MessageError{Subject: subject, Err: fmt.Errorf("object %.80q: %w", name, err)}
	}
	if err != nil {
		return nil, fmt.Errorf("fetch object %s: %w", name, err)
	}
	return data, nil
}

// account gives what of an event was not told before; nil for nothing.
func (r *course) account(e report.Event) report.Event {
	switch e := e.(type) {
	case *report.Result:
		if !r.ends(e.Target, e.Index) {
			return nil
		}
	case *report.Skipped:
		if kept := first(e, func(item int) bool { return r.ends(e.Target, item) }); kept != nil {
			return kept
		}
		return nil
	}
	return e
}

// ends notes that an item has ended, and says whether it had not before.
func (r *course) ends(target int64, item int) bool {
	if !r.accounts.Take(target, item) {
		return false
	}
	if target < r.read {
		r.open--
	}
	return true
}

// back takes a batch as ended, and what is left of it as parked.
func (r *course) back(head chunk) {
	if !r.returned(head.Batch) {
		return // a second delivery has ended, too
	}
	r.sent.end(head.Batch, head.Run, head.End)
	now := time.Now()
	for _, p := range head.End.Parked {
		r.parked.push(waiting{seq: p.Seq, at: now, due: now.Add(p.Wait), held: p.Held, hosts: p.Hosts})
	}
}
