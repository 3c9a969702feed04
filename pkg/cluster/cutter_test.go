package cluster

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Every target goes out once, with its partition, in its order, and no batch is larger than it may be.
func TestCutterKeepsItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		partitions := rapid.IntRange(1, 8).Draw(t, "partitions")
		spec := Spec{Scan: "s", Items: 2, Partitions: partitions}
		spec.withDefaults()
		c := newCutter(partitions)
		sent := 0
		lastOf := make(map[int]int64)
		take := func(batches []Batch) {
			for _, b := range batches {
				b.ID = "x"
				if err := b.check(&spec); err != nil {
					t.Fatal(err)
				}
				if hosts := countHosts(b.Targets); hosts > MaxBatchHosts {
					t.Fatalf("%d hosts in a batch", hosts)
				}
				data, err := json.Marshal(b)
				if err != nil || len(data) > maxMessage {
					t.Fatalf("%d bytes in a batch, %v", len(data), err)
				}
				for _, target := range b.Targets {
					if last, seen := lastOf[b.Partition]; seen && target.Index <= last {
						t.Fatalf("target %d comes after %d", target.Index, last)
					}
					lastOf[b.Partition] = target.Index
				}
				sent += len(b.Targets)
			}
		}
		n := rapid.IntRange(0, 500).Draw(t, "targets")
		hosts := rapid.IntRange(1, 300).Draw(t, "hosts")
		size := rapid.SampledFrom([]int{1, 1000, 60_000}).Draw(t, "bytes of a line")
		for i := range n {
			target := target(i, fmt.Sprintf("h%d:80", rapid.IntRange(0, hosts).Draw(t, "host")))
			target.Line = json.RawMessage(`"` + strings.Repeat("x", size) + `"`)
			take(c.add(target))
			if c.bytes > maxOpenBytes || c.targets > maxOpenTargets {
				t.Fatalf("%d targets of %d bytes are held back", c.targets, c.bytes)
			}
		}
		take(c.flush())
		if sent != n || c.targets != 0 || c.bytes != 0 {
			t.Fatalf("%d of %d targets went out, %d of %d bytes are held", sent, n, c.targets, c.bytes)
		}
	})
}

func TestPortsOfAHostShareAPartition(t *testing.T) {
	for _, keys := range [][]string{
		{"a.example", "a.example:80", "a.example:8443"},
		{"[2001:db8::1]", "[2001:db8::1]:80"},
		{"192.0.2.1", "192.0.2.1:443"},
	} {
		for _, k := range keys {
			if got, want := partitionOf(k, 64), partitionOf(keys[0], 64); got != want {
				t.Errorf("%s is in partition %d, %s in %d", k, got, keys[0], want)
			}
		}
	}
}

func TestBatchesTooLargeForAMessageAreCutInParts(t *testing.T) {
	spec := testSpec()
	spec.Partitions = 1
	b := Batch{ID: "x"}
	for i := range 100 {
		key := fmt.Sprintf("h%d:80", i)
		target := target(i, key)
		target.Line = json.RawMessage(`"` + strings.Repeat("x", 20_000) + `"`)
		b.Targets = append(b.Targets, target)
		b.Hosts = append(b.Hosts, Host{Key: key, State: "open"})
	}
	parts, encoded, err := encodeBatches(b)
	if err != nil {
		t.Fatal(err)
	}
	targets, hosts := 0, 0
	for i, data := range encoded {
		got, err := decodeBatch(data, &spec)
		if err != nil || len(got.Targets) != len(parts[i].Targets) {
			t.Fatal(err)
		}
		targets += len(got.Targets)
		hosts += len(got.Hosts)
		if len(got.Hosts) != len(got.Targets) {
			t.Errorf("%d hosts go with %d targets of as many", len(got.Hosts), len(got.Targets))
		}
	}
	if targets != 100 || hosts != 100 || len(parts) < 2 {
		t.Errorf("%d targets and %d hosts in %d parts, want 100 in several", targets, hosts, len(parts))
	}
}
