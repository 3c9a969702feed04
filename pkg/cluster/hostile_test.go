package cluster

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/redialscan/redial/pkg/report"
)

// refusedBy waits until something was refused, and fails when it is not.
type refusals struct {
	*Refusals
	told chan string
}

func watched(t *testing.T) refusals {
	r := refusals{new(Refusals), make(chan string, 1000)}
	r.Tell = func(format string, args ...any) {
		t.Logf(format, args...)
		r.told <- args[0].(*MessageError).Subject
	}
	return r
}

func (r refusals) await(t *testing.T, part string) {
	t.Helper()
	for {
		if subject := await(t, r.told); strings.Contains(subject, part) {
			return
		}
	}
}

func TestHostileMessagesAreRefused(t *testing.T) {
	const targets, items = 20, 2
	g := newGroup(t, listOf(targets, 4), items)
	g.cfg.Spec.Rate = 1000
	served := make(chan error, 1)
	atCoordinator, atWorker := watched(t), watched(t)
	g.cfg.Refused = atCoordinator.Refusals
	go func() {
		_, err := g.serve(within(t))
		served <- err
	}()
	th := g.thief()
	d := th.steal(t) // the streams are there; nothing more is taken for now
	n, conn := th.shift.names, th.shift.conn
	b := th.batch(t, d)
	publish := func(subject, data string) {
		t.Helper()
		m := nats.NewMsg(subject)
		m.Data = []byte(data)
		if _, err := conn.publish(within(t), m, NewScanID()); err != nil {
			t.Fatal(err)
		}
	}

	// What workers tell: without a header, of another shape, of items that there are not, of types that they do not tell.
	publish(n.eventsSubject(1), "rubbish")
	atCoordinator.await(t, "events")
	c := chunk{Batch: "x", Run: "y", Worker: "z"}
	for _, events := range []string{
		`{"type":"result","target":1e15,"index":0}`,
		`{"type":"result","target":99999999999,"index":0}`,
		`{"type":"result","target":1,"index":2}`,
		`{"type":"skipped","target":0,"from":0,"to":1000000000,"items":1000000000}`,
		`{"type":"started"}`,
		`{"type":"summary"}`,
		`{"type":"surprise"}`,
		strings.Repeat("[", 1000),
	} {
		th.tellRaw(t, c, 1, packedLine(events+"\n"))
	}
	th.tellRaw(t, c, 1, []byte(`{"type":"result","target":0,"index":0}`+"\n")) // as an older version told it
	th.tell(t, c, 1, &report.Result{Target: 1 << 30})
	th.tell(t, c, 1, &report.Result{Target: 1, Index: items})
	th.tell(t, c, 1, bomb()...)
	unnamed := c
	unnamed.Batch = "*.>"
	th.tellRaw(t, unnamed, 1, nil)
	missing := c
	missing.Object = "nowhere"
	th.tellRaw(t, missing, 1, nil)
	// An end of a batch that nobody has, with a remainder that is none.
	th.tellRaw(t, chunk{Batch: "x", Run: "q", Worker: "z", End: &end{Sent: 1 << 40, Parked: []parked{{Seq: 1}}}}, 1, nil)

	// What is too large does not even come in.
	huge := nats.NewMsg(n.eventsSubject(1))
	huge.Data = make([]byte, maxChunk+maxHeads+headerRoom+1)
	if _, err := conn.publish(within(t), huge, "huge"); err == nil {
		t.Error("a huge chunk was taken")
	}
	huge = nats.NewMsg(n.workSubject(1))
	huge.Data = make([]byte, 2<<20)
	if _, err := conn.publish(within(t), huge, "huge"); err == nil {
		t.Error("a huge batch was taken")
	}

	// Permits: rubbish gets no answer.
	if err := conn.nc.PublishRequest(n.permitsSubject(), conn.nc.NewInbox(), []byte(`{"worker":"w","want":-5,"blur":0}`)); err != nil {
		t.Fatal(err)
	}
	atCoordinator.await(t, "permits")
	// A worker that says nonsense of itself.
	sub, err := conn.nc.Subscribe(statusSubject, func(m *nats.Msg) { _ = m.Respond([]byte(`{"name":"\u001b[2J"}`)) })
	if err != nil {
		t.Fatal(err)
	}
	atCoordinator.await(t, "workers")
	if err := sub.Unsubscribe(); err != nil {
		t.Fatal(err)
	}

	// Batches, states and scans that no coordinator has made.
	publish(n.workSubject(1), `{"id":"evil","partition":1,"targets":[{"index":0,"key":"h0.example:80","line":"x","cmd":"rm"}]}`)
	other := mustEncode(b)
	publish(n.workSubject((b.Partition+1)%4), string(other))
	if err := conn.nc.Publish(n.hostSubject(b.Partition, b.Targets[0].Key), []byte(`{"key":"other:1","state":"dead"}`)); err != nil {
		t.Fatal(err)
	}
	kv, err := conn.notices(within(t))
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"rubbish": "{", "older": string(mustEncode(notice{Spec: Spec{Scan: "older"}, Phase: phaseRun})),
		"mask": string(mustEncode(notice{Spec: th.shift.spec, Phase: phaseRun})),
	} {
		if _, err := kv.Put(within(t), key, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	inner := answering(items)
	inner.pace = unpaced{}
	g.join("w1", inner, func(c *WorkerConfig) { c.Refused = atWorker.Refusals })
	for ctx := within(t); atWorker.Count() < 5; { // the scan goes on until the thief gives back what it has
		if !pause(ctx, idleLeast) {
			t.Fatalf("the worker refused %d messages, want 3 scans and 2 batches", atWorker.Count())
		}
	}
	if err := d.say(within(t), "-NAK"); err != nil {
		t.Fatal(err)
	}
	if err := await(t, served); err != nil {
		t.Fatal(err)
	}
	g.book.wantOnce(t, targets, items)
	if n := atCoordinator.Count(); n < 17 {
		t.Errorf("the coordinator refused %d messages, want 15 of events, and permits and a status", n)
	}
	if n := atWorker.Count(); n < 6 {
		t.Errorf("the worker refused %d messages, want 3 scans, 2 batches and a state of a host", n)
	}
	for _, e := range g.book.events {
		if _, ok := e.(*report.Summary); ok {
			t.Error("a worker ended the scan by its word")
		}
	}
}

// packedLine is a line as a packer puts it.
func packedLine(text string) []byte {
	return append(binary.AppendUvarint([]byte{2, 2}, uint64(len(text))), text...)
}

// bomb is results that are packed into a message, and take many times as much outside of it.
func bomb() []report.Event {
	var all []report.Event
	long := strings.Repeat("x", 60_000)
	for i := range 2 * maxWeight / len(long) {
		all = append(all, &report.Result{Index: i % 2, Title: long + strconv.Itoa(i%2)})
	}
	return all
}

// unpaced wants nothing.
type unpaced struct{ Pace }

func (unpaced) Wanted(time.Time) int { return 0 }

func TestARemainderThatIsNoneIsRefused(t *testing.T) {
	const targets, items = 8, 2
	g := newGroup(t, listOf(targets, 1), items)
	refused := watched(t)
	g.cfg.Refused = refused.Refusals
	served := g.serving(within(t))
	th := g.thief()
	d := th.steal(t)
	b := th.batch(t, d)
	m := nats.NewMsg(th.shift.names.parkedSubject(b.Partition))
	m.Data = json.RawMessage(`{"id":"evil"}`)
	seq, err := th.shift.conn.publish(within(t), m, "evil")
	if err != nil {
		t.Fatal(err)
	}
	th.tell(t, chunk{Batch: b.ID, Run: "r", End: &end{Parked: []parked{{Seq: seq}}}}, b.Partition)
	refused.await(t, "parked")
	// Whoever forges the end of a batch makes the scan say that items are lost, and not that all is well.
	lost, ok := errors.AsType[*LostError](await(t, served))
	if !ok || lost.Items != targets*items {
		t.Errorf("got %v, want a LostError of %d items", lost, targets*items)
	}
}
