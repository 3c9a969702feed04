package requester

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/redialscan/redial/pkg/hosterrors"
)

// resolver looks names up and remembers the answers, also the answer that a name does not exist, which so holds for all ports of
// the name. Failures of the resolver itself are not remembered. All that ask for a name at the same time share one look-up, and
// so many look-ups run at once. It is safe for concurrent use.
type resolver struct {
	network string // ip, ip4 or ip6
	limit   time.Duration
	ask     func(ctx context.Context, host string) answer
	servers *servers // that are asked; nil = the system's, by the system
	known   nameCache
	calls   singleflight.Group // host -> answer
	slots   chan struct{}
	// running is the context of all look-ups: theirs is not that of the one who happened to ask first.
	running context.Context
	cancel  context.CancelFunc
}

// answer is what came of a look-up.
type answer struct {
	addrs []netip.Addr
	err   error
	life  time.Duration // how long it holds; 0 = it is not to be remembered
}

func newResolver(cfg *Config) (*resolver, error) {
	r := &resolver{network: "ip", limit: cfg.DialTimeout, slots: make(chan struct{}, cfg.LookupConcurrency)}
	if cfg.IPVersion != 0 {
		r.network = fmt.Sprintf("ip%d", cfg.IPVersion)
	}
	r.ask = askSystem(r.network)
	if len(cfg.Resolvers) > 0 {
		servers, err := newServers(cfg.Resolvers, r.network)
		if err != nil {
			return nil, err
		}
		r.servers, r.ask = servers, servers.lookUp
	}
	r.running, r.cancel = context.WithCancel(context.Background())
	return r, nil
}

// addresses returns the host's addresses in the order in which they are to be tried; they are shared, and not to be changed. An
// address is its own answer.
func (r *resolver) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return r.literal(addr)
	}
	if a, ok := r.known.get(host, time.Now()); ok {
		return a.addrs, a.err
	}
	call := r.calls.DoChan(host, func() (any, error) { return r.lookUp(host), nil })
	select {
	case shared := <-call:
		a := shared.Val.(answer)
		if own := callerEnded(ctx); own != nil && a.err != nil {
			return nil, fmt.Errorf("looking up %s: %w", host, own)
		}
		return a.addrs, a.err
	case <-ctx.Done():
		return nil, fmt.Errorf("looking up %s: %w", host, ctx.Err())
	}
}

// lookUp asks for a name when its turn has come.
func (r *resolver) lookUp(host string) answer {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-r.running.Done():
		return answer{err: r.running.Err()}
	}
	if a, ok := r.known.get(host, time.Now()); ok { // the call before has ended since we looked
		return a
	}
	limited, cancel := context.WithTimeout(r.running, r.limit)
	defer cancel()
	a := r.ask(limited, host)
	if a.life > 0 {
		r.known.put(host, a, time.Now())
	}
	return a
}

// close ends the look-ups that run, and returns when they have ended. None can be made afterwards.
func (r *resolver) close() {
	r.cancel()
	for range cap(r.slots) {
		r.slots <- struct{}{}
	}
}

func (r *resolver) literal(addr netip.Addr) ([]netip.Addr, error) {
	if r.network == "ip4" && !addr.Is4() || r.network == "ip6" && addr.Is4() {
		return nil, &hosterrors.BuildError{Err: fmt.Errorf("expected an address of the family %s, got %s", r.network, addr)}
	}
	return []netip.Addr{addr}, nil
}

// askSystem asks the system's resolver, which does not tell how long its answers hold.
func askSystem(network string) func(ctx context.Context, host string) answer {
	system := &net.Resolver{Dial: dialResolver}
	return func(ctx context.Context, host string) answer {
		addrs, err := system.LookupNetIP(ctx, network, host)
		if err == nil {
			for i, addr := range addrs {
				addrs[i] = addr.Unmap()
			}
			return answer{addrs: addrs, life: systemLife}
		}
		dns, ok := errors.AsType[*net.DNSError](err)
		switch {
		case !ok:
			// A timeout of ours comes bare at times; it is the resolver's silence, not the host's.
			return answer{err: &net.DNSError{UnwrapErr: err, Err: err.Error(), Name: host, IsTimeout: isTimeout(err), IsTemporary: true}}
		case dns.IsNotFound:
			return answer{err: err, life: systemLife}
		}
		return answer{err: err}
	}
}

// dialResolver gives a question up that nobody waits for any more: the net package would leave it, and two goroutines, to its own
// timeouts.
func dialResolver(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err == nil {
		context.AfterFunc(ctx, func() { _ = c.Close() })
	}
	return c, err
}
