package requester_test

import (
	"context"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

// moody serves a connection in a mood drawn by chance: it answers, answers late, cuts off, talks nonsense or keeps silent.
func moody(n int, c net.Conn) {
	switch dice := rand.New(rand.NewPCG(1, uint64(n))); dice.IntN(6) {
	case 0:
		silence(n, c)
	case 1:
		answering("nonsense\r\n")(n, c)
	case 2:
		answering("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut")(n, c)
	case 3: // closes
	default:
		answering(ok200, ok200, ok200)(n, c)
	}
}

// In a storm of outcomes, cancellations and probes no ticket is lost: each probe slot that is taken is free again, or decided, once all
// sends have ended.
func TestStormLosesNoTicket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, err := hosterrors.NewWithConfig(hosterrors.Config{MaxHostError: 2, Cooldown: time.Second, MaxCooldown: time.Second, MaxTrips: -1, ProbeTTL: 1000 * time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		var opened atomic.Int32
		b.SetObserver(func(tr hosterrors.Transition) {
			if tr.To == hosterrors.StateOpen {
				opened.Add(1)
			}
		})
		c, _ := piped(t, requester.Config{Breaker: b, Timeout: 2 * time.Second}, moody)
		var all sync.WaitGroup
		for worker := range 20 {
			all.Go(func() {
				dice := rand.New(rand.NewPCG(2, uint64(worker)))
				for range 100 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(dice.IntN(3000))*time.Millisecond)
					_, _ = c.Do(ctx, get("/"), nil)
					cancel()
					<-time.After(time.Duration(dice.IntN(500)) * time.Millisecond)
				}
			})
		}
		all.Wait()
		if opened.Load() == 0 {
			t.Fatal("the breaker never opened: the storm shows nothing")
		}
		// A lost probe would keep the slot for 1000 hours.
		<-time.After(time.Second)
		if b.Quarantined(key) {
			t.Errorf("the host is %v and quarantined with nobody on the way", b.State(key))
		}
	})
}

// The same over sockets, where cancellation meets the real network.
func TestCancellationStormOverSockets(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	served.Go(func() {
		for n := 0; ; n++ {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			served.Go(func() {
				defer conn.Close()
				forever(ok200)(n, conn)
			})
		}
	})
	c := newClient(t, requester.Config{})
	var all sync.WaitGroup
	var answered atomic.Int32
	for worker := range 16 {
		all.Go(func() {
			dice := rand.New(rand.NewPCG(3, uint64(worker)))
			for range 50 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(dice.IntN(2000))*time.Microsecond)
				resp, err := c.Do(ctx, to(l.Addr().String(), "/"), nil)
				cancel()
				switch {
				case err == nil && resp.Status == 200:
					answered.Add(1)
				case err == nil || hosterrors.Judge(err).Blame != hosterrors.BlameNobody:
					t.Errorf("got %+v, %v; want an answer or nobody blamed", resp, err)
				}
			}
		})
	}
	all.Wait()
	if _, err := do(t, c, to(l.Addr().String(), "/")); err != nil {
		t.Errorf("after the storm: %v", err)
	}
	if got := c.Sent(); got == 0 || got < int64(answered.Load()) {
		t.Errorf("got %d sent, %d answered", got, answered.Load())
	}
	c.Close()
	_ = l.Close()
	served.Wait()
}
