package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/redialscan/redial/pkg/report"
)

func TestAScanWithoutCoordinatorIsForgotten(t *testing.T) {
	const targets, items = 12, 3
	g := newGroup(t, listOf(targets, 4), items)
	conn := dial(t, g.server, Access{Name: "coordinator"})
	g.cfg.Conn = conn
	served := make(chan error, 1)
	serving, kill := context.WithCancel(within(t))
	defer kill()
	go func() {
		_, err := g.serve(serving)
		served <- err
	}()
	h := hang(items)
	ended := make(chan error, 1)
	worker := dial(t, g.server, Access{Name: "w1"})
	go func() {
		ended <- Join(within(t), WorkerConfig{
			Conn: worker, Name: "w1", Version: "v1", Slots: 4,
			NewRunner: func(context.Context, Spec, string) (Runner, error) { return h, nil }, Log: t.Logf,
		})
	}()
	await(t, h.began)
	own := dial(t, g.server, Access{Name: "own"})
	want := func(served bool) {
		t.Helper()
		all, err := Scans(within(t), own)
		if err != nil || len(all) != 1 || all[0] != (ScanStatus{Scan: "s1", Version: "v1", Served: served}) {
			t.Fatalf("got %+v, %v, want one scan, served: %v", all, err, served)
		}
	}
	want(true)
	if err := Forget(within(t), own, "s1"); !errors.Is(err, ErrServed) {
		t.Errorf("got %v, want ErrServed", err)
	}
	for _, scan := range []string{"s2", "", "*"} {
		if err := Forget(within(t), own, scan); !errors.Is(err, ErrNoScan) {
			t.Errorf("%q: got %v, want ErrNoScan", scan, err)
		}
	}
	conn.Close() // as when it is killed
	kill()
	if err := await(t, served); err == nil {
		t.Error("the scan ended well without a connection")
	}
	want(false)
	kv, err := own.notices(within(t))
	if err == nil {
		err = kv.Purge(within(t), "s1") // as when it is killed while it cleans up
	}
	if err != nil {
		t.Fatal(err)
	}
	if all, err := Scans(within(t), own); err != nil || len(all) != 1 || all[0] != (ScanStatus{Scan: "s1"}) {
		t.Errorf("got %+v, %v, want a scan that only has streams", all, err)
	}
	if err := Forget(within(t), own, "s1"); err != nil {
		t.Fatal(err)
	}
	if err := await(t, ended); err != nil { // the worker leaves the scan, and is free for another
		t.Error(err)
	}
	if all, err := Scans(within(t), own); err != nil || len(all) != 0 {
		t.Errorf("got %+v, %v, want no scans", all, err)
	}
	left := own.js.StreamNames(within(t))
	for name := range left.Name() {
		if strings.Contains(name, "s1") {
			t.Errorf("stream %s is left", name)
		}
	}
	if _, err := own.js.ObjectStore(within(t), names{"s1"}.files()); !errors.Is(err, jetstream.ErrBucketNotFound) {
		t.Errorf("the store of files: got %v, want ErrBucketNotFound", err)
	}
}

func TestManyScansWithoutCoordinatorsAreListed(t *testing.T) {
	const scans = 20
	conn := dial(t, startServer(t, EmbedConfig{}), Access{Name: "own"})
	for i := range scans {
		n := names{fmt.Sprintf("s%02d", i)}
		_, err := conn.js.CreateStream(within(t), jetstream.StreamConfig{
			Name: n.work(), Subjects: []string{n.every("work")}, Storage: jetstream.MemoryStorage,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	all, err := Scans(within(t), conn)
	if err != nil || len(all) != scans {
		t.Fatalf("got %d scans, %v, want %d", len(all), err, scans)
	}
	for i, s := range all {
		if want := (ScanStatus{Scan: fmt.Sprintf("s%02d", i)}); s != want {
			t.Errorf("got %+v, want %+v", s, want)
		}
	}
}

// slowStart is a handler whose start takes as long as somebody likes.
type slowStart struct {
	*book
	began, goOn chan struct{}
}

func (s *slowStart) Start() error {
	close(s.began)
	<-s.goOn
	return nil
}

func TestAScanThatIsBeingTakenUpIsNotForgotten(t *testing.T) {
	const targets, items = 3, 2
	g := newGroup(t, listOf(targets, 1), items)
	slow := &slowStart{book: g.book, began: make(chan struct{}), goOn: make(chan struct{})}
	g.cfg.Handlers = []report.Handler{slow}
	served := g.serving(within(t))
	await(t, slow.began)
	if err := Forget(within(t), dial(t, g.server, Access{Name: "own"}), "s1"); !errors.Is(err, ErrServed) {
		t.Errorf("got %v, want ErrServed", err)
	}
	close(slow.goOn)
	g.join("w1", answering(items))
	if err := await(t, served); err != nil {
		t.Fatal(err)
	}
	g.book.wantOnce(t, targets, items)
}
