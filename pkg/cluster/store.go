package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	coordinatorConsumer = "coordinator"
	chunkAckWait        = time.Minute
	maxUnacked          = 4096 // chunks whose events are not flushed yet
	duplicateWindow     = 2 * time.Minute
)

// prepare makes the streams of a scan where they are missing, and says whether they were there before. Then it makes all consumers, since
// they may be of other settings; else each is made with the first batch of its partition.
func (c *Conn) prepare(ctx context.Context, spec *Spec) (before bool, err error) {
	n := names{spec.Scan}
	_, err = c.js.Stream(ctx, n.work())
	switch {
	case err == nil:
		before = true
	case !errors.Is(err, jetstream.ErrStreamNotFound):
		return false, fmt.Errorf("look for the stream of work: %w", err)
	}
	for _, cfg := range n.streams() {
		if _, err := c.js.CreateOrUpdateStream(ctx, cfg); err != nil {
			return before, fmt.Errorf("make stream %s: %w", cfg.Name, err)
		}
	}
	if _, err := c.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: n.files()}); err != nil {
		return before, fmt.Errorf("make the store of files: %w", err)
	}
	if _, err := c.notices(ctx); err != nil {
		return before, err
	}
	for p := 0; before && p < spec.Partitions; p++ {
		if err := c.makeConsumer(ctx, spec, p); err != nil {
			return before, err
		}
	}
	return before, nil
}

// makeConsumer makes the consumer of a partition where it is missing.
func (c *Conn) makeConsumer(ctx context.Context, spec *Spec, p int) error {
	n := names{spec.Scan}
	_, err := c.js.CreateOrUpdateConsumer(ctx, n.work(), jetstream.ConsumerConfig{
		Durable: n.consumer(p), FilterSubject: n.workSubject(p), AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: time.Duration(spec.AckWait), MaxAckPending: 1, MaxDeliver: -1, // how often is enough is ours to say
	})
	if err != nil {
		return fmt.Errorf("make the consumer of partition %d: %w", p, err)
	}
	return nil
}

func (n names) streams() []jetstream.StreamConfig {
	return []jetstream.StreamConfig{
		{
			Name: n.work(), Subjects: []string{n.every("work"), n.every("parked")}, Retention: jetstream.WorkQueuePolicy,
			Storage: jetstream.FileStorage, Duplicates: duplicateWindow, AllowDirect: true, MaxMsgSize: maxMessage + headerRoom,
		},
		{
			Name: n.events(), Subjects: []string{n.every("events")}, Retention: jetstream.WorkQueuePolicy,
			Storage: jetstream.FileStorage, Duplicates: duplicateWindow, MaxMsgSize: maxChunk + maxHeads + headerRoom,
		},
		{ // the form of a key-value bucket, which cannot be told to go without a sync of each write
			Name: n.hosts(), Subjects: []string{n.hostPrefix() + ">"}, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew,
			Storage: jetstream.FileStorage, AllowDirect: true, DenyDelete: true, AllowRollup: true, MaxMsgSize: 2 * maxPace,
			PersistMode: jetstream.AsyncPersistMode,
		},
	}
}

const headerRoom = 3 << 10

// notices is where scans are told of.
func (c *Conn) notices(ctx context.Context) (jetstream.KeyValue, error) {
	kv, err := c.js.KeyValue(ctx, noticeBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = c.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: noticeBucket, MaxValueSize: maxSpec})
	}
	if err != nil {
		return nil, fmt.Errorf("open the list of scans: %w", err)
	}
	return kv, nil
}

// noticed gives the scans that stand on the list by their ids, in no order. The library's own way makes a consumer and takes it away, each with
// a sync.
func (c *Conn) noticed(ctx context.Context, pass func(scan string, data []byte, revision uint64)) error {
	err := c.latest(ctx, noticeStream, []string{noticePrefix + ">"}, func(m *nats.Msg) {
		revision, err := strconv.ParseUint(m.Header.Get(nats.JSSequence), 10, 64)
		if err == nil && m.Header.Get("KV-Operation") == "" { // else it has gone
			pass(strings.TrimPrefix(m.Header.Get(nats.JSSubject), noticePrefix), m.Data, revision)
		}
	})
	if errors.Is(err, nats.ErrNoResponders) {
		if _, missing := c.js.Stream(ctx, noticeStream); errors.Is(missing, jetstream.ErrStreamNotFound) {
			return nil // nobody has begun a scan yet
		}
	}
	if err != nil {
		return fmt.Errorf("list the scans: %w", err)
	}
	return nil
}

// unnotice takes a scan off the list. The library's own way would leave a word of it for ever.
func (c *Conn) unnotice(ctx context.Context, scan string) error {
	s, err := c.js.Stream(ctx, noticeStream)
	if err != nil {
		return err
	}
	return s.Purge(ctx, jetstream.WithPurgeSubject(noticePrefix+scan))
}

// remove takes away all that a scan has on the server. Who works for it hears of it first.
func (c *Conn) remove(ctx context.Context, scan string) error {
	n := names{scan}
	errs := []error{c.unnotice(ctx, scan)}
	c.turned(scan)
	for _, name := range []string{n.work(), n.events(), n.hosts()} {
		errs = append(errs, c.js.DeleteStream(ctx, name))
	}
	errs = append(errs, c.js.DeleteObjectStore(ctx, n.files()))
	for i, err := range errs {
		if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrBucketNotFound) {
			errs[i] = nil
		}
	}
	return errors.Join(errs...)
}

// publish stores a message and waits until the server has it, again and again while ctx lasts. id makes a second copy of
// it drop out.
func (c *Conn) publish(ctx context.Context, m *nats.Msg, id string) (sequence uint64, err error) {
	err = c.insist(ctx, callTimeout, func(ctx context.Context) error {
		ack, err := c.js.PublishMsg(ctx, m, jetstream.WithMsgID(id), jetstream.WithRetryAttempts(0))
		if err == nil {
			sequence = ack.Sequence
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("publish on %s: %w", m.Subject, err)
	}
	return sequence, nil
}

// pause waits, and says whether ctx has let it.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// nudge tells everybody that something has changed. Whoever does not hear of it looks by itself after a while.
func (c *Conn) nudge() { _ = c.nc.Publish(nudgeSubject, nil) }

// turned tells everybody that a scan is in another phase, or over.
func (c *Conn) turned(scan string) { _ = c.nc.Publish(nudgeSubject, []byte(scan)) }

// message reads one message of a stream.
func (c *Conn) message(ctx context.Context, stream string, seq uint64) (*jetstream.RawStreamMsg, error) {
	return c.again(ctx, func(ctx context.Context, s jetstream.Stream) (*jetstream.RawStreamMsg, error) {
		return s.GetMsg(ctx, seq)
	}, stream)
}

// nextMessage reads the first message of a stream at or behind a place on a subject.
func (c *Conn) nextMessage(ctx context.Context, stream, subject string, seq uint64) (*jetstream.RawStreamMsg, error) {
	return c.again(ctx, func(ctx context.Context, s jetstream.Stream) (*jetstream.RawStreamMsg, error) {
		return s.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(subject))
	}, stream)
}

// again asks a stream until there is an answer, or ctx ends.
func (c *Conn) again(
	ctx context.Context, get func(context.Context, jetstream.Stream) (*jetstream.RawStreamMsg, error), stream string,
) (m *jetstream.RawStreamMsg, err error) {
	err = c.insist(ctx, callTimeout, func(ctx context.Context) error {
		s, err := c.js.Stream(ctx, stream)
		if err == nil {
			m, err = get(ctx, s)
		}
		return err
	})
	return m, err
}

// insist tries something until it succeeds, turns out to be in vain, or ctx ends: a server that is away comes back.
func (c *Conn) insist(ctx context.Context, timeout time.Duration, try func(context.Context) error) error {
	for {
		trying, stop := context.WithTimeout(ctx, timeout)
		err := try(trying)
		stop()
		if err == nil || vain(err) || c.nc.IsClosed() || !pause(ctx, reconnectWait) {
			return err
		}
	}
}

// vain says that an error will be the same the next time.
func vain(err error) bool {
	for _, final := range []error{
		jetstream.ErrMsgNotFound, jetstream.ErrStreamNotFound, jetstream.ErrObjectNotFound, jetstream.ErrBucketNotFound, nats.ErrMaxPayload,
	} {
		if errors.Is(err, final) {
			return true
		}
	}
	refused, ok := errors.AsType[*jetstream.APIError](err)
	return ok && refused.Code < 500
}

// removeMessage takes one message out of a stream. It may be gone already.
func (c *Conn) removeMessage(ctx context.Context, stream string, seq uint64) error {
	_, err := c.again(ctx, func(ctx context.Context, s jetstream.Stream) (*jetstream.RawStreamMsg, error) {
		err := s.DeleteMsg(ctx, seq)
		if errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) {
			err = nil
		}
		return nil, err
	}, stream)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	return err
}

// state says what is in a stream.
func (c *Conn) state(ctx context.Context, stream string) (jetstream.StreamState, error) {
	var state jetstream.StreamState
	_, err := c.again(ctx, func(_ context.Context, s jetstream.Stream) (*jetstream.RawStreamMsg, error) {
		state = s.CachedInfo().State
		return nil, nil
	}, stream)
	return state, err
}
