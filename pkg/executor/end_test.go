package executor

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// github.com/projectdiscovery/nuclei/issues/5355: the last host of a scan trips; the scan still ends.
func TestScanWhoseLastHostIsParkedEnds(t *testing.T) {
	for _, linger := range []time.Duration{0, 5 * time.Second, 25 * time.Second} {
		w := newWorld()
		w.maxTrips = 100
		w.respond = func(*world, Item[string]) Outcome[string] { return down() }
		cfg := w.config()
		cfg.Checks, cfg.Linger = 10, linger
		var waited []time.Duration
		var start time.Time
		cfg.Waiting = func(hosts int, until time.Time) {
			if hosts != 1 {
				t.Errorf("waiting for %d hosts, want 1", hosts)
			}
			waited = append(waited, until.Sub(start))
		}
		synctest.Test(t, func(t *testing.T) {
			start = time.Now()
			e, _ := New(cfg)
			tally, err := e.Run(t.Context(), list("h"))
			wantSum(t, tally)
			if tally.Skipped != 10 || err != nil {
				t.Errorf("linger %v: tally %+v, error %v; want 10 skipped", linger, tally, err)
			}
			calls := map[time.Duration]int{0: 0, 5 * time.Second: 0, 25 * time.Second: 2}[linger]
			if len(w.runs) != 3+calls {
				t.Errorf("linger %v: %d runs, want 3 and %d calls", linger, len(w.runs), calls)
			}
			if took := time.Since(start); took != map[bool]time.Duration{true: 20 * time.Second}[calls > 0] {
				t.Errorf("linger %v: the scan took %v", linger, took)
			}
			if calls > 0 && !slices.Equal(waited, []time.Duration{linger}) {
				t.Errorf("told to wait until %v, want %v", waited, linger)
			}
		})
	}
}

// A probe in flight is awaited when the time to linger is over, and a host that recovers runs to its end.
func TestProbeInFlightIsAwaited(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Checks, cfg.Linger = 10, 11*time.Second
	synctest.Test(t, func(t *testing.T) {
		w.respond = func(_ *world, item Item[string]) Outcome[string] {
			if item.Probe {
				hang(20 * time.Second)
			}
			if item.Sends == 1 && item.Check < 3 {
				return down()
			}
			hang(time.Minute)
			return Outcome[string]{}
		}
		e, _ := New(cfg)
		tally, _ := e.Run(t.Context(), list("h"))
		if tally.Done != 10 {
			t.Errorf("tally %+v, want 10 done", tally)
		}
	})
}

func TestInterruptedScanAddsUp(t *testing.T) {
	w := newWorld()
	w.respond = func(_ *world, item Item[string]) Outcome[string] {
		if hostOf(item.Target) == "dead0" {
			return down()
		}
		hang(3 * time.Second)
		return Outcome[string]{}
	}
	cfg := w.config()
	cfg.Checks, cfg.MaxHosts = 50, 5
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("ctrl-c")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(10*time.Second, func() { cancel(cause) })
		e, _ := New(cfg)
		start := time.Now()
		tally, err := e.Run(ctx, list(append([]string{"dead0"}, hosts("h", 20)...)...))
		wantSum(t, tally)
		if !errors.Is(err, cause) {
			t.Errorf("error %v, want the cause", err)
		}
		if tally.Done == 0 || tally.Skipped == 0 || tally.Failed != 0 {
			t.Errorf("tally %+v, want some done and the rest skipped", tally)
		}
		if took := time.Since(start); took > 13*time.Second {
			t.Errorf("ended after %v, want the end of the items in flight", took)
		}
		for _, s := range w.skipped {
			if s.Reason != Interrupted {
				t.Errorf("skipped %+v, want interrupted", s)
			}
		}
	})
}

// Items in flight get their grace and no more; one that waits in mid-run is woken by the end of its context.
func TestGraceIsBounded(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Grace = 5 * time.Second
	cfg.Run = func(ctx context.Context, item Item[string], turn *Turn) Outcome[string] {
		if item.Target == "waits" {
			return Outcome[string]{Kind: Neutral, Err: turn.Wait(ctx, time.Now().Add(time.Hour))}
		}
		<-ctx.Done()
		return Outcome[string]{Kind: Neutral, Err: ctx.Err()}
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		e, _ := New(cfg)
		tally, err := e.Run(ctx, list("waits", "hangs"))
		wantSum(t, tally)
		if took := time.Since(start); took != 6*time.Second || tally.Skipped != 2 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("took %v, tally %+v, error %v; want 6 s, 2 skipped", took, tally, err)
		}
	})
}

// An input that breaks ends the scan as a cancellation does, and its error is returned.
func TestInputErrorStops(t *testing.T) {
	w := newWorld()
	w.respond = func(*world, Item[string]) Outcome[string] { hang(time.Second); return Outcome[string]{} }
	cfg := w.config()
	cfg.Checks = 100
	synctest.Test(t, func(t *testing.T) {
		bad := errors.New("line 2: no target")
		n := 0
		e, _ := New(cfg)
		tally, err := e.Run(t.Context(), func() (string, error) {
			if n++; n == 1 {
				return "h", nil
			}
			return "", bad
		})
		wantSum(t, tally)
		if !errors.Is(err, bad) {
			t.Errorf("error %v, want %v", err, bad)
		}
	})
}

func TestPanicFailsItsItemOnly(t *testing.T) {
	w := newWorld()
	w.respond = func(_ *world, item Item[string]) Outcome[string] {
		if item.Check == 1 {
			panic("bad check")
		}
		return Outcome[string]{}
	}
	cfg := w.config()
	cfg.Checks = 3
	var err error
	cfg.Failed = func(f Failure[string]) { err = f.Err }
	scan(t, cfg, func(tally Tally, _ error) {
		var p *PanicError
		if tally.Done != 2 || tally.Failed != 1 || !errors.As(err, &p) || p.Value != "bad check" || len(p.Stack) == 0 {
			t.Errorf("tally %+v, error %v; want one failure with the panic", tally, err)
		}
	}, "h")
}

// A fault of ours is nobody's failure, but it does not keep the scan for ever.
func TestNeutralOutcomes(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	var starts []time.Duration
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w.respond = func(_ *world, item Item[string]) Outcome[string] {
			if item.Attempt != 1 {
				t.Errorf("attempt %d, want 1: a neutral outcome spends none", item.Attempt)
			}
			starts = append(starts, time.Since(start))
			return Outcome[string]{Kind: Neutral, Err: errDown}
		}
		e, _ := New(cfg)
		tally, _ := e.Run(t.Context(), list("h"))
		if tally.Failed != 1 || len(starts) != 1+maxNeutral {
			t.Errorf("tally %+v after %d runs", tally, len(starts))
		}
		if starts[1] != time.Second || starts[2] != 3*time.Second {
			t.Errorf("starts at %v, want pauses of 1 s, 2 s and so on", starts)
		}
	})
}

func TestBadConfigNamesTheField(t *testing.T) {
	cfg := newWorld().config()
	cfg.Concurrency = -1
	_, err := New(cfg)
	var bad *ConfigError
	if !errors.As(err, &bad) || bad.Field != "Concurrency" {
		t.Errorf("error %v, want one that names Concurrency", err)
	}
}
