package scan

import (
	"context"
	"net"
	"sync"
	"syscall"
	"testing"

	"github.com/redialscan/redial/internal/lab"
)

// switchboard is a network in which hosts have names and any port, by way of the lab's addresses. What it does not know
// refuses.
type switchboard struct {
	after func(n int) // called after each dial with the number of it, from 1

	mu     sync.Mutex
	to     map[string]string
	dialed []string
}

func (s *switchboard) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	s.mu.Lock()
	s.dialed = append(s.dialed, addr)
	n := len(s.dialed)
	to, ok := s.to[addr]
	s.mu.Unlock()
	if s.after != nil {
		defer s.after(n)
	}
	if !ok {
		return nil, syscall.ECONNREFUSED
	}
	var d net.Dialer
	return d.DialContext(ctx, network, to)
}

func (s *switchboard) route(addr, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to[addr] = to
}

// goesDown takes a host of the lab down with the nth connection to it. Where every request has a connection of its own,
// none is answered after the first refusal.
func goesDown(t *testing.T, host lab.Host, nth int) func(context.Context, string, string) (net.Conn, error) {
	way := &switchboard{to: map[string]string{host.Addr: host.Addr}}
	way.after = func(n int) {
		if n == nth {
			must(t, host.Down())
		}
	}
	return way.dial
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// errorsOf are the errors of the items that failed.
func errorsOf(b *book) []string {
	var all []string
	for _, r := range failures(b) {
		all = append(all, r.Error)
	}
	return all
}
