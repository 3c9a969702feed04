package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/redialscan/redial/pkg/journal"
	"github.com/redialscan/redial/pkg/report"
)

// Config is what a coordinator is made of.
type Config struct {
	Conn  *Conn
	Spec  Spec // Scan "" = a new id
	Files []File
	// Targets gives the targets in the order of their indexes, and io.EOF after the last one. It is asked from one goroutine.
	Targets interface{ Next() (Target, error) }
	// StopReading makes a Next that waits return, when the scan is stopped; nil = it never waits.
	StopReading func()
	Linger      time.Duration // how long parked hosts are waited for at most when they are all that is left

	First    []report.Event   // told before all others
	Handlers []report.Handler // the events file first: what it has flushed is let go of
	// Last gives the event that ends the scan, when the handlers have seen all others; nil = none.
	Last         func(Ending, error) report.Event
	OutputFailed func(error)
	// Earlier is a scan of the same targets and items that goes on here; nil = none.
	Earlier *journal.Progress
	// Name says of items that the coordinator itself skips which target they are of: URL and input. nil = nothing.
	Name    func(Target, *report.Skipped)
	Refused *Refusals                        // nil = nobody asks for it
	Log     func(format string, args ...any) // nil = nobody
}

// Ending is what became of a scan.
type Ending struct {
	Items   int64 // that the input made; those of Earlier are among them
	Hosts   int64 // counted once for targets that follow each other
	Sent    int64 // requests that workers told of
	Refused int64 // messages
}

// Status is a scan at one moment.
type Status struct {
	Phase   string
	Items   int64 // read so far
	Growing bool  // more may be read
	Hosts   int64
	Sent    int64
	Queued  int // batches that are with workers or wait for them
	Parked  int // remainders that wait for their hosts
	Workers []WorkerStatus
	Refused int64 // messages
}

// LostError says that items ended nowhere: every batch came back, and no worker has told of them.
type LostError struct{ Items int64 }

func (e *LostError) Error() string {
	return fmt.Sprintf("%d items were given out and no worker has told of them", e.Items)
}

// ErrStopped is the cause of the end of a scan whose context has ended.
var ErrStopped = errors.New("the scan was stopped")

// Coordinator runs one scan by the workers that take part. Make it with [NewCoordinator]. Serve is called once; the other
// methods are safe for concurrent use.
type Coordinator struct {
	cfg   Config
	conn  *Conn
	spec  Spec
	names names

	mu      sync.Mutex
	status  Status
	workers map[string]struct{} // that have told something
}

// NewCoordinator makes a coordinator. The error says what is wrong with cfg.
func NewCoordinator(cfg Config) (*Coordinator, error) {
	spec := cfg.Spec
	if spec.Scan == "" {
		spec.Scan = NewScanID()
	}
	spec.withDefaults()
	if err := spec.check(); err != nil {
		return nil, err
	}
	if cfg.Conn == nil || cfg.Targets == nil {
		return nil, errors.New("a coordinator needs a connection and targets")
	}
	if cfg.Refused == nil {
		cfg.Refused = new(Refusals)
	}
	if cfg.Log == nil {
		cfg.Log = func(string, ...any) {}
	}
	if cfg.Name == nil {
		cfg.Name = func(Target, *report.Skipped) {}
	}
	return &Coordinator{cfg: cfg, conn: cfg.Conn, spec: spec, names: names{spec.Scan}, workers: make(map[string]struct{})}, nil
}

// Scan is the id of the scan.
func (c *Coordinator) Scan() string { return c.spec.Scan }

// Status says where the scan stands.
func (c *Coordinator) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.status
	s.Refused = c.cfg.Refused.Count()
	return s
}

// heardOf notes that a worker has told something.
func (c *Coordinator) heardOf(worker string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.workers) < maxWorkers {
		c.workers[worker] = struct{}{}
	}
}

// known is how many workers are known of.
func (c *Coordinator) known() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(len(c.workers), len(c.status.Workers))
}

func (c *Coordinator) show(change func(*Status)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.status)
}

// Serve runs the scan until every item has ended, or ctx ends: then workers hand back what they have, and what is left is
// skipped as interrupted. Afterwards nothing of it is left on the server, unless it ended with an error; then it can be served again
// with the same id. The error is nil for a whole scan, [ErrStopped], a *[LostError], or what the server, the targets or the
// handlers had to say.
func (c *Coordinator) Serve(ctx context.Context) (Ending, error) {
	var wg sync.WaitGroup
	defer wg.Wait()
	reading, stopReading := context.WithCancel(ctx)
	defer stopReading()
	in := newReading()
	wg.Go(func() { in.read(reading, c.cfg.Targets) })
	if c.cfg.StopReading != nil {
		defer context.AfterFunc(reading, c.cfg.StopReading)()
		defer stopReading()
	}
	// Who asks is answered when the scan has been taken up, but hears at once that it is not left behind.
	questions, silent, err := c.hearQuestions()
	if err != nil {
		return Ending{}, err
	}
	defer silent()
	before, err := c.open(ctx, in)
	if err != nil {
		return Ending{}, err
	}
	acks := newAcks(c.conn)
	h := report.NewMulti(c.cfg.OutputFailed, append(append([]report.Handler(nil), c.cfg.Handlers...), acks)...)
	var run *course
	var ending Ending
	last := func(err error) report.Event {
		if run != nil {
			ending = run.ending()
		}
		if c.cfg.Last == nil {
			return nil
		}
		return c.cfg.Last(ending, err)
	}
	err = report.Run(ctx, h, func(ctx context.Context, emit func(report.Event)) error {
		run = newCourse(c, emit, acks)
		return run.serve(ctx, before, in, questions)
	}, last)
	silent() // nobody answers any more
	if err == nil || errors.Is(err, ErrStopped) {
		c.close(context.WithoutCancel(ctx))
	}
	return ending, err
}

// close takes the scan off the server, and waits a moment for workers to notice: the server may be closed next.
func (c *Coordinator) close(ctx context.Context) {
	cleaning, stop := context.WithTimeout(ctx, callTimeout)
	defer stop()
	if err := c.conn.remove(cleaning, c.spec.Scan); err != nil {
		c.cfg.Log("the scan's streams could not all be removed: %v", err)
		return
	}
	noticing, stopNoticing := context.WithTimeout(ctx, noticeWait)
	defer stopNoticing()
	known, wait := c.known(), leaveWait
	for noticing.Err() == nil {
		all, whole, err := c.conn.census(noticing, c.cfg.Refused, known, wait)
		switch {
		case err != nil:
			return
		case slices.ContainsFunc(all, func(w WorkerStatus) bool { return w.Scan == c.spec.Scan }):
			known = len(all)
			pause(noticing, leaveAgain)
		case whole || wait >= censusWait:
			return
		default: // who leaves at this moment does not answer, nor is it known at once that nobody is there
			wait *= 2
		}
	}
}

const (
	noticeWait = 3 * time.Second
	leaveAgain = 5 * time.Millisecond  // between two looks at whether they have
	leaveWait  = 20 * time.Millisecond // for an answer at first: who is far away answers a later question
)

// open makes the scan's place on the server, and says whether there was one before.
func (c *Coordinator) open(ctx context.Context, in *reading) (before bool, err error) {
	if c.cfg.Spec.Partitions == 0 {
		if c.spec.Partitions, err = c.partitions(ctx, in); err != nil {
			return false, err
		}
	}
	before, err = c.conn.prepare(ctx, &c.spec)
	if err == nil && !before && c.cfg.Earlier != nil {
		// Of files that the server cannot read any more something may stick to the new streams: begin with none.
		if err = c.conn.remove(ctx, c.spec.Scan); err == nil {
			_, err = c.conn.prepare(ctx, &c.spec)
		}
	}
	if err != nil {
		return before, err
	}
	c.conn.learnTime(ctx, c.names.work())
	if c.spec.Bundle, err = c.conn.pack(ctx, c.spec.Scan, c.cfg.Files); err != nil {
		return before, fmt.Errorf("upload the files of the scan: %w", err)
	}
	return before, nil
}

// partitions is the number of an earlier run of the scan, or by the input.
func (c *Coordinator) partitions(ctx context.Context, in *reading) (int, error) {
	n, err := c.posted(ctx)
	if err != nil {
		return 0, fmt.Errorf("look for the scan from before: %w", err)
	}
	if n.Spec.Scan != "" {
		return n.Spec.Partitions, nil
	}
	return in.partitions(ctx, c.spec.Items), nil
}

// post tells workers of the scan, and where it stands.
func (c *Coordinator) post(ctx context.Context, n notice) error {
	err := c.conn.insist(ctx, callTimeout, func(ctx context.Context) error {
		kv, err := c.conn.notices(ctx)
		if err == nil {
			_, err = kv.Put(ctx, c.spec.Scan, mustEncode(n))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("tell of the scan: %w", err)
	}
	c.conn.turned(c.spec.Scan)
	return nil
}

// posted is the notice of the scan that stands from before.
func (c *Coordinator) posted(ctx context.Context) (notice, error) {
	kv, err := c.conn.notices(ctx)
	if err != nil {
		return notice{}, err
	}
	entry, err := kv.Get(ctx, c.spec.Scan)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return notice{}, nil
	}
	if err != nil {
		return notice{}, err
	}
	return decodeNotice(entry.Value())
}
