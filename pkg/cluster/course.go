package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/nats-io/nats.go"

	"github.com/redialscan/redial/pkg/journal"
	"github.com/redialscan/redial/pkg/report"
)

const (
	inputPause   = 50 * time.Millisecond // without another target: what is open goes out
	batchesAhead = 4                     // times the partitions: so many batches wait or are with workers at most
	boundStep    = 1 << 20
	rememberRuns = 8192 // of batches, whose last chunk is known
	stopGrace    = 20 * time.Second
)

// course is the run of one scan. All of it belongs to the goroutine of serve.
type course struct {
	c     *Coordinator
	put   func(report.Event) // to the handlers, see emit
	acks  *acks
	lent  lent
	epoch string // of the ids of this run
	ids   int

	accounts *journal.Accounts
	placed   *journal.Accounts // what an earlier run has put into the stream; nil = nothing
	read     int64             // above the index of the last target read
	bound    int64             // above what was announced
	items    int64             // that the input made
	open     int64             // of those read, not ended
	hosts    int64
	lastKey  string
	sent     sent

	cut       *cutter
	consumers *consumers
	out       map[string]bool // batches that have not come back; true: their hosts are only called again
	fresh     int             // of those, the others
	parked    lot
	chunks    *lru.Cache[string, int] // the last chunk of each run of a batch
	inputEnd  error                   // set: nothing more will be read; io.EOF when that is well
	final     time.Time               // set: only parked hosts are left, and wait until then
	stopping  bool
	heard     uint64 // place in the stream of events
	owed      uint64 // the last of those that an earlier run was told and has not let go of
	resumed   bool
	reckoned  time.Time
	lonely    lonely
	uneven    int       // censuses in a row in which some had nothing and others too much
	evened    time.Time // when the last ones were asked to hand back
}

func newCourse(c *Coordinator, emit func(report.Event), a *acks) *course {
	chunks, _ := lru.New[string, int](rememberRuns) // an error is for a size of 0
	r := &course{
		c: c, put: emit, acks: a, epoch: "e" + strconv.FormatInt(time.Now().UnixNano(), 36),
		cut: newCutter(c.spec.Partitions), consumers: newConsumers(nil),
		out: make(map[string]bool), chunks: chunks, accounts: journal.NewAccounts(c.spec.Items), sent: newSent(),
	}
	if c.cfg.Earlier != nil {
		r.accounts = c.cfg.Earlier.Accounts(c.spec.Items)
	}
	return r
}

func (r *course) ending() Ending {
	return Ending{Items: r.items, Hosts: r.hosts, Sent: r.sent.count(), Refused: r.c.cfg.Refused.Count()}
}

// serve runs the scan. What it started has ended when it returns.
func (r *course) serve(ctx context.Context, before bool, from *reading, questions <-chan *nats.Msg) error {
	for _, e := range r.c.cfg.First {
		r.emit(e)
	}
	// The work goes on when ctx has ended, until what is under way has come back, but not for ever.
	working, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	unwatch := context.AfterFunc(ctx, func() { time.AfterFunc(2*stopGrace, func() { stop(context.Cause(ctx)) }) })
	defer unwatch()
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop(nil)

	if err := r.takeUp(working, before); err != nil {
		return err
	}
	if !before {
		r.consumers = newConsumers(from.used(r.c.spec.Partitions))
		wg.Go(func() { r.consumers.run(working, r.c.conn, &r.c.spec) })
	}
	permits, err := r.c.servePermits()
	if err != nil {
		return err
	}
	defer permits()
	troubles, err := r.c.hearTrouble()
	if err != nil {
		return err
	}
	defer troubles()
	incoming, err := r.c.listen(working, &wg)
	if err != nil {
		return err
	}
	census := make(chan []WorkerStatus)
	wg.Go(func() { r.c.countWorkers(working, census) })

	in := inputs{targets: from.targets, ended: from.ended, chunks: incoming, census: census, questions: questions}
	return r.loop(ctx, working, &in)
}

// inputs is where everything comes in.
type inputs struct {
	targets   <-chan Target
	ended     <-chan error
	chunks    <-chan *nats.Msg
	census    <-chan []WorkerStatus
	questions <-chan *nats.Msg
}

// loop is the scan: it feeds the stream of work, takes what comes back, and knows when all is over.
func (r *course) loop(ctx, working context.Context, in *inputs) error {
	paused := time.NewTimer(inputPause)
	defer paused.Stop()
	due := time.NewTimer(0)
	defer due.Stop()
	for {
		over, err := r.next(working, time.Now())
		if over || err != nil {
			return err
		}
		r.show()
		if at, ok := r.wake(); ok {
			due.Reset(time.Until(at))
		} else {
			due.Stop()
		}
		targets := in.targets
		if r.fresh >= batchesAhead*r.c.spec.Partitions {
			targets = nil
		}
		select {
		case <-ctx.Done():
			return r.halt(ctx, working, in)
		case t, ok := <-targets:
			if ok {
				err = r.feed(working, t)
				paused.Reset(inputPause)
				break
			}
			in.targets = nil
			err = r.endOfInput(working, <-in.ended)
		case <-paused.C:
			err = r.flush(working)
		case m := <-in.chunks:
			err = r.take(working, m)
		case m := <-in.questions:
			r.tell(m)
		case all := <-in.census:
			r.c.show(func(s *Status) { s.Workers = all })
			r.lonely.mind(r.c.spec.Scan, all, time.Now(), r.c.cfg.Log)
			r.even(all, time.Now())
			err = r.reckon(working, time.Now())
		case <-due.C:
		}
		if err != nil {
			return err
		}
	}
}

func (r *course) endOfInput(ctx context.Context, err error) error {
	r.inputEnd = err
	if !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the targets: %w", err)
	}
	return r.flush(ctx)
}

// show tells where the scan stands.
func (r *course) show() {
	phase := phaseRun
	switch {
	case r.stopping:
		phase = phaseStop
	case !r.final.IsZero():
		phase = phaseFinal
	}
	r.c.show(func(s *Status) {
		s.Phase, s.Items, s.Growing, s.Hosts, s.Sent = phase, r.items, r.inputEnd == nil, r.hosts, r.sent.total
		s.Queued, s.Parked = len(r.out), len(r.parked)
	})
}

func mustEncode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("cluster: %T cannot be encoded: %v", v, err)) // ours, and made of what can
	}
	return data
}
