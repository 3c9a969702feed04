package cluster

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	sizeTargets = 1024                  // a list that has more is a long one
	sizeWait    = 50 * time.Millisecond // how long to wait for its end: it may come through a pipe
	fairHosts   = 12                    // of a partition of a short list
	fairItems   = 12_500                // of one, too: they keep a worker busy for a part of a second at least
	fewest      = 8                     // partitions that a list is cut into
)

// reading is the input, read beside the scan.
type reading struct {
	targets chan Target
	ended   chan error          // why there are no more; targets is closed then
	sized   chan struct{}       // closed when the input has ended, or is a long one
	hosts   map[string]struct{} // of a short one; set before sized is closed
	length  int                 // its targets; set with hosts
}

func newReading() *reading {
	return &reading{targets: make(chan Target, sizeTargets), ended: make(chan error, 1), sized: make(chan struct{})}
}

// read passes on the input until it ends, or ctx does.
func (r *reading) read(ctx context.Context, from interface{ Next() (Target, error) }) {
	defer close(r.targets)
	sized := sync.OnceFunc(func() { close(r.sized) })
	defer sized()
	hosts := make(map[string]struct{})
	for n := 0; ; n++ {
		t, err := from.Next()
		if err != nil {
			if errors.Is(err, io.EOF) && n <= sizeTargets {
				r.hosts, r.length = hosts, n
			}
			r.ended <- err
			return
		}
		if n < sizeTargets {
			hosts[t.Key] = struct{}{}
		} else {
			sized()
		}
		select {
		case r.targets <- t:
		case <-ctx.Done():
			r.ended <- context.Cause(ctx)
			return
		}
	}
}

// partitions is how many the hosts are divided among, where each target has so many items. Each partition costs something, and neither
// a short list nor a little work needs many.
func (r *reading) partitions(ctx context.Context, items int) int {
	timer := time.NewTimer(sizeWait)
	defer timer.Stop()
	select {
	case <-r.sized:
	case <-timer.C:
		return DefaultPartitions
	case <-ctx.Done():
		return DefaultPartitions
	}
	if len(r.hosts) == 0 {
		return DefaultPartitions
	}
	fair := min((len(r.hosts)+fairHosts-1)/fairHosts, (r.length*items+fairItems-1)/fairItems)
	return min(DefaultPartitions, max(fewest, fair))
}

// used are the partitions that have hosts, as far as that is known: else all of them.
func (r *reading) used(partitions int) []int {
	var hosts map[string]struct{}
	select {
	case <-r.sized:
		hosts = r.hosts
	default:
	}
	used := make(map[int]struct{}, partitions)
	for key := range hosts {
		used[partitionOf(key, partitions)] = struct{}{}
	}
	for p := 0; len(hosts) == 0 && p < partitions; p++ {
		used[p] = struct{}{}
	}
	return slices.Sorted(maps.Keys(used))
}
