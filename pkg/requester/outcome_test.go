package requester_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/pkg/failurewindow"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

const key = "host.test:80"

func TestEachPhaseHasItsTimer(t *testing.T) {
	const limit = 4 * time.Second
	for _, test := range []struct {
		name  string
		serve func(int, net.Conn)
		phase hosterrors.Phase
		blame hosterrors.Blame
	}{
		{"head", silence, hosterrors.PhaseHead, hosterrors.BlameHost},
		{"head that never ends", func(_ int, c net.Conn) {
			readRequest(bufio.NewReader(c))
			io.WriteString(c, "HTTP/1.1 200 OK\r\nServer: x\r\n")
			io.Copy(io.Discard, c)
		}, hosterrors.PhaseHead, hosterrors.BlameHost},
		{"body", func(_ int, c net.Conn) {
			readRequest(bufio.NewReader(c))
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n12345")
			io.Copy(io.Discard, c)
		}, hosterrors.PhaseBody, hosterrors.BlameAlive},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := piped(t, requester.Config{Timeout: limit}, test.serve)
				start := time.Now()
				_, err := c.Do(t.Context(), get("/"), nil)
				slow := wantErr[*hosterrors.TimeoutError](t, err)
				if slow.Phase != test.phase || slow.After != limit || time.Since(start) != limit {
					t.Errorf("got %v after %v, want the phase %q after %v", slow, time.Since(start), test.phase, limit)
				}
				if got := hosterrors.Judge(err); got.Blame != test.blame || !got.Repeat {
					t.Errorf("got %+v, want blame %d and repeated", got, test.blame)
				}
			})
		})
	}
}

func TestDialAndHandshakeTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, requester.Config{Timeout: 4 * time.Second, DialTimeout: 3 * time.Second,
			Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}})
		start := time.Now()
		_, err := c.Do(t.Context(), get("/"), nil)
		if slow := wantErr[*hosterrors.TimeoutError](t, err); slow.Phase != hosterrors.PhaseDial || time.Since(start) != 3*time.Second {
			t.Errorf("got %v after %v, want the dial's after 3s", err, time.Since(start))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		c, _ := piped(t, requester.Config{Timeout: 4 * time.Second}, silence)
		req := get("/")
		req.Scheme = "https"
		start := time.Now()
		_, err := c.Do(t.Context(), req, nil)
		if slow := wantErr[*hosterrors.TimeoutError](t, err); slow.Phase != hosterrors.PhaseTLS || time.Since(start) != 4*time.Second {
			t.Errorf("got %v after %v, want the handshake's after 4s", err, time.Since(start))
		}
	})
}

// github.com/projectdiscovery/nuclei/pull/3143: the caller's own context says nothing about the host.
func TestCallersContextIsNeutral(t *testing.T) {
	for _, test := range []struct {
		name string
		make func(context.Context) (context.Context, context.CancelFunc)
		want error
	}{
		{"deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 2*time.Second)
		}, context.DeadlineExceeded},
		{"deadline at the same moment as ours", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 4*time.Second)
		}, context.DeadlineExceeded},
		{"cancelled", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(2*time.Second, cancel)
			return ctx, cancel
		}, context.Canceled},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBreaker(t, 1)
				c, _ := piped(t, requester.Config{Breaker: b, Timeout: 4 * time.Second}, silence)
				ctx, cancel := test.make(t.Context())
				defer cancel()
				_, err := c.Do(ctx, get("/"), nil)
				if !errors.Is(err, test.want) || hosterrors.Judge(err).Blame != hosterrors.BlameNobody {
					t.Errorf("got %v, want %v and nobody blamed", err, test.want)
				}
				if b.AnyTripped() {
					t.Error("the host was blamed")
				}
			})
		})
	}
}

func TestSuccessIsBookedAtTheHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(t, 2)
		c, _ := piped(t, requester.Config{Breaker: b}, func(n int, c net.Conn) {
			readRequest(bufio.NewReader(c))
			if n == 2 {
				io.WriteString(c, "HTTP/1.1 500 Oops\r\nContent-Length: 9\r\n\r\ncut")
			}
		})
		for n := range 4 {
			if _, err := c.Do(t.Context(), get("/"), nil); err == nil {
				t.Fatal("got an answer")
			}
			// The second send got a head, so the errors in a row are the third and the fourth.
			if got, want := b.AnyTripped(), n == 3; got != want {
				t.Errorf("send %d: tripped %v, want %v", n+1, got, want)
			}
		}
	})
}

// github.com/resilience4j/resilience4j/issues/544: a probe that panics or is cancelled gives its slot back.
func TestProbeAlwaysGetsAnOutcome(t *testing.T) {
	for _, test := range []struct {
		name string
		turn requester.Turn
	}{
		{"panic while waiting for a worker", panicking{}},
		{"cancelled while waiting for a worker", cancelling{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBreaker(t, 1)
				c, _ := piped(t, requester.Config{Breaker: b}, forever(ok200))
				b.Trip(key, io.EOF)
				if _, err := c.Do(t.Context(), get("/"), nil); !errors.Is(err, hosterrors.ErrUnresponsiveHost) {
					t.Fatalf("got %v from a quarantined host", err)
				}
				<-time.After(hosterrors.DefaultCooldown)
				func() {
					defer func() { _ = recover() }()
					if _, err := c.Do(t.Context(), get("/"), test.turn); err == nil {
						t.Error("got an answer")
					}
				}()
				if b.State(key) != hosterrors.StateHalfOpen || b.Quarantined(key) {
					t.Errorf("got %v, quarantined %v; want half-open with a free slot", b.State(key), b.Quarantined(key))
				}
				if mustDo(t, c, get("/")); b.State(key) != hosterrors.StateClosed {
					t.Errorf("got %v after the next probe, want closed", b.State(key))
				}
			})
		})
	}
}

type panicking struct{}

func (panicking) Wait(context.Context, time.Time) error { return nil }
func (panicking) Dialed(context.Context) error          { panic("boom") }

type cancelling struct{}

func (cancelling) Wait(context.Context, time.Time) error { return nil }
func (cancelling) Dialed(context.Context) error          { return context.Canceled }

func TestIgnoreTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(t, 1)
		w, err := failurewindow.New(failurewindow.Config{Limit: 1, Length: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		c, _ := piped(t, requester.Config{Breaker: b, Window: w}, silence)
		req := get("/")
		req.IgnoreTimeout = true
		_, err = c.Do(t.Context(), req, nil)
		wantErr[*hosterrors.TimeoutError](t, err)
		if _, ok := w.Admit(key); !ok || b.AnyTripped() {
			t.Error("a timeout that was expected was held against the host")
		}
	})
}

// github.com/projectdiscovery/nuclei/issues/3119: a filtered port counts, however patient the check is.
func TestIgnoreTimeoutIsForTheHeadOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker(t, 1)
		c := newClient(t, requester.Config{Breaker: b, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		req := get("/")
		req.IgnoreTimeout = true
		_, err := c.Do(t.Context(), req, nil)
		wantErr[*hosterrors.TimeoutError](t, err)
		if !b.Quarantined(key) {
			t.Error("a dial timeout did not count")
		}
	})
}

// Keys keep one pair of brackets, and the zone.
func TestKeysOfAddresses(t *testing.T) {
	for host, want := range map[string]string{"::1": "[::1]:8065", "fe80::1%eth0": "[fe80::1%eth0]:8065", "127.0.0.1": "127.0.0.1:8065"} {
		b := newBreaker(t, 1)
		var dialled string
		c := newClient(t, requester.Config{Breaker: b, Dial: func(_ context.Context, _, addr string) (net.Conn, error) {
			dialled = addr
			return nil, syscall.ECONNREFUSED
		}})
		req := get("/")
		req.Host, req.Port = host, 8065
		if _, err := c.Do(t.Context(), req, nil); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("got %v, want a refusal", err)
		}
		if dialled != want || !b.Quarantined(want) {
			t.Errorf("dialled %q, quarantined %v; want %q", dialled, b.Quarantined(want), want)
		}
		_, err := c.Do(t.Context(), req, nil)
		if held := wantErr[*requester.NotAdmittedError](t, err); held.Key != want {
			t.Errorf("got key %q, want %q", held.Key, want)
		}
	}
}

func TestWindowCountsAndHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, err := failurewindow.New(failurewindow.Config{Limit: 2, Length: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		c, _ := piped(t, requester.Config{Window: w}, func(n int, c net.Conn) {
			if n%2 == 0 {
				answering(ok200)(n, c)
			}
		})
		start := time.Now()
		for n := range 3 {
			if _, err := c.Do(t.Context(), get("/"), nil); (err == nil) != (n == 1) {
				t.Fatalf("send %d: got %v", n+1, err)
			}
		}
		_, err = c.Do(t.Context(), get("/"), nil)
		held := wantErr[*requester.NotAdmittedError](t, err)
		if held.Key != key || !held.Until.Equal(start.Add(time.Minute)) {
			t.Errorf("got %v until %v, want until %v", held, held.Until, start.Add(time.Minute))
		}
		if got := c.NextAdmit(key, time.Now()); !got.Equal(held.Until) {
			t.Errorf("got NextAdmit %v, want %v", got, held.Until)
		}
	})
}
