package cluster

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/redialscan/redial/pkg/hostkey"
	"github.com/redialscan/redial/pkg/report"
)

// Bounds of a batch, and of the parts of one.
const (
	MaxBatchHosts   = 100
	MaxBatchTargets = 10_000
	maxBatchBytes   = 512 << 10 // as cut; with the states of its hosts it stays below maxMessage
	maxTargetBytes  = 128 << 10
	maxHosts        = 4 * MaxBatchHosts // a host without a scheme may be two for the breaker, and hops may be others
	maxMessage      = 1<<20 - 4<<10     // what a server takes by default, less the headers
	maxItems        = 1 << 20           // of a target
	maxTarget       = 1 << 40           // index of a target
	maxText         = 4 << 10           // of an error in a host's state
	maxPace         = 64 << 10
)

// Host is what is to be remembered of a host that is not simply well. The zero value of all but the key says that it is.
type Host struct {
	Key    string `json:"key"`   // of the breaker: host:port
	State  string `json:"state"` // closed, open, half-open, dead
	Errors int    `json:"errors,omitempty"`
	Trips  int    `json:"trips,omitempty"`
	// Left is the time until something may be sent to the host again, whatever keeps it back; 0 = now. It is counted from
	// when the state was told, and is corrected for the time that passed on its way.
	Left      report.Duration `json:"left,omitempty"`
	Seq       uint64          `json:"seq,omitempty"` // of the breaker's last transition: what comes next goes on from it
	LastError string          `json:"last_error,omitempty"`
	Pace      json.RawMessage `json:"pace,omitempty"` // limiter, failure window, throttle: in the Runner's own words
}

// Target is one target of a batch, with the items of it that are to be run: all from From on, and those in Again, which
// come before.
type Target struct {
	Index int64           `json:"index"` // in the input, from 0
	Key   string          `json:"key"`   // of its host; without a port while the scheme is open
	Line  json.RawMessage `json:"line"`  // the target in the words of whoever reads and runs it
	From  int             `json:"from,omitempty"`
	Again []int           `json:"again,omitempty"` // ascending
}

// Batch is work for one worker: targets of one partition.
type Batch struct {
	ID        string   `json:"id"`
	Partition int      `json:"partition"`
	Targets   []Target `json:"targets"`
	Hosts     []Host   `json:"hosts,omitempty"` // what is known of their hosts; others are well
	// Failures is how often a worker could not run it at all.
	Failures int `json:"failures,omitempty"`
	// Parked is the place in the stream where the batch waited before, 0 for none.
	Parked uint64 `json:"parked,omitempty"`
}

// partitionOf says which partition a host is in. Ports are left out, because the port of a target without a scheme is not known yet.
func partitionOf(key string, partitions int) int {
	name := key
	if host, _, err := hostkey.Split(key); err == nil {
		name = host
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	return int(h.Sum32() % uint32(partitions))
}

// check refuses what no coordinator sends. spec bounds it.
func (b *Batch) check(spec *Spec) error {
	switch {
	case !validID(b.ID):
		return fmt.Errorf("batch id %.40q, expected 1 to 64 letters, digits, dots and dashes", b.ID)
	case b.Partition < 0 || b.Partition >= spec.Partitions:
		return fmt.Errorf("partition %d, expected 0 to %d", b.Partition, spec.Partitions-1)
	case len(b.Targets) == 0 || len(b.Targets) > MaxBatchTargets:
		return fmt.Errorf("%d targets, expected 1 to %d", len(b.Targets), MaxBatchTargets)
	case b.Failures < 0:
		return fmt.Errorf("%d failures, expected 0 or more", b.Failures)
	}
	seen := make(map[int64]struct{}, len(b.Targets))
	for i := range b.Targets {
		t := &b.Targets[i]
		if err := t.check(spec); err != nil {
			return fmt.Errorf("target %d of the batch: %w", i, err)
		}
		if _, twice := seen[t.Index]; twice {
			return fmt.Errorf("target %d of the batch: %d is there twice", i, t.Index)
		}
		seen[t.Index] = struct{}{}
		if p := partitionOf(t.Key, spec.Partitions); p != b.Partition {
			return fmt.Errorf("target %d of the batch: %.80q is of partition %d, expected %d", i, t.Key, p, b.Partition)
		}
	}
	return checkHosts(b.Hosts)
}

func (t *Target) check(spec *Spec) error {
	switch {
	case t.Index < 0 || t.Index >= maxTarget:
		return fmt.Errorf("index %d, expected 0 to %d", t.Index, int64(maxTarget)-1)
	case t.Key == "" || len(t.Key) > 300:
		return fmt.Errorf("a key of %d bytes, expected 1 to 300", len(t.Key))
	case len(t.Line) == 0 || len(t.Line) > maxTargetBytes:
		return fmt.Errorf("a line of %d bytes, expected 1 to %d", len(t.Line), maxTargetBytes)
	case t.From < 0 || t.From > spec.Items:
		return fmt.Errorf("items from %d, expected 0 to %d", t.From, spec.Items)
	case t.From == spec.Items && len(t.Again) == 0:
		return fmt.Errorf("no items, expected some of %d", spec.Items)
	case !slices.IsSorted(t.Again) || len(t.Again) > 0 && (t.Again[0] < 0 || t.Again[len(t.Again)-1] >= t.From):
		return fmt.Errorf("single items that are not ascending from 0 to %d", t.From-1)
	case len(slices.Compact(slices.Clone(t.Again))) != len(t.Again):
		return fmt.Errorf("single items that are there twice")
	}
	return nil
}

func checkHosts(hosts []Host) error {
	if len(hosts) > maxHosts {
		return fmt.Errorf("states of %d hosts, expected at most %d", len(hosts), maxHosts)
	}
	for i := range hosts {
		if err := hosts[i].check(); err != nil {
			return fmt.Errorf("host %d: %w", i, err)
		}
	}
	return nil
}

func (h *Host) check() error {
	switch {
	case h.Key == "" || len(h.Key) > 300:
		return fmt.Errorf("a key of %d bytes, expected 1 to 300", len(h.Key))
	case !slices.Contains([]string{"closed", "open", "half-open", "dead"}, h.State):
		return fmt.Errorf("state %.40q, expected closed, open, half-open or dead", h.State)
	case h.Errors < 0 || h.Trips < 0 || h.Left < 0:
		return fmt.Errorf("errors %d, trips %d, left %s, expected none below 0", h.Errors, h.Trips, h.Left)
	case len(h.LastError) > maxText || len(h.Pace) > maxPace:
		return fmt.Errorf("an error of %d and a pace of %d bytes, expected at most %d and %d", len(h.LastError), len(h.Pace), maxText, maxPace)
	}
	return nil
}

// validID says whether a name can stand in a subject and in the name of a stream.
func validID(id string) bool {
	return id != "" && len(id) <= 64 && strings.Trim(id, ".") == id && !strings.Contains(id, "..") && strings.IndexFunc(id, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '.'
	}) < 0
}
