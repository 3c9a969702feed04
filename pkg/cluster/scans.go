package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ScanStatus is a scan that has a place on a server.
type ScanStatus struct {
	Scan    string `json:"scan"`
	Version string `json:"version,omitempty"` // "" when it was killed as it began or ended
	Served  bool   `json:"served"`            // its coordinator is there; else it was killed, and may come again
}

// ErrServed says that a scan has a coordinator, which is to be stopped rather.
var ErrServed = errors.New("its coordinator is there: stop that, and it takes its scan away")

// ErrNoScan says that a server knows of no such scan.
var ErrNoScan = errors.New("the server has no such scan")

// Scans lists the scans that have a place on a server, by their ids.
func Scans(ctx context.Context, c *Conn) ([]ScanStatus, error) {
	all, err := c.places(ctx)
	if err != nil {
		return nil, err
	}
	var asking sync.WaitGroup
	turn := make(chan struct{}, scansAtOnce)
	for i := range all {
		turn <- struct{}{}
		asking.Go(func() {
			defer func() { <-turn }()
			all[i].Served = c.served(ctx, all[i].Scan)
		})
	}
	asking.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	slices.SortFunc(all, func(x, y ScanStatus) int { return cmp.Compare(x.Scan, y.Scan) })
	return all, nil
}

// scansAtOnce is how many scans are asked for their coordinators at the same time: to hear of none takes most of a second.
const scansAtOnce = 256

// places finds the scans that have a place on a server, in no order, but not whether they are served.
func (c *Conn) places(ctx context.Context) ([]ScanStatus, error) {
	ctx, stop := context.WithTimeout(ctx, callTimeout)
	defer stop()
	var all []ScanStatus
	err := c.noticed(ctx, func(scan string, data []byte, _ uint64) {
		if n, err := decodeNotice(data); err == nil && n.Spec.Scan == scan {
			all = append(all, ScanStatus{Scan: scan, Version: n.Spec.Version})
		}
	})
	if err != nil {
		return nil, err
	}
	// One that was killed as it began or ended has streams and stands in no list.
	streams := c.js.StreamNames(ctx)
	for name := range streams.Name() {
		scan, ours := strings.CutPrefix(name, "redial-")
		scan, work := strings.CutSuffix(scan, "-work")
		if !ours || !work || slices.ContainsFunc(all, func(s ScanStatus) bool { return s.Scan == scan }) {
			continue
		}
		all = append(all, ScanStatus{Scan: scan})
	}
	if err := streams.Err(); err != nil {
		return nil, fmt.Errorf("list the streams: %w", err)
	}
	return all, nil
}

// served says whether a scan has a coordinator: somebody hears questions about it, be it that the answer comes late. A
// coordinator listens before it makes its place or takes it up.
func (c *Conn) served(ctx context.Context, scan string) bool {
	ctx, stop := context.WithTimeout(ctx, ledgerWait)
	defer stop()
	q := mustEncode(question{Worker: "nobody", Batch: "none"})
	for try := 1; ; try++ {
		_, err := c.nc.RequestWithContext(ctx, names{scan}.ledgerSubject(), q)
		if !errors.Is(err, nats.ErrNoResponders) {
			return true
		}
		if try == 4 || !pause(ctx, reconnectWait) {
			return false
		}
	}
}

// Forget takes away all that a scan has on a server whose coordinator will not come again. Workers give up what they have of it.
// The error is [ErrNoScan], [ErrServed], or what the server had to say.
func Forget(ctx context.Context, c *Conn, scan string) error {
	if !validID(scan) {
		return ErrNoScan
	}
	if c.served(ctx, scan) {
		return ErrServed
	}
	ctx, stop := context.WithTimeout(ctx, 3*callTimeout)
	defer stop()
	if _, err := c.js.Stream(ctx, names{scan}.work()); errors.Is(err, jetstream.ErrStreamNotFound) {
		kv, err := c.notices(ctx)
		if err != nil {
			return err
		}
		if _, err := kv.Get(ctx, scan); errors.Is(err, jetstream.ErrKeyNotFound) {
			return ErrNoScan
		}
	}
	return c.remove(ctx, scan)
}
