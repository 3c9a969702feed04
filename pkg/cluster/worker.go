package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// DefaultSlots is how many batches a worker runs at once: full ones have more hosts than it contacts at a time, and more than that cost
// memory and time.
const DefaultSlots = 16

// WorkerConfig is what a worker is made of.
type WorkerConfig struct {
	Conn    *Conn
	Name    string // letters, digits, dots and dashes; "" = one of the machine and the process
	Version string // of the program: scans of another one are left alone
	Dir     string // where files of scans are unpacked
	Slots   int    // 0 = DefaultSlots
	Stay    bool   // wait for another scan when one is over
	// Patience is how long the server may be away before the worker leaves; 0 = for ever.
	Patience time.Duration
	// NewRunner is called once for each scan. dir holds the scan's files by their names; "" when it has none.
	NewRunner func(ctx context.Context, spec Spec, dir string) (Runner, error)
	Refused   *Refusals                        // nil = nobody asks for it
	Log       func(format string, args ...any) // nil = nobody
}

// worker is one process that takes part.
type worker struct {
	cfg   WorkerConfig
	conn  *Conn
	board board
	nudge chan struct{} // holds a token when there may be something new to do
	turn  chan struct{} // the same when a scan may be in another phase, or over
}

// Join takes part in the scan that was begun last, and with Stay in those after it, until ctx ends: then what it has is handed
// back. The error says why it could not take part.
func Join(ctx context.Context, cfg WorkerConfig) error {
	w, err := newWorker(cfg)
	if err != nil {
		return err
	}
	answers, err := w.conn.nc.Subscribe(statusSubject, w.answer)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", statusSubject, err)
	}
	defer func() { _ = answers.Unsubscribe() }()
	nudges, err := w.conn.nc.Subscribe(nudgeSubject, func(m *nats.Msg) {
		raise(w.nudge)
		if len(m.Data) > 0 {
			raise(w.turn)
		}
	})
	if err != nil {
		return fmt.Errorf("listen on %s: %w", nudgeSubject, err)
	}
	defer func() { _ = nudges.Unsubscribe() }()

	for ctx.Err() == nil {
		n, err := w.choose(ctx)
		if err != nil {
			return err
		}
		if n == nil {
			if err := w.forsaken(); err != nil {
				return err
			}
			w.wait(ctx, lookEvery)
			continue
		}
		if err := w.take(ctx, n.Spec); err != nil {
			return err
		}
		if !cfg.Stay {
			return nil
		}
	}
	return nil
}

func newWorker(cfg WorkerConfig) (*worker, error) {
	if cfg.Slots == 0 {
		cfg.Slots = DefaultSlots
	}
	if cfg.Name == "" {
		cfg.Name = ownName()
	}
	if cfg.Refused == nil {
		cfg.Refused = new(Refusals)
	}
	if cfg.Log == nil {
		cfg.Log = func(string, ...any) {}
	}
	if cfg.Slots < 1 || !validID(cfg.Name) {
		return nil, fmt.Errorf("worker %.80q with %d slots, expected 1 to 64 letters, digits, dots and dashes, and 1 slot or more", cfg.Name, cfg.Slots)
	}
	return &worker{
		cfg: cfg, conn: cfg.Conn, nudge: make(chan struct{}, 1), turn: make(chan struct{}, 1),
		board: board{status: WorkerStatus{Name: cfg.Name, Version: cfg.Version, Slots: cfg.Slots}},
	}, nil
}

// ownName is the machine, the process, and something that no other has.
func ownName() string {
	machine, _ := os.Hostname()
	machine = strings.Trim(strings.Map(func(r rune) rune {
		if validID(string(r)) {
			return r
		}
		return -1
	}, machine), ".-")
	return fmt.Sprintf("w%.24s-%d-%.6s", machine, os.Getpid(), NewScanID())
}

const lookEvery = time.Second

// wait pauses until somebody says that something has changed, or for a while.
func (w *worker) wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-w.nudge:
	case <-timer.C:
	}
}

// choose finds the scan that was begun last of those that run; nil when there is none.
func (w *worker) choose(ctx context.Context) (*notice, error) {
	asking, stop := context.WithTimeout(ctx, callTimeout)
	defer stop()
	var newest *notice
	var at uint64
	err := w.conn.noticed(asking, func(scan string, data []byte, revision uint64) {
		n, err := decodeNotice(data)
		if err == nil && n.Spec.Scan != scan {
			err = fmt.Errorf("scan %.80q under the key of another", n.Spec.Scan)
		}
		if err != nil {
			w.cfg.Refused.note("scan", noticeBucket+"."+scan, err)
			return
		}
		if n.Phase != phaseStop && w.ofOurVersion(&n) && revision >= at {
			newest, at = &n, revision
		}
	})
	if err != nil {
		return nil, w.unlessLost(ctx, err)
	}
	return newest, nil
}

// forsaken is the error of a server that has been away for too long.
func (w *worker) forsaken() error {
	away := w.conn.away()
	if w.cfg.Patience == 0 || away < w.cfg.Patience {
		return nil
	}
	return fmt.Errorf("%w: it has been away for %s", ErrAway, away.Round(time.Second))
}

// ErrAway says that a worker has not waited any longer for its server to come back.
var ErrAway = errors.New("the server is gone")

// unlessLost passes on an error that will not go away by itself: a connection comes back, a right that is missing does not.
func (w *worker) unlessLost(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) ||
		errors.Is(err, nats.ErrNoResponders) || errors.Is(err, nats.ErrDisconnected) || errors.Is(err, nats.ErrConnectionReconnecting) ||
		errors.Is(err, nats.ErrReconnectBufExceeded) || w.conn.nc.IsReconnecting() {
		return nil
	}
	if refused, ok := errors.AsType[*jetstream.APIError](err); ok && refused.Code >= 500 {
		return nil
	}
	return err
}

func (w *worker) ofOurVersion(n *notice) bool {
	if n.Spec.Version == w.cfg.Version {
		return true
	}
	w.cfg.Refused.note("scan", noticeBucket+"."+n.Spec.Scan, fmt.Errorf("it is of version %.40q, this is %.40q", n.Spec.Version, w.cfg.Version))
	return false
}

// take runs batches of one scan until it is over, or ctx ends.
func (w *worker) take(ctx context.Context, spec Spec) error {
	dir, err := w.conn.unpack(ctx, &spec, w.cfg.Dir)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		w.complain(spec.Scan, err)
		return fmt.Errorf("fetch the files of scan %s: %w", spec.Scan, err)
	}
	runner, err := w.cfg.NewRunner(ctx, spec, dir)
	if err != nil {
		w.complain(spec.Scan, err)
		return fmt.Errorf("scan %s: %w", spec.Scan, err)
	}
	if c, ok := runner.(io.Closer); ok {
		defer c.Close()
	}
	if spec.Rate > 0 && runner.Pace() == nil {
		return fmt.Errorf("scan %s: it has a rate, and the runner keeps none", spec.Scan)
	}
	w.conn.learnTime(ctx, names{spec.Scan}.work())
	s := newShift(w, spec, runner)
	w.cfg.Log("scan %s: taking part with %d slots", spec.Scan, w.cfg.Slots)
	w.board.begin(spec.Scan)
	defer w.board.leave()
	err = s.work(ctx)
	w.cfg.Log("scan %s: no part in it any more", spec.Scan)
	return err
}
