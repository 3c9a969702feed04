package executor

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// Tally is where a scan stands, or ended: Items = Done + Failed + Skipped at the end, and not before.
type Tally struct {
	Hosts    int64 // hosts that the input named; one that comes back after its end counts again
	Items    int64 // items that the input has made so far
	Done     int64
	Failed   int64
	Skipped  int64
	Lost     int64 // failed or skipped items of hosts that had others done, before or after
	InFlight int
	Working  int // hosts in work
	Parked   int
	Waiting  time.Time // until when the scan waits for its parked hosts; zero unless it waits
}

// Executor runs the items of one scan. Run is called once; Tally may be called at any time from any goroutine.
type Executor[T any] struct {
	cfg    Config[T]
	checks int32

	floor // its mu guards all below

	hosts         map[string]*host[T]
	fresh, living line[T]
	timers        timeHeap[*host[T]] // paused and parked hosts
	parkedBy      []line[T]          // parked hosts by how often they were parked in a row
	leaving       map[string]int32   // see leavesLocked
	clocks        hostClocks[T]
	tally         Tally
	doubted       line[T]
	proven        int    // hosts with work left that have answered
	heard         moment // when the last request was sent that was answered
	lapse         moment // when an item failed last by its host
	paused        bool
	recalled      moment // when an outage was taken back last
	maxWorkers    int    // see SetLimits
	maxDials      int
	calling       int      // hosts in work that were parked and have not answered since
	crowded       *host[T] // the reader waits until it holds fewer targets
	inputDone     bool
	stopping      bool
	stopWhy       Reason // Interrupted unless Stop says another
	stopErr       error
	lingering     bool
	lingerUntil   moment
	paceRoom      int
	paceAt        moment
	freshTurn     bool          // under a pace: it is the turn of a host that has not answered
	room          chan struct{} // capacity 1: the reader may look again
	halted        chan error    // capacity 1: items in flight are to end
}

// SetLimits changes how many items may be in flight over all hosts, and how many of hosts that have not answered may be
// dialling; both are at least 1 and at most what the configuration says. What is in flight beyond a lowered limit goes on.
// It may be called from any goroutine.
func (e *Executor[T]) SetLimits(concurrency, dialConcurrency int) {
	concurrency = min(max(1, concurrency), e.cfg.Concurrency)
	dialConcurrency = min(max(1, dialConcurrency), e.cfg.DialConcurrency)
	e.mu.Lock()
	e.workers += concurrency - e.maxWorkers
	e.dials += dialConcurrency - e.maxDials
	e.maxWorkers, e.maxDials = concurrency, dialConcurrency
	e.maxContacts = contactsOf(concurrency)
	e.grantLocked()
	e.mu.Unlock()
	e.kick()
}

// New checks a configuration. The error is a *ConfigError.
func New[T any](cfg Config[T]) (*Executor[T], error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Executor[T]{
		cfg:        cfg,
		checks:     int32(cfg.Checks),
		floor:      newFloor(cfg.Concurrency, cfg.DialConcurrency),
		hosts:      make(map[string]*host[T]),
		leaving:    make(map[string]int32),
		room:       make(chan struct{}, 1),
		halted:     make(chan error, 1),
		clocks:     newHostClocks[T](cfg.HostTimeout),
		stopWhy:    Interrupted,
		maxWorkers: cfg.Concurrency,
		maxDials:   cfg.DialConcurrency,
	}, nil
}

// Run takes targets from source until it gives io.EOF, runs their items, and returns when the last one is done, failed
// or skipped. source is called from one goroutine and must return soon after ctx ends,
// and after Config.Stopping was called.
//
// When ctx ends, or source gives another error, no new item starts; those in flight go on for Config.Grace, after which
// their context is cancelled; the rest is skipped as Interrupted. Run returns that error, or the cause of ctx's end.
func (e *Executor[T]) Run(ctx context.Context, source func() (T, error)) (Tally, error) {
	e.began = time.Now()
	runCtx, cancelRuns := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancelRuns(nil)

	var wg sync.WaitGroup
	feedCtx, stopFeed := context.WithCancel(ctx)
	defer stopFeed()
	var inputErr error
	wg.Go(func() {
		inputErr = e.feed(feedCtx, source)
		e.mu.Lock()
		e.inputDone = true
		if inputErr != nil {
			e.stopping = true
		}
		e.mu.Unlock()
		e.kick()
	})

	timer := time.NewTimer(0)
	defer timer.Stop()
	var graceOver <-chan time.Time
	interrupted := ctx.Done()
	for {
		claims, next, finished := e.dispatch(time.Now())
		for _, c := range claims {
			wg.Go(func() { e.work(runCtx, c) })
		}
		if finished {
			break
		}
		if graceOver == nil && e.isStopping() {
			stopFeed()
			if e.cfg.Stopping != nil {
				e.cfg.Stopping()
			}
			graceOver = e.grace()
		}
		timer.Reset(next)
		select {
		case <-e.wake:
		case <-timer.C:
		case <-interrupted:
			interrupted = nil
			e.stop()
		case err := <-e.halted:
			cancelRuns(err)
		case <-graceOver:
			graceOver = make(chan time.Time) // once
			cancelRuns(context.Cause(ctx))
		}
	}
	wg.Wait()
	return e.Tally(), errors.Join(inputErr, e.stopError(), context.Cause(ctx))
}

// Tally says where the scan stands.
func (e *Executor[T]) Tally() Tally {
	e.mu.Lock()
	defer e.mu.Unlock()
	t := e.tally
	if e.lingering && t.Parked > 0 {
		t.Waiting = e.began.Add(time.Duration(e.lingerUntil))
	}
	return t
}

// feed reads targets while there is room for their hosts.
func (e *Executor[T]) feed(ctx context.Context, source func() (T, error)) error {
	for {
		for !e.hasRoom() {
			select {
			case <-e.room:
			case <-ctx.Done():
				return nil
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		target, err := source()
		if errors.Is(err, io.EOF) || (err != nil && ctx.Err() != nil) {
			return nil
		}
		if err != nil {
			return err
		}
		e.add(ctx, target)
	}
}

func (e *Executor[T]) hasRoom() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.tally.Working < e.cfg.MaxHosts
}

// add gives a target to its host, waiting while that host, being in work, holds as many targets as it may.
func (e *Executor[T]) add(ctx context.Context, target T) {
	b, again := e.leftOf(target)
	items := int64(e.checks-b.next) + int64(len(again))
	if items == 0 {
		return
	}
	key := e.cfg.Host(target)
	first := true
	for {
		var n news[T]
		e.mu.Lock()
		now := e.moment(time.Now())
		if first {
			e.tally.Items += items
			first = false
		}
		h := e.hosts[key]
		switch {
		case e.stopping || ctx.Err() != nil:
			if h == nil {
				h = &host[T]{key: key}
			}
			e.skipLocked(&n, h, b, again, e.stopWhy)
		case h == nil && e.skipOverdueLocked(&n, key, b, again):
		case h == nil:
			h = e.hostLocked(key)
			h.addLeft(b, again)
			e.placeLocked(h, now, &n)
		case h.targets() < e.cfg.MaxBacklog:
			h.addLeft(b, again)
			e.placeLocked(h, now, &n)
		case h.place == parked:
			e.skipLocked(&n, h, b, again, BacklogFull)
		default:
			e.crowded = h
			e.mu.Unlock()
			select {
			case <-e.room:
			case <-ctx.Done():
			}
			continue
		}
		kick := e.newsLocked()
		e.mu.Unlock()
		e.tell(&n)
		if kick {
			e.kick()
		}
		return
	}
}

// leftOf makes the backlog of a target: its cursor, and what is to be done of the checks before that.
func (e *Executor[T]) leftOf(target T) (*backlog[T], []int) {
	b := &backlog[T]{target: target}
	if e.cfg.Left == nil {
		return b, nil
	}
	from, again := e.cfg.Left(target)
	b.next = int32(from)
	return b, again
}

func (e *Executor[T]) signalRoom() {
	select {
	case e.room <- struct{}{}:
	default:
	}
}
