package executor

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// A scan that is stopped from within ends, with the reason and the error of the first call, also when its source waits.
func TestStopWithASourceThatWaits(t *testing.T) {
	const reason Reason = "proxy"
	w := newWorld()
	w.respond = func(*world, Item[string]) Outcome[string] { hang(2 * time.Second); return Outcome[string]{} }
	cfg := w.config()
	cfg.Checks, cfg.HostConcurrency = 10, 1
	synctest.Test(t, func(t *testing.T) {
		bad := errors.New("the proxy is down")
		unblocked := make(chan struct{})
		cfg.Stopping = func() { close(unblocked) }
		lines := []string{"a", "b", "c"}
		e, _ := New(cfg)
		time.AfterFunc(5*time.Second, func() { e.Stop(reason, bad) })
		time.AfterFunc(5500*time.Millisecond, func() { e.Stop(Interrupted, io.ErrUnexpectedEOF) }) // too late
		start := time.Now()
		tally, err := e.Run(t.Context(), func() (string, error) {
			if len(lines) == 0 {
				<-unblocked
				return "late", nil
			}
			next := lines[0]
			lines = lines[1:]
			return next, nil
		})
		wantSum(t, tally)
		if !errors.Is(err, bad) || errors.Is(err, io.ErrUnexpectedEOF) || tally.Done != 9 || tally.Items != 40 || time.Since(start) != 6*time.Second {
			t.Errorf("tally %+v, error %v after %v; want 9 of 40 done, and the first error after 6 s", tally, err, time.Since(start))
		}
		for _, s := range w.skipped {
			if s.Reason != reason {
				t.Errorf("skipped %+v, want the reason %s", s, reason)
			}
		}
	})
}

// Halt waits for nobody: what is in flight ends, also where a Stop has given it time before.
func TestHaltEndsWhatIsInFlight(t *testing.T) {
	for _, after := range []bool{false, true} {
		w := newWorld()
		cfg := w.config()
		cfg.Checks, cfg.Grace = 10, time.Hour
		synctest.Test(t, func(t *testing.T) {
			lost := errors.New("the right to go on is lost")
			cfg.Run = func(ctx context.Context, _ Item[string], _ *Turn) Outcome[string] {
				<-ctx.Done()
				return Outcome[string]{Kind: Neutral, Err: context.Cause(ctx)}
			}
			e, _ := New(cfg)
			if after {
				time.AfterFunc(time.Second, func() { e.Stop("why", io.ErrClosedPipe) })
			}
			time.AfterFunc(5*time.Second, func() { e.Halt(lost); e.Halt(lost) })
			lines := []string{"a", "b"}
			start := time.Now()
			tally, err := e.Run(t.Context(), func() (string, error) {
				if len(lines) == 0 {
					return "", io.EOF
				}
				next := lines[0]
				lines = lines[1:]
				return next, nil
			})
			wantSum(t, tally)
			if errors.Is(err, lost) == after || tally.Skipped != 20 || time.Since(start) != 5*time.Second {
				t.Errorf("tally %+v, error %v after %v; want all skipped after 5 s", tally, err, time.Since(start))
			}
		})
	}
}
