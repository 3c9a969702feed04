package lab

import (
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestDownAndUp(t *testing.T) {
	h := one(t, Spec{Kind: Healthy})
	client := newClient(t)
	idle := dial(t, h.Addr)
	for round := range 3 {
		get(t, client, h, "/")
		if err := h.Down(); err != nil {
			t.Fatal(err)
		}
		wantRefused(t, h.Addr)
		if round == 0 {
			if _, err := idle.Read(make([]byte, 1)); err == nil || errors.Is(err, net.ErrClosed) {
				t.Errorf("read on a connection of a host that went down: %v, want its end", err)
			}
		}
		if err := h.Down(); err != nil {
			t.Errorf("Down of a host that is down: %v", err)
		}
		if err := h.Up(); err != nil {
			t.Fatal(err)
		}
		if err := h.Up(); err != nil {
			t.Errorf("Up of a host that is up: %v", err)
		}
		client.CloseIdleConnections()
	}
	get(t, client, h, "/")
	if n := h.Requests(); n != 4 {
		t.Errorf("%d requests over all periods, want 4", n)
	}
}

func TestDownEndsWaitingRequests(t *testing.T) {
	for _, kind := range []Kind{Silent, Slow, EndlessBody, StalledBody} {
		h := one(t, Spec{Kind: kind, Delay: time.Hour})
		c := dial(t, h.Addr)
		if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		awaitRequests(t, h, 1)
		if err := h.Down(); err != nil {
			t.Fatal(err)
		}
		_, err := io.Copy(io.Discard, c)
		if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
			t.Errorf("%s: the connection outlived the host: %v", kind, err)
		}
		if n := h.Stats().InFlight; n != 0 {
			t.Errorf("%s: %d requests in flight after the end, want 0", kind, n)
		}
	}
}

// awaitRequests returns when n requests have arrived.
func awaitRequests(t testing.TB, h Host, n int64) {
	t.Helper()
	await(t, func() bool { return h.Requests() >= n })
}

// await returns when cond holds; it is for what happens on the other side of a
// connection. The test's own timeout ends one that never does.
func await(t testing.TB, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !cond() {
		<-tick.C
	}
}

func TestFlakyComesBackBySchedule(t *testing.T) {
	l := startLab(t, Config{Counts: map[Kind]int{Flaky: 2}, FlakyDown: 300 * time.Millisecond})
	for _, h := range l.Hosts() {
		wantRefused(t, h.Addr)
	}
	for _, h := range l.Hosts() {
		awaitAnswer(t, h)
	}
}

func TestScheduleTurnsDownAndUpAgain(t *testing.T) {
	h := one(t, Spec{Kind: Flaky, Schedule: []time.Duration{0, 200 * time.Millisecond, 200 * time.Millisecond}})
	c := dial(t, h.Addr)
	if _, err := c.Read(make([]byte, 1)); err == nil { // it ends when the host goes down
		t.Error("a byte from a host that was not asked")
	}
	awaitAnswer(t, h)
}

func TestFlakyWithoutScheduleWaitsForUp(t *testing.T) {
	l := startLab(t, Config{Counts: map[Kind]int{Flaky: 1, Refusing: 1}})
	for _, h := range l.Hosts() {
		wantRefused(t, h.Addr)
		if err := h.Up(); err != nil {
			t.Fatal(err)
		}
		if status, _, _ := get(t, newClient(t), h, "/"); status != 200 {
			t.Errorf("%s after Up: status %d, want 200", h.Kind, status)
		}
	}
}

// awaitAnswer asks until the host answers.
func awaitAnswer(t testing.TB, h Host) {
	t.Helper()
	client := newClient(t)
	await(t, func() bool {
		resp, err := client.Get(h.URL())
		if err != nil {
			return false
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("status %d, want 200", resp.StatusCode)
		}
		return true
	})
}

func TestAfterClose(t *testing.T) {
	l, err := Start(Config{Counts: map[Kind]int{Healthy: 1}})
	if err != nil {
		t.Fatal(err)
	}
	h := l.Hosts()[0]
	get(t, newClient(t), h, "/")
	for range 2 {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	wantRefused(t, h.Addr)
	if err := h.Up(); !errors.Is(err, errClosed) {
		t.Errorf("Up after Close: %v, want %v", err, errClosed)
	}
	if n := l.Requests(h.Addr); n != 1 {
		t.Errorf("%d requests after Close, want 1", n)
	}
}

func TestScheduleThatCannotComeBackIsReported(t *testing.T) {
	squatter, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer squatter.Close()
	synctest.Test(t, func(t *testing.T) {
		quit, ended := make(chan struct{}), make(chan struct{})
		s := &server{
			spec: Spec{Kind: Flaky, Schedule: []time.Duration{13 * time.Second}},
			addr: squatter.Addr().String(),
			quit: quit,
		}
		go func() {
			defer close(ended)
			s.run()
		}()
		<-time.After(13 * time.Second)
		synctest.Wait()
		if !errors.Is(s.err, syscall.EADDRINUSE) {
			t.Errorf("the schedule's error is %v, want address in use", s.err)
		}
		close(quit)
		<-ended
	})
}
