package requester

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redialscan/redial/pkg/hosterrors"
)

const (
	maxNames     = 1 << 16
	positiveLife = time.Minute
	negativeLife = 5 * time.Minute
)

// resolver looks names up and remembers the answers, also the answer that a name does not exist, which so holds for all ports of
// the name. Failures of the resolver itself are not remembered.
type resolver struct {
	network string // ip, ip4 or ip6
	lookup  func(ctx context.Context, network, host string) ([]netip.Addr, error)

	mu    sync.Mutex
	known map[string]answer
}

type answer struct {
	addrs []netip.Addr
	err   error
	until time.Time
}

func newResolver(cfg *Config) (*resolver, error) {
	for _, server := range cfg.Resolvers {
		if _, err := netip.ParseAddrPort(server); err != nil {
			return nil, fmt.Errorf("expected the address and port of a resolver, got %q", server)
		}
	}
	r := &resolver{network: "ip", known: map[string]answer{}}
	if cfg.IPVersion != 0 {
		r.network = fmt.Sprintf("ip%d", cfg.IPVersion)
	}
	own := &net.Resolver{PreferGo: len(cfg.Resolvers) > 0, Dial: dialResolver(cfg.Resolvers)}
	r.lookup = func(ctx context.Context, network, host string) ([]netip.Addr, error) {
		addrs, err := own.LookupNetIP(ctx, network, host)
		if dns, ok := errors.AsType[*net.DNSError](err); ok && own.PreferGo {
			dns.Server = "" // it would be the system's, which was not asked
		}
		return addrs, err
	}
	return r, nil
}

// dialResolver dials the servers in turn, or the one that the system names. A question that nobody waits for any more is given up: the
// net package would leave it, and two goroutines, to its own timeouts.
func dialResolver(servers []string) func(ctx context.Context, network, addr string) (net.Conn, error) {
	var turn atomic.Uint32
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		if len(servers) > 0 {
			addr = servers[int(turn.Add(1)-1)%len(servers)]
		}
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err == nil {
			context.AfterFunc(ctx, func() { _ = c.Close() })
		}
		return c, err
	}
}

// addresses returns the host's addresses in the order in which they are to be tried. An address is its own answer.
func (r *resolver) addresses(ctx context.Context, host string, limit time.Duration) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return r.literal(addr)
	}
	now := time.Now()
	r.mu.Lock()
	a, ok := r.known[host]
	r.mu.Unlock()
	if ok && now.Before(a.until) {
		return a.addrs, a.err
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	addrs, err := r.lookup(limited, r.network, host)
	if own := callerEnded(ctx); own != nil {
		return nil, fmt.Errorf("looking up %s: %w", host, own)
	}
	life := positiveLife
	if err != nil {
		dns, ok := errors.AsType[*net.DNSError](err)
		if !ok {
			// A timeout of ours comes bare at times; it is the resolver's silence, not the host's.
			return nil, &net.DNSError{Err: err.Error(), Name: host, IsTimeout: isTimeout(err), IsTemporary: true}
		}
		if !dns.IsNotFound {
			return nil, err
		}
		life = negativeLife
	}
	for i, addr := range addrs {
		addrs[i] = addr.Unmap()
	}
	r.remember(host, answer{addrs: addrs, err: err, until: time.Now().Add(life)})
	return addrs, err
}

func (r *resolver) literal(addr netip.Addr) ([]netip.Addr, error) {
	if r.network == "ip4" && !addr.Is4() || r.network == "ip6" && addr.Is4() {
		return nil, &hosterrors.BuildError{Err: fmt.Errorf("expected an address of the family %s, got %s", r.network, addr)}
	}
	return []netip.Addr{addr}, nil
}

// remember keeps an answer. When there is no room, a few of those that have run out go, or else whatever the map offers first.
func (r *resolver) remember(host string, a answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) >= maxNames {
		now := time.Now()
		looked := 0
		for name, old := range r.known {
			if looked++; looked == 1 || now.After(old.until) {
				delete(r.known, name)
			}
			if looked == 64 {
				break
			}
		}
	}
	r.known[host] = a
}
