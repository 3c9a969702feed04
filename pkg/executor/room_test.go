package executor

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// No more than MaxHosts are read ahead; a pipe of any length is.
func TestReaderKeepsToTheHostsInWork(t *testing.T) {
	w := newWorld()
	w.respond = func(*world, Item[string]) Outcome[string] { hang(time.Second); return Outcome[string]{} }
	cfg := w.config()
	cfg.MaxHosts = 7
	synctest.Test(t, func(t *testing.T) {
		e, _ := New(cfg)
		n, most := 0, 0
		tally, _ := e.Run(t.Context(), func() (string, error) {
			most = max(most, e.Tally().Working)
			if n++; n > 100 {
				return "", io.EOF
			}
			return fmt.Sprint("h", n), nil
		})
		wantSum(t, tally)
		if tally.Done != 100 || most >= 7 {
			t.Errorf("tally %+v with %d hosts in work while reading, want fewer than 7", tally, most)
		}
	})
}

// With a pipe that never ends the first results come while it is open.
func TestPipeThatStaysOpen(t *testing.T) {
	w := newWorld()
	synctest.Test(t, func(t *testing.T) {
		lines := make(chan string)
		e, _ := New(w.config())
		var tally Tally
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			tally, _ = e.Run(t.Context(), func() (string, error) {
				if line, open := <-lines; open {
					return line, nil
				}
				return "", io.EOF
			})
		}()
		for i := range 5 {
			lines <- fmt.Sprint("h", i)
			synctest.Wait()
			if got := e.Tally().Done; got != int64(i+1) {
				t.Fatalf("%d done after %d lines", got, i+1)
			}
		}
		close(lines)
		<-ended
		wantSum(t, tally)
	})
}

// Of too many parked hosts the one that failed most often goes.
func TestParkedHostsAreBounded(t *testing.T) {
	w := newWorld()
	w.respond = func(*world, Item[string]) Outcome[string] { return down() }
	cfg := w.config()
	cfg.Checks, cfg.MaxParked, cfg.Linger = 5, 10, 0
	scan(t, cfg, func(tally Tally, _ error) {
		full, left := 0, 0
		for _, s := range w.skipped {
			switch s.Reason {
			case BacklogFull:
				full++
			case Quarantined:
				left++
			}
		}
		if tally.Skipped != 150 || full != 20 || left != 10 {
			t.Errorf("tally %+v, %d without room, %d parked; want 20 and 10 hosts", tally, full, left)
		}
	}, hosts("dead", 30)...)
}

func TestMostTripsGoFirst(t *testing.T) {
	e, _ := New(newWorld().config())
	var n news[string]
	at := time.Now().Add(time.Minute)
	for i, parks := range []uint8{0, 3, 1} {
		key := fmt.Sprint("h", i)
		h := &host[string]{key: key, first: &backlog[string]{target: key}, slot: -1, parks: parks, place: inFresh}
		e.fresh.push(h)
		e.hosts[key] = h
		e.tally.Items++
		e.parkLocked(h, at, e.moment(time.Now()), &n)
	}
	if got := e.mostParkedLocked().key; got != "h1" {
		t.Errorf("%s would go first, want h1, which was parked most often", got)
	}
}

// A parked host takes so many targets and no more; one in work makes the reader wait instead.
func TestTargetsOfOneHostAreBounded(t *testing.T) {
	w := newWorld()
	w.respond = func(_ *world, item Item[string]) Outcome[string] {
		hang(time.Millisecond)
		if hostOf(item.Target) == "dead" {
			return down()
		}
		return Outcome[string]{}
	}
	cfg := w.config()
	cfg.MaxBacklog, cfg.FirstContact, cfg.Linger = 20, 1, 0
	var targets []string
	for i := range 50 {
		targets = append(targets, fmt.Sprint("good/", i))
	}
	for i := range 50 {
		targets = append(targets, fmt.Sprint("dead/", i))
	}
	scan(t, cfg, func(tally Tally, _ error) {
		full := 0
		for _, s := range w.skipped {
			if s.Reason == BacklogFull {
				full += s.Items()
			}
		}
		// The one whose only item was tried is remembered as that item and takes no room.
		if tally.Done != 50 || tally.Skipped != 50 || full != 29 {
			t.Errorf("tally %+v, %d without room; want 50 done and 29 of 50 without room", tally, full)
		}
	}, targets...)
}

// A target whose scheme is settled moves to the host of its full name, where it joins what is there.
func TestSettledTargetMoves(t *testing.T) {
	w := newWorld()
	cfg := w.config()
	cfg.Checks = 6
	cfg.Run = func(ctx context.Context, item Item[string], turn *Turn) Outcome[string] {
		w.mu.Lock()
		w.runs = append(w.runs, fmt.Sprintf("%s#%d", item.Target, item.Check))
		w.mu.Unlock()
		hang(time.Second)
		out := Outcome[string]{}
		if item.Target == "bare" {
			settled := "bare:80"
			out.Target = &settled
		}
		return out
	}
	for _, targets := range [][]string{{"bare"}, {"bare", "bare:80"}} {
		w.runs, w.ended = nil, nil
		scan(t, cfg, func(tally Tally, _ error) {
			if tally.Done != tally.Items || tally.Hosts != 1 || !slices.Contains(w.runs, "bare#0") || slices.Contains(w.runs, "bare#1") {
				t.Errorf("%v: tally %+v, runs %v; want one host and one run under the bare name", targets, tally, w.runs)
			}
			if !slices.Contains(w.ended, "bare") || !slices.Contains(w.ended, "bare:80") {
				t.Errorf("ended %v, want both names", w.ended)
			}
		}, targets...)
	}
}

func TestAbandonedHostIsSkippedOnce(t *testing.T) {
	w := newWorld()
	w.respond = func(*world, Item[string]) Outcome[string] {
		return Outcome[string]{Kind: Abandon, Reason: NoRoute, Err: errDown}
	}
	cfg := w.config()
	cfg.Checks = 9
	scan(t, cfg, func(tally Tally, _ error) {
		if len(w.runs) != 1 || tally.Skipped != 9 || len(w.skipped) != 1 || w.skipped[0].Reason != NoRoute {
			t.Errorf("runs %v, skipped %+v; want one run and 9 items without a route", w.runs, w.skipped)
		}
	}, "h")
}

// What a parked host costs, strings included, for targets that are one string of 26 bytes.
func TestParkedHostIsSmall(t *testing.T) {
	w := newWorld()
	w.respond = func(*world, Item[string]) Outcome[string] { return down() }
	cfg := w.config()
	cfg.Checks, cfg.MaxHosts = 5, 100
	cfg.NextAdmit = func(host string, now time.Time) time.Time { return now.Add(time.Hour) }
	cfg.Quarantined = func(host string) bool { return true }
	const n = 100_000
	e, _ := New(cfg)
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	before := heap()
	var grown int64
	i := 0
	_, _ = e.Run(ctx, func() (string, error) {
		if i++; i > n {
			for e.Tally().Working > 0 {
				runtime.Gosched()
			}
			grown = heap() - before
			cancel()
			return "", io.EOF
		}
		return fmt.Sprintf("http://127.%3d.%3d.%3d:8080/", i>>16, i>>8&255, i&255), nil
	})
	if per := grown / n; per > 300 {
		t.Errorf("%d bytes per parked host, want 300 at most", per)
	} else {
		t.Logf("%d bytes per parked host", per)
	}
}

// Thousands of hosts that are given up together are told of, each once, in more than one go.
func TestManyHostsAreGivenUp(t *testing.T) {
	for _, interrupted := range []bool{false, true} {
		w := newWorld()
		w.respond = func(*world, Item[string]) Outcome[string] { return down() }
		cfg := w.config()
		cfg.Checks, cfg.Linger = 4, 0
		n := 2*giveUpBatch + 17
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if interrupted {
				cfg.Linger = time.Hour
				time.AfterFunc(time.Second, cancel)
			}
			e, _ := New(cfg)
			tally, _ := e.Run(ctx, list(hosts("dead", n)...))
			wantSum(t, tally)
			if len(w.skipped) != n || tally.Skipped != int64(4*n) || len(e.hosts) != 0 {
				t.Errorf("%d hosts skipped, tally %+v, %d left; want %d skipped", len(w.skipped), tally, len(e.hosts), n)
			}
		})
	}
}

// A host that never answered costs no more after failed calls: what its calls tried is cursor again.
func TestCalledHostStaysSmall(t *testing.T) {
	w := newWorld()
	w.respond = func(*world, Item[string]) Outcome[string] { hang(time.Millisecond); return down() }
	cfg := w.config()
	cfg.Checks, cfg.Linger = 5, time.Hour
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		e, _ := New(cfg)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = e.Run(ctx, list("dead"))
		}()
		for call := range 3 {
			hang(time.Second)
			synctest.Wait()
			e.mu.Lock()
			h := e.hosts["dead"]
			if h.place != parked || h.rest != nil || h.first.next != 0 || int(h.first.sent+h.first.probed) != 1+call {
				t.Errorf("after %d calls: place %d, extra %v, backlog %+v; want a cursor at 0 and nothing else", call, h.place, h.rest, *h.first)
			}
			e.mu.Unlock()
			hang(9500 * time.Millisecond)
		}
		cancel()
		<-ended
	})
}
