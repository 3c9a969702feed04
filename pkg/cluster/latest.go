package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// mostLatest is how many messages a server passes on at a time. It refuses when there are more.
const mostLatest = 1024

// latest passes on the last message of each subject that has one: subjects may be patterns. It is one question that does not wait in the
// line of the server's other ones, of which each may wait for a disk. The error wraps [nats.ErrNoResponders] when there is no such
// stream, or is a *[jetstream.APIError].
func (c *Conn) latest(ctx context.Context, stream string, subjects []string, pass func(*nats.Msg)) error {
	ctx, stop := context.WithTimeout(ctx, callTimeout)
	defer stop()
	request, err := json.Marshal(map[string][]string{"multi_last": subjects})
	if err != nil {
		return err
	}
	inbox := c.nc.NewInbox()
	answers := make(chan *nats.Msg, mostLatest+1)
	sub, err := c.nc.ChanSubscribe(inbox, answers)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := c.nc.PublishRequest("$JS.API.DIRECT.GET."+stream, inbox, request); err != nil {
		return err
	}
	for {
		var m *nats.Msg
		select {
		case m = <-answers:
		case <-ctx.Done():
		}
		if m == nil {
			return fmt.Errorf("read stream %s: %w", stream, cmp.Or(context.Cause(ctx), nats.ErrConnectionClosed))
		}
		switch status := m.Header.Get("Status"); status {
		case "":
			pass(m)
		case "204", "404": // the end, or none at all
			return nil
		case "503":
			return fmt.Errorf("read stream %s: %w", stream, nats.ErrNoResponders)
		default:
			code, _ := strconv.Atoi(status)
			return fmt.Errorf("read stream %s: %w", stream, &jetstream.APIError{Code: code, Description: m.Header.Get("Description")})
		}
	}
}

// age is how long ago a message of latest was stored; 0 when it does not say.
func (c *Conn) age(m *nats.Msg) time.Duration {
	at, err := time.Parse(time.RFC3339Nano, m.Header.Get(nats.JSTimeStamp))
	if err != nil {
		return 0
	}
	return c.since(at)
}
