package requester

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/pkg/hosterrors"
)

// slowNames is a resolver whose look-ups take a second each, or as long as their context lasts, and counts them.
type slowNames struct {
	*resolver
	asked, running, most atomic.Int32
}

func newSlowNames(t *testing.T, atOnce int, result answer) *slowNames {
	t.Helper()
	r, err := newResolver(&Config{DialTimeout: 5 * time.Second, LookupConcurrency: atOnce})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	s := &slowNames{resolver: r}
	r.ask = func(ctx context.Context, _ string) answer {
		s.asked.Add(1)
		s.most.Store(max(s.most.Load(), s.running.Add(1)))
		defer s.running.Add(-1)
		select {
		case <-time.After(time.Second):
			return result
		case <-ctx.Done():
			return answer{err: ctx.Err()}
		}
	}
	return s
}

var oneAddress = answer{addrs: []netip.Addr{netip.MustParseAddr("192.0.2.1")}, life: time.Minute}

// All that ask for a name at the same time share one look-up, and the one who asked first may leave it.
func TestOneLookUpForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlowNames(t, 10, oneAddress)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := s.addresses(ctx, "host.test"); !errors.Is(err, context.Canceled) {
				t.Errorf("the first caller got %v, want its cancellation", err)
			}
		})
		synctest.Wait()
		for range 199 {
			wg.Go(func() {
				if addrs, err := s.addresses(t.Context(), "host.test"); err != nil || len(addrs) != 1 {
					t.Errorf("got %v, %v; want an address", addrs, err)
				}
			})
		}
		synctest.Wait()
		cancel()
		wg.Wait()
		if n := s.asked.Load(); n != 1 {
			t.Errorf("the name was asked for %d times, want once", n)
		}
	})
}

func TestCallersDeadlineIsItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlowNames(t, 10, oneAddress)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := s.addresses(ctx, "host.test")
		if v := hosterrors.Judge(err); !errors.Is(err, context.DeadlineExceeded) || v.Blame != hosterrors.BlameNobody {
			t.Errorf("got %v, judged %+v; want the caller's deadline", err, v)
		}
		if _, err := s.addresses(t.Context(), "host.test"); err != nil || s.asked.Load() != 1 {
			t.Errorf("got %v after %d look-ups, want the answer of the first", err, s.asked.Load())
		}
	})
}

// So many look-ups run at once; the time of the others begins when their turn has come.
func TestLookUpsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlowNames(t, 3, oneAddress)
		start := time.Now()
		var wg sync.WaitGroup
		for i := range 30 {
			wg.Go(func() {
				if _, err := s.addresses(t.Context(), fmt.Sprint("h", i)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if s.most.Load() != 3 || time.Since(start) != 10*time.Second {
			t.Errorf("%d look-ups at once, all after %v; want 3 and 10 s", s.most.Load(), time.Since(start))
		}
	})
}

// An answer holds for its life, that there is no such name too; that nobody would say does not hold at all.
func TestAnswersHoldForTheirLife(t *testing.T) {
	gone := &net.DNSError{Err: "no such host", IsNotFound: true}
	for name, c := range map[string]struct {
		result answer
		again  time.Duration // when it is asked anew
	}{
		"address": {oneAddress, time.Minute},
		"absent":  {answer{err: gone, life: 10 * time.Second}, 10 * time.Second},
		"failure": {answer{err: &net.DNSError{Err: "server misbehaving", IsTemporary: true}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSlowNames(t, 3, c.result)
				ask := func(want int32) {
					t.Helper()
					if _, err := s.addresses(t.Context(), "host.test"); !errors.Is(err, c.result.err) || s.asked.Load() != want {
						t.Errorf("got %v after %d look-ups, want %v after %d", err, s.asked.Load(), c.result.err, want)
					}
				}
				ask(1)
				if c.again > 0 {
					<-time.After(c.again - 1)
					ask(1)
					<-time.After(1)
				}
				ask(2)
			})
		})
	}
}

func TestLookUpsEndWithTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlowNames(t, 1, oneAddress)
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() {
				_, err := s.addresses(t.Context(), fmt.Sprint("h", i))
				if v := hosterrors.Judge(err); err == nil || v.Blame != hosterrors.BlameNobody {
					t.Errorf("got %v, judged %+v; want nobody blamed", err, v)
				}
			})
		}
		synctest.Wait()
		start := time.Now()
		c := Client{gates: newGates(&Config{}), names: s.resolver}
		c.Close()
		c.Close()
		wg.Wait()
		if time.Since(start) != 0 {
			t.Errorf("the look-ups ended after %v, want at once", time.Since(start))
		}
		s.slots = make(chan struct{}, 1) // the cleanup closes it once more
	})
}

// What the two kinds of addresses make together.
func TestBothKindsOfAddresses(t *testing.T) {
	four := records{addrs: []netip.Addr{netip.MustParseAddr("127.0.0.1")}, life: 50}
	six := records{addrs: []netip.Addr{netip.MustParseAddr("::1")}, life: 40}
	none := records{absent: errors.New("none"), life: 30}
	gone := records{absent: errors.New("gone"), gone: true, life: 20}
	fails := records{failed: errors.New("fails")}
	for _, c := range []struct {
		a, b  records
		addrs int
		err   error
		life  time.Duration
	}{
		{four, six, 2, nil, 40},
		{four, none, 1, nil, 50},
		{none, six, 1, nil, 40},
		{four, fails, 1, nil, 50},
		{none, none, 0, none.absent, 30},
		{none, fails, 0, fails.failed, 0},
		{fails, gone, 0, gone.absent, 20},
		{gone, gone, 0, gone.absent, 20},
		{fails, fails, 0, fails.failed, 0},
	} {
		for _, pair := range [][]records{{c.a, c.b}, {c.b, c.a}} {
			if got := conclude(pair); len(got.addrs) != c.addrs || got.err != c.err || got.life != c.life {
				t.Errorf("%+v: got %+v, want %d addresses, error %v, life %v", pair, got, c.addrs, c.err, c.life)
			}
		}
	}
}
