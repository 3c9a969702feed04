package requester_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/pkg/flow"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

// link is a network whose hosts can be cut off, one by one.
type link struct {
	network
	mu  sync.Mutex
	off map[string]bool
}

func (l *link) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	l.mu.Lock()
	off := l.off[addr]
	l.mu.Unlock()
	if off {
		return nil, syscall.EHOSTUNREACH
	}
	return l.network.dial(ctx, network, addr)
}

func (l *link) cut(off bool, keys ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, key := range keys {
		l.off[key] = off
	}
}

// watched is a client whose link is watched.
type watched struct {
	*requester.Client
	link    *link
	breaker *hosterrors.Cache
	keys    []string
	start   time.Time

	mu     sync.Mutex
	heard  []string
	result error
}

// watch runs do in a bubble, with a client that has had an answer of each of n hosts.
func watch(t *testing.T, n int, do func(t *testing.T, w *watched)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b, err := hosterrors.NewWithConfig(hosterrors.Config{MaxHostError: 1, UndoWindow: 2 * requester.OutageWindow})
		if err != nil {
			t.Fatal(err)
		}
		w := &watched{link: &link{off: map[string]bool{}}, breaker: b, start: time.Now()}
		w.link.serve = forever(ok200)
		// No connection is kept, so that all is decided by the dials.
		w.Client = newClient(t, requester.Config{Breaker: b, Dial: w.link.dial, OutageTimeout: time.Minute, MaxIdle: -1})
		ctx, stop := context.WithCancel(t.Context())
		var watching sync.WaitGroup
		watching.Go(func() {
			w.result = w.Watch(ctx, requester.OutageHooks{
				Paused: func(o requester.Outage) { w.note("paused for %d hosts: %v", o.Hosts, o.Err) },
				Over: func(_ requester.Outage, end requester.OutageEnd) {
					w.note("over, ours %v, %d undone", end.Ours, end.Undone)
				},
			})
		})
		for i := range n {
			w.keys = append(w.keys, fmt.Sprintf("h%d.test:80", i))
			if _, err := w.ask(i); err != nil {
				t.Fatal(err)
			}
		}
		do(t, w)
		stop()
		watching.Wait()
	})
}

func (w *watched) ask(i int) (*requester.Response, error) {
	return w.Do(context.Background(), &requester.Request{Scheme: "http", Host: fmt.Sprintf("h%d.test", i), Port: 80}, nil)
}

func (w *watched) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heard = append(w.heard, fmt.Sprintf("%v ", time.Since(w.start).Round(time.Second))+fmt.Sprintf(format, args...))
}

func (w *watched) want(t *testing.T, lines ...string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if fmt.Sprint(w.heard) != fmt.Sprint(lines) {
		t.Errorf("heard %q, want %q", w.heard, lines)
	}
}

func TestOutageIsSatOutAndUndone(t *testing.T) {
	watch(t, 5, func(t *testing.T, w *watched) {
		w.link.cut(true, w.keys...)
		for i := range 5 {
			_, err := w.ask(i)
			if _, outage := errors.AsType[*hosterrors.OutageError](err); outage != (i == 4) {
				t.Errorf("failure %d is %v, want the fifth to be an outage", i, err)
			}
		}
		synctest.Wait()
		dials := w.link.dials.Load()
		_, err := w.ask(0)
		if held := wantErr[*requester.NotAdmittedError](t, err); !held.Until.After(time.Now()) || w.link.dials.Load() != dials {
			t.Errorf("refused until %v, want later than now and nothing sent", held.Until)
		}
		if !w.breaker.Quarantined(w.keys[0]) || w.breaker.State(w.keys[4]) != hosterrors.StateClosed {
			t.Error("want the first host to have tripped, and not the fifth, which failed in the outage")
		}
		<-time.After(10500 * time.Millisecond)
		w.link.cut(false, w.keys...)
		<-time.After(2 * time.Second)
		w.want(t, "0s paused for 5 hosts: connection failed while dialing: h4.test:80: no route to host", "11s over, ours true, 4 undone")
		for i, key := range w.keys {
			if _, err := w.ask(i); err != nil || w.breaker.State(key) != hosterrors.StateClosed {
				t.Errorf("%s after the outage: %v, %v", key, w.breaker.State(key), err)
			}
		}
	})
}

// Ten hosts go down at once while nobody talks to the others: those answer the canary, so the ten did it themselves.
func TestHostsThatFailTogetherWhileOthersAnswer(t *testing.T) {
	watch(t, 15, func(t *testing.T, w *watched) {
		w.link.cut(true, w.keys[:10]...)
		for i := range 10 {
			_, _ = w.ask(i)
		}
		<-time.After(time.Minute)
		w.want(t, "0s paused for 10 hosts: connection failed while dialing: h9.test:80: no route to host", "0s over, ours false, 0 undone")
		if n := w.breaker.QuarantinedCount(); n != 9 {
			t.Errorf("%d hosts are quarantined, want the 9 that failed before the pause", n)
		}
		if _, err := w.ask(11); err != nil {
			t.Errorf("after the pause: %v", err)
		}
	})
}

func TestOutageThatLastsTooLong(t *testing.T) {
	watch(t, 3, func(t *testing.T, w *watched) {
		w.link.cut(true, w.keys...)
		for i := range 3 {
			_, _ = w.ask(i)
		}
		<-time.After(2 * time.Minute)
		synctest.Wait()
		long := wantErr[*requester.LongOutageError](t, w.result)
		if long.After != time.Minute || long.Hosts != 3 || !errors.Is(long, syscall.EHOSTUNREACH) {
			t.Errorf("ended with %+v", long)
		}
	})
}

func TestWatchEndsInAnOutage(t *testing.T) {
	watch(t, 3, func(t *testing.T, w *watched) {
		w.link.cut(true, w.keys...)
		for i := range 3 {
			_, _ = w.ask(i)
		}
		synctest.Wait()
		w.want(t, "0s paused for 3 hosts: connection failed while dialing: h2.test:80: no route to host")
	})
}

// A request that waits for its slot when an outage begins is not sent after that.
func TestOutageRefusesWhatWaitsForASlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &link{off: map[string]bool{}}
		l.serve = forever(ok200)
		c := newClient(t, requester.Config{Dial: l.dial, OutageTimeout: time.Minute, MaxIdle: -1, Host: flow.Rule{Rate: 1}})
		ask := func(i int) error {
			_, err := c.Do(t.Context(), &requester.Request{Scheme: "http", Host: fmt.Sprintf("h%d.test", i), Port: 80}, nil)
			return err
		}
		for i := range 12 {
			if err := ask(i); err != nil {
				t.Fatal(err)
			}
		}
		<-time.After(time.Second)
		if err := ask(0); err != nil {
			t.Fatal(err)
		}
		var waiting sync.WaitGroup
		var waited error
		waiting.Go(func() { waited = ask(0) })
		for i := 1; i < 12; i++ {
			l.cut(true, fmt.Sprintf("h%d.test:80", i))
			_ = ask(i)
		}
		waiting.Wait()
		if refused, ok := errors.AsType[*requester.NotAdmittedError](waited); !ok || !refused.Outage {
			t.Errorf("what waited ended with %v, want it not admitted", waited)
		}
	})
}
