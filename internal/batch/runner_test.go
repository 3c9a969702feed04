package batch

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/redialscan/redial/internal/scan"
	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/cluster"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/requester"
	"github.com/redialscan/redial/pkg/target"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// street is a network of pipes: hosts answer as their function says, "" closes the connection, and each request is noted.
type street struct {
	mu    sync.Mutex
	serve map[string]func(n int) string
	sent  map[string]int
	live  int
	most  int // requests under way at once
	open  sync.WaitGroup
}

func (s *street) dial(_ context.Context, _, addr string) (net.Conn, error) {
	near, far := net.Pipe()
	s.open.Go(func() {
		defer far.Close()
		br := bufio.NewReader(far)
		for {
			if _, err := http.ReadRequest(br); err != nil {
				return
			}
			s.mu.Lock()
			s.sent[addr]++
			s.live++
			s.most = max(s.most, s.live)
			text := s.serve[addr](s.sent[addr])
			s.mu.Unlock()
			<-time.After(10 * time.Millisecond)
			s.mu.Lock()
			s.live--
			s.mu.Unlock()
			if text == "" {
				return
			}
			if _, err := io.WriteString(far, text); err != nil {
				return
			}
		}
	})
	return near, nil
}

func ok(int) string { return "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi" }

// lease is one that can be lost.
type lease struct {
	mu    sync.Mutex
	until time.Time // zero = for good
}

func (l *lease) Valid(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until.IsZero() || now.Before(l.until)
}

// told keeps what is emitted.
type told struct {
	mu     sync.Mutex
	events []report.Event
}

func (o *told) emit(e report.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if r, ok := e.(*report.Result); ok { // it is lent
		kept := *r
		e = &kept
	}
	o.events = append(o.events, e)
}

// ends gives how each item ended, "target/item".
func (o *told) ends() map[string]string {
	all := map[string]string{}
	end := func(target int64, item int, how string) {
		name := fmt.Sprintf("%d/%d", target, item)
		all[name] += how
	}
	for _, e := range o.events {
		switch e := e.(type) {
		case *report.Result:
			how := "done"
			if e.Failed {
				how = "failed"
			}
			end(e.Target, e.Index, how)
		case *report.Skipped:
			for i := e.From; i < e.To; i++ {
				end(e.Target, i, e.Reason)
			}
			for _, i := range e.Again {
				end(e.Target, i, e.Reason)
			}
		}
	}
	return all
}

func options(t *testing.T, s *street, items int) scan.Options {
	t.Helper()
	var paths []string
	for i := range items {
		paths = append(paths, fmt.Sprintf("/%d", i))
	}
	probe, err := check.NewProbe(check.ProbeOptions{Paths: paths})
	if err != nil {
		t.Fatal(err)
	}
	return scan.Options{
		Probe:     probe,
		Requester: requester.Config{Timeout: 10 * time.Second, Dial: s.dial, MaxIdle: 100},
		Breaker:   hosterrors.Config{MaxHostError: 3, Cooldown: 10 * time.Second, MaxTrips: 3},
		RetryWait: time.Second, RetryMaxWait: time.Second,
		Concurrency: 8, HostConcurrency: 8, DialConcurrency: 8, MaxHosts: 100, FirstContact: 3,
		Linger: time.Hour,
	}
}

func batchOf(t *testing.T, urls map[int64]string) cluster.Batch {
	t.Helper()
	b := cluster.Batch{ID: "b"}
	for index, url := range urls {
		one, err := target.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		text, err := Line(one)
		if err != nil {
			t.Fatal(err)
		}
		b.Targets = append(b.Targets, cluster.Target{Index: index, Key: one.Host, Line: text})
	}
	slices.SortFunc(b.Targets, func(a, b cluster.Target) int { return int(a.Index - b.Index) })
	return b
}

func mustRun(ctx context.Context, t *testing.T, r *Runner, run cluster.Run) cluster.Outcome {
	t.Helper()
	out, err := r.Run(ctx, run)
	if err != nil {
		t.Error(err)
	}
	return out
}

// What a dead host leaves of a batch comes back as it was left, with the host's state, and ends there.
func TestBatchAndWhatItLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		alive := false
		s := &street{sent: map[string]int{}, serve: map[string]func(int) string{"well.test:80": ok, "down.test:80": func(n int) string {
			if alive {
				return ok(n)
			}
			return ""
		}}}
		r, err := New(options(t, s, 5), 4, false)
		if err != nil {
			t.Fatal(err)
		}
		var first, second told
		b := batchOf(t, map[int64]string{7: "http://u:p@well.test/", 40: "http://down.test/"})
		b.Targets[0].From, b.Targets[0].Again = 4, []int{1}
		out := mustRun(t.Context(), t, r, cluster.Run{Batch: b, Lease: &lease{}, Emit: first.emit})
		want := map[string]string{"7/1": "done", "7/4": "done"}
		for i := range 5 {
			want[fmt.Sprintf("40/%d", i)] = "quarantined"
		}
		if got := first.ends(); !mapsEqual(got, want) {
			t.Errorf("ended %v, want %v", got, want)
		}
		if len(out.Hosts) != 1 || out.Hosts[0].State != "open" || out.Sent != 5 || time.Duration(out.Hosts[0].Left) < 9*time.Second {
			t.Fatalf("left %+v, want the dead host, open, after 5 requests", out)
		}
		<-time.After(10 * time.Second)
		alive = true
		rest := batchOf(t, map[int64]string{40: "http://down.test/"})
		rest.Hosts = out.Hosts
		rest.Hosts[0].Left = 0
		out = mustRun(t.Context(), t, r, cluster.Run{Batch: rest, Lease: &lease{}, Emit: second.emit})
		for name, how := range second.ends() {
			if how != "done" {
				t.Errorf("%s ended %s", name, how)
			}
		}
		if s.sent["down.test:80"] != 3+5 || out.Hosts[0].State != "closed" {
			t.Errorf("%d requests to the host that came back, left as %+v", s.sent["down.test:80"], out.Hosts)
		}
		s.open.Wait()
	})
}

func mapsEqual(a, b map[string]string) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// Two batches have the concurrency of one process, each a half, and the second half comes back to the one that is left.
func TestBatchesShareTheConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &street{sent: map[string]int{}, serve: map[string]func(int) string{"a.test:80": ok, "b.test:80": ok}}
		opt := options(t, s, 200)
		opt.HostConcurrency = 100
		r, err := New(opt, 2, false)
		if err != nil {
			t.Fatal(err)
		}
		var both sync.WaitGroup
		for i, url := range []string{"http://a.test/", "http://b.test/"} {
			both.Go(func() {
				var o told
				mustRun(t.Context(), t, r, cluster.Run{Batch: batchOf(t, map[int64]string{int64(i): url}), Lease: &lease{}, Emit: o.emit})
				if len(o.ends()) != 200 {
					t.Errorf("%d items ended", len(o.ends()))
				}
			})
		}
		both.Wait()
		if s.most > 8 || s.most < 7 {
			t.Errorf("%d requests at once, want the 8 of the process", s.most)
		}
		s.open.Wait()
	})
}

// A lost lease ends the batch at once; a batch that is handed back takes the answers that it waits for.
func TestEndOfALease(t *testing.T) {
	for _, cause := range []error{cluster.ErrLeaseLost, cluster.ErrHandBack} {
		synctest.Test(t, func(t *testing.T) {
			hang := make(chan struct{})
			s := &street{sent: map[string]int{}, serve: map[string]func(int) string{"slow.test:80": func(n int) string {
				return ok(n)
			}}}
			opt := options(t, s, 50)
			opt.Requester.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
				if s.sent[addr] >= 3 {
					select {
					case <-hang:
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				}
				return s.dial(ctx, network, addr)
			}
			opt.Requester.MaxIdle = -1
			opt.HostConcurrency = 1
			r, err := New(opt, 1, false)
			if err != nil {
				t.Fatal(err)
			}
			r.opt.Requester.MaxIdle = -1
			ctx, end := context.WithCancelCause(t.Context())
			start := time.Now()
			time.AfterFunc(time.Second, func() { end(cause) })
			time.AfterFunc(3*time.Second, func() { close(hang) })
			var o told
			var l lease
			l.until = start.Add(time.Hour)
			mustRun(ctx, t, r, cluster.Run{Batch: batchOf(t, map[int64]string{1: "http://slow.test/"}), Lease: &l, Emit: o.emit})
			took := time.Since(start)
			done, interrupted := 0, 0
			for _, how := range o.ends() {
				switch how {
				case "done":
					done++
				case "interrupted":
					interrupted++
				}
			}
			wantDone, wantTook := 3, time.Second
			if cause == cluster.ErrHandBack {
				wantDone, wantTook = 4, 3*time.Second+10*time.Millisecond
			}
			if done != wantDone || done+interrupted != 50 || took != wantTook {
				t.Errorf("%v: %d done, %d interrupted after %v; want %d done after %v", cause, done, interrupted, took, wantDone, wantTook)
			}
			s.open.Wait()
		})
	}
}

// Without a valid lease nothing leaves.
func TestNothingLeavesWithoutALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &street{sent: map[string]int{}, serve: map[string]func(int) string{"a.test:80": ok}}
		r, err := New(options(t, s, 100), 1, false)
		if err != nil {
			t.Fatal(err)
		}
		var o told
		l := lease{until: time.Now().Add(35 * time.Millisecond)}
		ctx, end := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { end(cluster.ErrLeaseLost) })
		mustRun(ctx, t, r, cluster.Run{Batch: batchOf(t, map[int64]string{1: "http://a.test/"}), Lease: &l, Emit: o.emit})
		if n := s.sent["a.test:80"]; n < 3 || n > 20 {
			t.Errorf("%d requests, want those of the first 35 ms only", n)
		}
		s.open.Wait()
	})
}

// Permits are all that a scan with a rate sends by.
func TestPermits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &street{sent: map[string]int{}, serve: map[string]func(int) string{"a.test:80": ok}}
		r, err := New(options(t, s, 20), 1, true)
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(t.Context())
		var feeder sync.WaitGroup
		next := time.Now()
		feeder.Go(func() { // a coordinator that gives 10 a second
			for tick := time.NewTicker(10 * time.Millisecond); ; {
				select {
				case <-ctx.Done():
					tick.Stop()
					return
				case now := <-tick.C:
					if n := r.Pace().Wanted(now); n > 0 {
						if next.Before(now) {
							next = now
						}
						r.Pace().Add(next, 100*time.Millisecond, 1)
						next = next.Add(100 * time.Millisecond)
					}
				}
			}
		})
		start := time.Now()
		var o told
		mustRun(ctx, t, r, cluster.Run{Batch: batchOf(t, map[int64]string{1: "http://a.test/"}), Lease: &lease{}, Emit: o.emit})
		end()
		feeder.Wait()
		if took := time.Since(start); took < 1900*time.Millisecond || took > 2500*time.Millisecond {
			t.Errorf("20 requests took %v by 10 permits a second", took)
		}
		s.open.Wait()
	})
}

// What others have sent is not believed.
func TestBadBatch(t *testing.T) {
	s := &street{}
	r, err := New(options(t, s, 1), 1, false)
	if err != nil {
		t.Fatal(err)
	}
	good := batchOf(t, map[int64]string{1: "http://a.test/"})
	for name, b := range map[string]cluster.Batch{
		"host":   {Targets: []cluster.Target{{Line: json.RawMessage(`{"host":"A b"}`)}}},
		"scheme": {Targets: []cluster.Target{{Line: json.RawMessage(`{"host":"a.test","scheme":9}`)}}},
		"shape":  {Targets: []cluster.Target{{Line: json.RawMessage(`[1]`)}}},
		"state":  {Targets: good.Targets, Hosts: []cluster.Host{{Key: "a.test:80", State: "odd"}}},
		"pace":   {Targets: good.Targets, Hosts: []cluster.Host{{Key: "a.test:80", State: "closed", Pace: json.RawMessage(`7`)}}},
	} {
		if _, err := r.Run(t.Context(), cluster.Run{Batch: b, Emit: func(report.Event) {}}); err == nil {
			t.Errorf("%s: it was run", name)
		}
	}
}
