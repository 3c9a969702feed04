package cluster

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/redialscan/redial/pkg/report"
)

func testSpec() Spec {
	s := Spec{Scan: "a1", Version: "v1", Items: 10}
	s.withDefaults()
	return s
}

func testBatch(spec *Spec, key string) Batch {
	return Batch{ID: "x-1", Partition: partitionOf(key, spec.Partitions), Targets: []Target{
		{Index: 7, Key: key, Line: json.RawMessage(`"http://a"`), From: 5, Again: []int{1, 3}},
	}, Hosts: []Host{{Key: "a:80", State: "open", Trips: 1, Left: report.Duration(time.Second), Pace: json.RawMessage(`{"rate":1}`)}}}
}

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestBatchesAreReadBack(t *testing.T) {
	spec := testSpec()
	want := testBatch(&spec, "a:80")
	got, err := decodeBatch(mustJSON(t, want), &spec)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestBatchesThatNobodySendsAreRefused(t *testing.T) {
	spec := testSpec()
	for name, spoil := range map[string]func(*Batch){
		"no id":                func(b *Batch) { b.ID = "" },
		"id of a wildcard":     func(b *Batch) { b.ID = "a.*" },
		"no targets":           func(b *Batch) { b.Targets = nil },
		"other partition":      func(b *Batch) { b.Partition = (b.Partition + 1) % spec.Partitions },
		"partition below 0":    func(b *Batch) { b.Partition = -1 },
		"index below 0":        func(b *Batch) { b.Targets[0].Index = -1 },
		"index out of range":   func(b *Batch) { b.Targets[0].Index = maxTarget },
		"from out of range":    func(b *Batch) { b.Targets[0].From = spec.Items + 1 },
		"again not ascending":  func(b *Batch) { b.Targets[0].Again = []int{3, 1} },
		"again twice":          func(b *Batch) { b.Targets[0].Again = []int{1, 1} },
		"again beyond from":    func(b *Batch) { b.Targets[0].Again = []int{5} },
		"again below 0":        func(b *Batch) { b.Targets[0].Again = []int{-1} },
		"nothing to do":        func(b *Batch) { b.Targets[0].From, b.Targets[0].Again = spec.Items, nil },
		"target twice":         func(b *Batch) { b.Targets = append(b.Targets, b.Targets[0]) },
		"too many targets":     func(b *Batch) { b.Targets = make([]Target, MaxBatchTargets+1) },
		"too long a line":      func(b *Batch) { b.Targets[0].Line = mustJSON(t, strings.Repeat("x", maxTargetBytes)) },
		"unknown state":        func(b *Batch) { b.Hosts[0].State = "drunk" },
		"cooldown below 0":     func(b *Batch) { b.Hosts[0].Left = -1 },
		"too many host states": func(b *Batch) { b.Hosts = make([]Host, maxHosts+1) },
		"failures below 0":     func(b *Batch) { b.Failures = -1 },
	} {
		b := testBatch(&spec, "a:80")
		spoil(&b)
		if _, err := decodeBatch(mustJSON(t, b), &spec); err == nil {
			t.Errorf("%s: it was accepted", name)
		}
	}
	whole := string(mustJSON(t, testBatch(&spec, "a:80")))
	for name, text := range map[string]string{
		"nothing":       "",
		"no object":     "[]",
		"unknown field": strings.Replace(whole, `"id"`, `"run":"rm","id"`, 1),
		"two objects":   whole + whole,
		"cut short":     whole[:len(whole)-1],
		"huge":          strings.Replace(whole, `"id"`, `"id":"`+strings.Repeat("x", maxMessage)+`","id"`, 1),
		"wrong type":    strings.Replace(whole, `"index":7`, `"index":"7"`, 1),
	} {
		if _, err := decodeBatch([]byte(text), &spec); err == nil {
			t.Errorf("%s: it was accepted", name)
		}
	}
}

func TestNoticesThatNobodySendsAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(*notice){
		"other protocol":   func(n *notice) { n.Spec.Protocol++ },
		"scan of a folder": func(n *notice) { n.Spec.Scan = "../x" },
		"no items":         func(n *notice) { n.Spec.Items = 0 },
		"rate below 0":     func(n *notice) { n.Spec.Rate = -1 },
		"no partitions":    func(n *notice) { n.Spec.Partitions = 0 },
		"no ack wait":      func(n *notice) { n.Spec.AckWait = 0 },
		"phase":            func(n *notice) { n.Phase = "party" },
		"bound":            func(n *notice) { n.Bound = -1 },
		"bundle":           func(n *notice) { n.Spec.Bundle = Bundle{Sum: "../../etc", Size: 1} },
		"piece of a bundle": func(n *notice) {
			n.Spec.Bundle = Bundle{Sum: strings.Repeat("a", sumLength), Size: 1, Piece: "*"}
		},
	} {
		n := notice{Spec: testSpec(), Phase: phaseRun}
		if _, err := decodeNotice(mustJSON(t, n)); err != nil {
			t.Fatalf("the plain one is refused: %v", err)
		}
		spoil(&n)
		if _, err := decodeNotice(mustJSON(t, n)); err == nil {
			t.Errorf("%s: it was accepted", name)
		}
	}
}

func TestRefusalsAreCountedAndToldOnceAWhile(t *testing.T) {
	var told []string
	r := Refusals{Tell: func(format string, args ...any) { told = append(told, format) }}
	for range 3 {
		r.note("work", "redial.x.work.1", errors.New("no"))
	}
	r.note("events", "redial.x.events.1", errors.New("no"))
	if r.Count() != 4 || len(told) != 2 {
		t.Errorf("%d counted and %d told, want 4 and 2", r.Count(), len(told))
	}
	if now := time.Now(); r.due("work", now) || !r.due("work", now.Add(tellEvery)) {
		t.Error("a kind is told of again before ten seconds have passed, or not after them")
	}
}

// What a decoder accepts is within the bounds that it promises, and is written and read back the same.
func FuzzMessages(f *testing.F) {
	spec := testSpec()
	f.Add(mustJSON(f, testBatch(&spec, "a:80")))
	f.Add(mustJSON(f, testBatch(&spec, "a:80").Hosts[0]))
	f.Add(mustJSON(f, notice{Spec: spec, Phase: phaseRun, Bound: 5}))
	f.Add([]byte(`{"id":"","partition":-1,"targets":[null]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if b, err := decodeBatch(data, &spec); err == nil {
			again, err := decodeBatch(mustJSON(t, b), &spec)
			if err != nil || len(again.Targets) != len(b.Targets) || len(b.Targets) > MaxBatchTargets {
				t.Errorf("%d targets of batch %q are read back as %d, %v", len(b.Targets), b.ID, len(again.Targets), err)
			}
		}
		if h, err := decodeHost(data); err == nil {
			if _, err := decodeHost(mustJSON(t, h)); err != nil || h.Left < 0 || h.Key == "" {
				t.Errorf("host %+v is not read back: %v", h, err)
			}
		}
		if n, err := decodeNotice(data); err == nil {
			if _, err := decodeNotice(mustJSON(t, n)); err != nil || n.Spec.Items < 1 {
				t.Errorf("notice %+v is not read back: %v", n, err)
			}
		}
	})
}
