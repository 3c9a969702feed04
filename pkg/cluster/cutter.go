package cluster

import (
	"encoding/json"
	"maps"
	"slices"
)

const (
	maxOpenTargets = 20_000 // in batches that are not full yet
	maxOpenBytes   = 8 << 20
)

// cutter cuts targets into batches, each of one partition. It is pure, and not safe for concurrent use.
type cutter struct {
	partitions int
	open       map[int]*openBatch
	targets    int
	bytes      int
}

type openBatch struct {
	targets []Target
	hosts   map[string]struct{}
	bytes   int
}

func newCutter(partitions int) *cutter {
	return &cutter{partitions: partitions, open: make(map[int]*openBatch)}
}

// add takes a target and returns the batches that are to go because of it, without ids.
func (c *cutter) add(t Target) []Batch {
	var ready []Batch
	p := partitionOf(t.Key, c.partitions)
	size := len(t.Line) + len(t.Key) + 8*len(t.Again) + 64
	if b := c.open[p]; b != nil && !b.fits(t.Key, size) {
		ready = append(ready, c.close(p))
	}
	b := c.open[p]
	if b == nil {
		b = &openBatch{hosts: make(map[string]struct{})}
		c.open[p] = b
	}
	b.targets = append(b.targets, t)
	b.hosts[t.Key] = struct{}{}
	b.bytes += size
	c.targets++
	c.bytes += size
	if len(b.targets) == MaxBatchTargets {
		ready = append(ready, c.close(p))
	}
	if c.targets > maxOpenTargets || c.bytes > maxOpenBytes {
		ready = append(ready, c.close(c.largest()))
	}
	return ready
}

func (b *openBatch) fits(key string, size int) bool {
	_, known := b.hosts[key]
	return (known || len(b.hosts) < MaxBatchHosts) && b.bytes+size <= maxBatchBytes
}

func (c *cutter) largest() int {
	return slices.MaxFunc(slices.Collect(maps.Keys(c.open)), func(x, y int) int { return c.open[x].bytes - c.open[y].bytes })
}

func (c *cutter) close(p int) Batch {
	b := c.open[p]
	delete(c.open, p)
	c.targets -= len(b.targets)
	c.bytes -= b.bytes
	return Batch{Partition: p, Targets: b.targets}
}

// flush returns all that is open, in the order of partitions.
func (c *cutter) flush() []Batch {
	var ready []Batch
	for _, p := range slices.Sorted(maps.Keys(c.open)) {
		ready = append(ready, c.close(p))
	}
	return ready
}

// halves cuts what is too large for a message in two; a batch of one target stays.
func halves(b Batch) []Batch {
	if len(b.Targets) < 2 {
		return []Batch{b}
	}
	first, second := b, b
	middle := len(b.Targets) / 2
	first.Targets, second.Targets = b.Targets[:middle], b.Targets[middle:]
	first.Hosts, second.Hosts = hostsOf(first.Targets, b.Hosts), hostsOf(second.Targets, b.Hosts)
	return []Batch{first, second}
}

// hostsOf are the hosts that targets may mean.
func hostsOf(targets []Target, hosts []Host) []Host {
	keys := make(map[string]struct{}, len(targets))
	for i := range targets {
		for _, k := range breakerKeys(targets[i].Key) {
			keys[k] = struct{}{}
		}
	}
	return slices.DeleteFunc(slices.Clone(hosts), func(h Host) bool {
		_, ok := keys[h.Key]
		return !ok
	})
}

// encodeBatches encodes a batch, in as many parts as it needs.
func encodeBatches(b Batch) ([]Batch, [][]byte, error) {
	data, err := json.Marshal(b)
	if err != nil {
		return nil, nil, err
	}
	if len(data) <= maxMessage || len(b.Targets) < 2 {
		return []Batch{b}, [][]byte{data}, nil
	}
	var batches []Batch
	var all [][]byte
	for _, half := range halves(b) {
		parts, encoded, err := encodeBatches(half)
		if err != nil {
			return nil, nil, err
		}
		batches, all = append(batches, parts...), append(all, encoded...)
	}
	return batches, all, nil
}
