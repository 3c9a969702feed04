package cluster

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/redialscan/redial/internal/packing"
	"github.com/redialscan/redial/pkg/report"
)

// Chunks that wait at the same time go together, but for those that nobody waits for any more.
func TestChunksGoTogether(t *testing.T) {
	g := newGroup(t, listOf(1, 1), 1)
	conn, spec := g.prepared()
	m := newMail(conn, names{spec.Scan})
	gone, leave := context.WithCancelCause(t.Context())
	leave(ErrLeaseLost)
	if err := m.send(gone, 1, chunk{Batch: "gone", Run: "r", Worker: "w"}, []byte("gone")); !errors.Is(err, ErrLeaseLost) {
		t.Fatalf("got %v of a batch that is lost, want ErrLeaseLost", err)
	}
	var sending sync.WaitGroup
	for _, batch := range []string{"a", "b", "c"} {
		sending.Go(func() {
			if err := m.send(t.Context(), 1, chunk{Batch: batch, Run: "r", Worker: "w"}, []byte(batch+"!")); err != nil {
				t.Error(err)
			}
		})
	}
	for ctx := within(t); ; {
		m.mu.Lock()
		n := len(m.waiting)
		m.mu.Unlock()
		if n == 4 || !pause(ctx, idleLeast) {
			break
		}
	}
	carrying, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { m.run(carrying) })
	sending.Wait()
	stop()
	running.Wait()

	state, err := conn.state(t.Context(), m.names.events())
	if err != nil || state.Msgs != 1 {
		t.Fatalf("%d messages, %v, want one", state.Msgs, err)
	}
	msg, err := conn.message(t.Context(), m.names.events(), state.LastSeq)
	if err != nil {
		t.Fatal(err)
	}
	heads, err := decodeChunks(msg.Header, len(msg.Data))
	if err != nil {
		t.Fatal(err)
	}
	var batches []string
	for _, h := range heads {
		batches = append(batches, h.Batch)
	}
	slices.Sort(batches)
	if got := strings.Join(batches, ""); got != "abc" || len(msg.Data) != 6 {
		t.Errorf("chunks of %s with %q came, want those of a, b and c", got, msg.Data)
	}
}

// One chunk of a message that is refused does not take the others with it.
func TestARefusedChunkIsRefusedAlone(t *testing.T) {
	const targets, items = 3, 1
	g := newGroup(t, listOf(targets, 1), items)
	refused := watched(t)
	g.cfg.Refused = refused.Refusals
	served := g.serving(within(t))
	th := g.thief()
	d := th.steal(t)
	b := th.batch(t, d)
	var heads []chunk
	var data []byte
	for i, e := range []*report.Result{{Target: 0}, {Target: 1, Index: items}, {Target: 2}, {Target: 1}} {
		var p packing.Packer
		if err := p.Add(e); err != nil {
			t.Fatal(err)
		}
		events := p.Take()
		heads = append(heads, chunk{Batch: b.ID, Run: "r", Worker: "w", Seq: i, Size: len(events)})
		data = append(data, events...)
	}
	heads[3].End = &end{}
	m, err := message(th.shift.names.eventsSubject(b.Partition), heads, data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := th.shift.conn.publish(t.Context(), m, "one"); err != nil {
		t.Fatal(err)
	}
	if err := await(t, served); err != nil {
		t.Fatal(err)
	}
	g.book.wantOnce(t, targets, items)
	if n := refused.Count(); n != 1 {
		t.Errorf("%d chunks were refused, want 1", n)
	}
}

func TestHeadsThatAreNone(t *testing.T) {
	good := chunk{Batch: "b", Run: "r", Worker: "w", Size: 3}
	header := func(heads ...chunk) nats.Header {
		m, err := message("s", heads, nil)
		if err != nil {
			t.Fatal(err)
		}
		return m.Header
	}
	if heads, err := decodeChunks(header(good, good), 6); err != nil || len(heads) != 2 {
		t.Fatalf("two plain ones give %v, %v", heads, err)
	}
	twice := header(good)
	twice.Add(chunkHeader, "[]")
	object, negative, unnamed, elsewhere, busy := good, good, good, good, good
	object.Object, negative.Size, unnamed.Batch = "o", -3, ""
	elsewhere.Object, elsewhere.Size = "o", 0
	busy.End = &end{Sent: maxSent + 1}
	if heads, err := decodeChunks(header(elsewhere), 0); err != nil || len(heads) != 1 {
		t.Fatalf("one with an object gives %v, %v", heads, err)
	}
	for name, c := range map[string]struct {
		header nats.Header
		size   int
	}{
		"none":                      {nats.Header{}, 0},
		"an empty list":             {header(), 0},
		"two headers":               {twice, 3},
		"an object, not a list":     {nats.Header{chunkHeader: {`{"batch":"b"}`}}, 0},
		"no JSON":                   {nats.Header{chunkHeader: {`[`}}, 0},
		"an unknown field":          {nats.Header{chunkHeader: {`[{"batch":"b","run":"r","worker":"w","seq":0,"also":1}]`}}, 0},
		"too many":                  {header(slices.Repeat([]chunk{good}, maxChunks+1)...), 3 * (maxChunks + 1)},
		"more than there is":        {header(good, good), 5},
		"less than there is":        {header(good), 4},
		"events here and elsewhere": {header(object), 3},
		"a size below 0":            {header(good, negative), 0},
		"no name":                   {header(unnamed), 3},
		"an object among others":    {header(good, elsewhere), 3},
		"more requests than can be": {header(busy), 3},
	} {
		if heads, err := decodeChunks(c.header, c.size); err == nil {
			t.Errorf("%s: %v was taken", name, heads)
		}
	}
}

// Chunks with an object go alone, and all the others together as far as they fit.
func TestWhatGoesInOneMessage(t *testing.T) {
	m := newMail(nil, names{})
	for _, c := range []struct {
		object string
		size   int
	}{{"", 10}, {"o", 0}, {"", maxChunk / 2}, {"", maxChunk / 2}, {"", 1}, {"o", 0}, {"o", 0}} {
		m.waiting = append(m.waiting, &parcel{chunk: chunk{Object: c.object}, events: make([]byte, c.size)})
	}
	var got []int
	for all := m.next(); len(all) > 0; all = m.next() {
		got = append(got, len(all))
	}
	if want := []int{1, 1, 2, 1, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("messages of %v chunks, want %v", got, want)
	}
}
