package cluster

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// delivery is one batch as it was handed out.
type delivery struct {
	conn      *Conn
	subject   string
	partition int
	data      []byte
	reply     string        // where to say what becomes of it
	asked     time.Time     // when it was asked for
	count     uint64        // how often it was handed out, with this time
	age       time.Duration // since it was stored
}

const (
	fetchWait  = time.Second
	takeOne    = `{"batch":1,"no_wait":true}`
	ackSubject = "$JS.ACK."
)

// fetch asks a partition for a batch; nil when it has none. The answer is waited for on a subject of its own, so that a
// batch which comes too late goes to nobody. A server does not answer while another worker has a batch of the partition and the
// next one waits behind that: then this one is first in line for it, for a while.
func (s *shift) fetch(ctx context.Context, p int, wait time.Duration) (*delivery, error) {
	nc := s.conn.nc
	inbox := nc.NewInbox()
	answers := make(chan *nats.Msg, 2) // what a subscription of its own brings with it is larger by far
	sub, err := nc.ChanSubscribe(inbox, answers)
	if err != nil {
		return nil, err
	}
	defer func() { _ = sub.Unsubscribe() }()
	asked := time.Now()
	subject := "$JS.API.CONSUMER.MSG.NEXT." + s.names.work() + "." + s.names.consumer(p)
	if err := nc.PublishRequest(subject, inbox, []byte(takeOne)); err != nil {
		return nil, err
	}
	timer := time.NewTimer(min(wait, time.Duration(s.spec.AckWait)/8)) // a batch's time counts from when it was asked for
	defer timer.Stop()
	var m *nats.Msg
	select {
	case m = <-answers:
	case <-timer.C:
		m = withdraw(sub, answers)
	case <-ctx.Done():
		m = withdraw(sub, answers)
	}
	if m == nil {
		return nil, nil
	}
	if m.Header.Get("Status") != "" || m.Reply == "" { // none, or nobody who has any
		return nil, nil
	}
	a, err := readAck(m.Reply)
	if err != nil {
		s.w.cfg.Refused.note("work", m.Subject, err)
		return nil, nil
	}
	return &delivery{
		conn: s.conn, subject: m.Subject, partition: p, data: m.Data, reply: m.Reply, asked: asked, count: a.count, age: s.conn.since(a.at),
	}, nil
}

// withdraw takes back a question. What the server has answered before it hears of that is not lost: nil for nothing.
func withdraw(sub *nats.Subscription, answers <-chan *nats.Msg) *nats.Msg {
	over := sub.StatusChanged(nats.SubscriptionClosed)
	if sub.Drain() != nil { // there is no connection any more
		return nil
	}
	timer := time.NewTimer(callTimeout)
	defer timer.Stop()
	select {
	case m := <-answers:
		return m
	case <-over:
	case <-timer.C:
	}
	select {
	case m := <-answers:
		return m
	default:
		return nil
	}
}

// ackInfo is what the subject of an acknowledgement says of its message.
type ackInfo struct {
	count uint64    // how often it was handed out
	seq   uint64    // its place in the stream
	at    time.Time // when it was stored
}

// readAck reads $JS.ACK.<stream>.<consumer>.<count>.<stream seq>.<consumer seq>.<time>.<pending>, with <domain>.<account> before
// the stream and a token behind it where servers need them.
func readAck(reply string) (ackInfo, error) {
	tokens := strings.Split(reply, ".")
	skip := 0
	if len(tokens) >= 11 {
		skip = 2
	}
	if !strings.HasPrefix(reply, ackSubject) || len(tokens) < 9+skip {
		return ackInfo{}, fmt.Errorf("reply %.100q, expected one to acknowledge by", reply)
	}
	count, badCount := strconv.ParseUint(tokens[4+skip], 10, 64)
	seq, badSeq := strconv.ParseUint(tokens[5+skip], 10, 64)
	ns, badTime := strconv.ParseInt(tokens[7+skip], 10, 64)
	if badCount != nil || badSeq != nil || badTime != nil || count == 0 {
		return ackInfo{}, fmt.Errorf("reply %.100q, expected a count, a sequence and a time", reply)
	}
	return ackInfo{count, seq, time.Unix(0, ns)}, nil
}

// more asks for more time, and returns nil when the server has confirmed it.
func (d *delivery) more(ctx context.Context) error { return d.say(ctx, "+WPI") }

// done lets the batch go for good.
func (d *delivery) done(ctx context.Context) error { return d.say(ctx, "+ACK") }

// term lets go of what is no batch.
func (d *delivery) term(ctx context.Context) error { return d.say(ctx, "+TERM") }

func (d *delivery) say(ctx context.Context, what string) error {
	_, err := d.conn.nc.RequestMsgWithContext(ctx, &nats.Msg{Subject: d.reply, Data: []byte(what)})
	return err
}
