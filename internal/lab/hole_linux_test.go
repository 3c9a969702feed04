package lab

import (
	"errors"
	"net"
	"os"
	"sync"
	"testing"
	"time"
)

func TestBlackHoleSwallowsEveryConnect(t *testing.T) {
	l := startLab(t, Config{Counts: map[Kind]int{BlackHole: 20, Healthy: 1}})
	var dials sync.WaitGroup
	for _, h := range l.Of(BlackHole) {
		for range 3 {
			dials.Go(func() {
				c, err := net.DialTimeout("tcp", h.Addr, 1500*time.Millisecond) // the kernel repeats its SYN after 1 s
				if err == nil {
					_ = c.Close()
				}
				var timeout net.Error
				if !errors.As(err, &timeout) || !timeout.Timeout() {
					t.Errorf("dial %s: %v, want a timeout", h.Addr, err)
				}
			})
		}
	}
	dials.Wait()
	for _, s := range l.Stats() {
		if s.Kind == BlackHole && (s.Connections != 0 || s.Requests != 0) {
			t.Errorf("%s counted %d connections, %d requests, want none", s.Host, s.Connections, s.Requests)
		}
	}
}

func TestThousandBlackHolesWithTwoDescriptorsEach(t *testing.T) {
	before := openDescriptors(t)
	l, err := Start(Config{Counts: map[Kind]int{BlackHole: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	if used := openDescriptors(t) - before; used > 2020 {
		t.Errorf("1,000 holes use %d descriptors, want 2 each", used)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if left := openDescriptors(t) - before; left > 20 {
		t.Errorf("%d descriptors left after Close", left)
	}
}

func TestBlackHoleCannotChange(t *testing.T) {
	h := one(t, Spec{Kind: BlackHole})
	if err := h.Up(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Up: %v, want unsupported", err)
	}
	if err := h.Down(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Down: %v, want unsupported", err)
	}
}

func openDescriptors(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
