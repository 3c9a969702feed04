package requester

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/miekg/dns"
)

const (
	// maxServers is how many servers are asked for one name before it is given up for now.
	maxServers = 4
	// serverRest is how long a server that did not answer is asked after all others.
	serverRest = 30 * time.Second
)

var errNotAsked = errors.New("not asked: there are servers of our own")

// servers asks given DNS servers, in turn, after the system's file of hosts. It is safe for concurrent use.
type servers struct {
	kinds []uint16 // of records: A, AAAA
	list  []*server
	turn  atomic.Uint32
	hosts net.Resolver // reads the file of hosts as the system is set to, and asks nobody
}

type server struct {
	addr string
	rest atomic.Int64 // it did not answer: others are preferred until then, in Unix nanoseconds
	last atomic.Int64 // when it answered last, likewise
}

func newServers(addrs []string, network string) (*servers, error) {
	s := &servers{kinds: []uint16{dns.TypeA, dns.TypeAAAA}}
	switch network {
	case "ip4":
		s.kinds = s.kinds[:1]
	case "ip6":
		s.kinds = s.kinds[1:]
	}
	for _, addr := range addrs {
		if _, err := netip.ParseAddrPort(addr); err != nil {
			return nil, fmt.Errorf("expected the address and port of a resolver, got %q", addr)
		}
		s.list = append(s.list, &server{addr: addr})
	}
	s.hosts.PreferGo = true
	s.hosts.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, errNotAsked }
	return s, nil
}

// lookUp finds the addresses of a host.
func (s *servers) lookUp(ctx context.Context, host string) answer {
	if a, known := s.fromFile(ctx, host); known {
		return a
	}
	if _, isName := dns.IsDomainName(host); !isName || strings.HasSuffix(host, ".onion") { // RFC 7686: the DNS is not asked
		return answer{err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}, life: mostLife}
	}
	replies := make([]records, len(s.kinds))
	var wg sync.WaitGroup
	for i, kind := range s.kinds {
		wg.Go(func() { replies[i] = s.question(ctx, host, kind) })
	}
	wg.Wait()
	return conclude(replies)
}

// fromFile looks into the file of hosts.
func (s *servers) fromFile(ctx context.Context, host string) (answer, bool) {
	network := map[uint16]string{dns.TypeA: "ip4", dns.TypeAAAA: "ip6"}[s.kinds[0]]
	if len(s.kinds) == 2 {
		network = "ip"
	}
	addrs, err := s.hosts.LookupNetIP(ctx, network, host)
	for i, addr := range addrs {
		addrs[i] = addr.Unmap()
	}
	return answer{addrs: addrs, life: leastLife}, err == nil
}

// records is what came of one question: addresses, that there are none, or that no server would say.
type records struct {
	addrs  []netip.Addr
	life   time.Duration
	absent error // there is no such name, or it has no address of the kind
	gone   bool  // no such name, whatever the kind
	failed error
}

// conclude makes one answer of those about the two kinds of addresses. An address counts, though the other question failed; that
// there is none counts only when both say so, or one says that there is no such name.
func conclude(replies []records) answer {
	var found, absent, failed answer
	for _, r := range replies {
		switch {
		case r.failed != nil:
			failed.err = r.failed
		case r.gone:
			return answer{err: r.absent, life: r.life}
		case r.absent != nil:
			absent.err, absent.life = r.absent, shorter(absent.life, r.life)
		default:
			found.addrs, found.life = append(found.addrs, r.addrs...), shorter(found.life, r.life)
		}
	}
	switch {
	case len(found.addrs) > 0:
		preferRouted(found.addrs)
		return found
	case failed.err != nil:
		return failed
	}
	return absent
}

// shorter is the shorter one of two lives, of which the first may not be known yet.
func shorter(a, b time.Duration) time.Duration {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// preferRouted puts version 6 first where this machine has a way there, and last where it has not: RFC 6724 in the case that
// matters to a scanner. The order of the server is kept otherwise.
func preferRouted(addrs []netip.Addr) {
	six := slices.IndexFunc(addrs, netip.Addr.Is6)
	if six < 0 || !slices.ContainsFunc(addrs, netip.Addr.Is4) {
		return
	}
	first := routed(netip.AddrPortFrom(addrs[six], 443))
	rank := func(a netip.Addr) int {
		if a.Is6() == first {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(addrs, func(a, b netip.Addr) int { return rank(a) - rank(b) })
}

// question asks one server after the other for one kind of record until one says something. A single server that stays silent
// is asked once more: the packet may have been lost.
func (s *servers) question(ctx context.Context, host string, kind uint16) records {
	m := new(dns.Msg).SetQuestion(dns.Fqdn(host), kind)
	end, _ := ctx.Deadline()
	order := s.order(time.Now())
	tries := max(2, len(order))
	var last error
	for i := range tries {
		if i >= len(order) && !isTimeout(last) || ctx.Err() != nil {
			break
		}
		limited, cancel := context.WithTimeout(ctx, time.Until(end)/time.Duration(tries-i))
		server := order[i%len(order)]
		msg, err := server.exchange(limited, m)
		cancel()
		if err != nil {
			last = failure(host, server.addr, err)
			continue
		}
		return read(msg, host, server.addr, kind)
	}
	if last == nil {
		last = failure(host, "", ctx.Err())
	}
	return records{failed: last}
}

// order is in which order servers are asked: each question begins with the next one, and those that rest come last.
func (s *servers) order(now time.Time) []*server {
	n := len(s.list)
	first := int((s.turn.Add(1) - 1) % uint32(n))
	order := make([]*server, 0, maxServers)
	for _, resting := range [...]bool{false, true} {
		for i := 0; i < n && len(order) < maxServers; i++ {
			if one := s.list[(first+i)%n]; one.resting(now) == resting {
				order = append(order, one)
			}
		}
	}
	return order
}

func (s *server) resting(now time.Time) bool { return now.UnixNano() < s.rest.Load() }

// exchange asks by UDP, and by TCP when the answer is too long for that. An answer that is none is an error.
func (s *server) exchange(ctx context.Context, m *dns.Msg) (*dns.Msg, error) {
	msg, err := s.over(ctx, "udp", m)
	if err == nil && msg.Truncated {
		msg, err = s.over(ctx, "tcp", m)
	}
	if err != nil {
		s.rest.Store(time.Now().Add(serverRest).UnixNano())
		return nil, err
	}
	s.answered()
	switch {
	case msg.Rcode != dns.RcodeSuccess && msg.Rcode != dns.RcodeNameError:
		return nil, errors.New("server answered " + dns.RcodeToString[msg.Rcode])
	case len(msg.Question) != 1 || !strings.EqualFold(msg.Question[0].Name, m.Question[0].Name) || msg.Question[0].Qtype != m.Question[0].Qtype:
		return nil, errors.New("server answered another question")
	case msg.Rcode == dns.RcodeSuccess && len(msg.Answer) == 0 && !msg.Authoritative && !msg.RecursionAvailable:
		return nil, errors.New("server does not know and does not ask others")
	}
	return msg, nil
}

func (s *server) over(ctx context.Context, network string, m *dns.Msg) (*dns.Msg, error) {
	return askOver(ctx, new(net.Dialer).DialContext, network, s.addr, m)
}

// answered notes that the server is well.
func (s *server) answered() {
	s.rest.Store(0)
	s.last.Store(time.Now().UnixNano())
}

func (s *server) heardSince(t time.Time) bool { return s.last.Load() >= t.UnixNano() }

// askOver asks over a connection of its own.
func askOver(
	ctx context.Context, dial func(ctx context.Context, network, addr string) (net.Conn, error), network, addr string, m *dns.Msg,
) (*dns.Msg, error) {
	raw, err := dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	defer raw.Close()
	defer context.AfterFunc(ctx, func() { _ = raw.SetDeadline(longAgo) })()
	c := dns.Client{Timeout: time.Hour} // the context's deadline decides
	msg, _, err := c.ExchangeWithConnContext(ctx, m, &dns.Conn{Conn: raw})
	return msg, err
}

// failure is that of a resolver, and none of the host.
func failure(host, server string, err error) error {
	cause := compact(err)
	if isTimeout(err) {
		cause = os.ErrDeadlineExceeded
	}
	return &net.DNSError{
		UnwrapErr: cause, Err: cause.Error(), Name: host, Server: server, IsTimeout: isTimeout(err), IsTemporary: true,
	}
}

// read takes the addresses out of an answer, aliases followed by the server, or how long it holds that there are none (RFC 2308
// section 5).
func read(msg *dns.Msg, host, server string, kind uint16) records {
	r := records{life: mostLife}
	for _, record := range msg.Answer {
		r.life = min(r.life, time.Duration(record.Header().Ttl)*time.Second)
		switch a := record.(type) {
		case *dns.A:
			if addr, ok := netip.AddrFromSlice(a.A.To4()); ok && kind == dns.TypeA {
				r.addrs = append(r.addrs, addr)
			}
		case *dns.AAAA:
			if addr, ok := netip.AddrFromSlice(a.AAAA); ok && kind == dns.TypeAAAA {
				r.addrs = append(r.addrs, addr.Unmap())
			}
		}
	}
	r.gone = msg.Rcode == dns.RcodeNameError
	if r.gone || len(r.addrs) == 0 {
		r.addrs = nil
		r.absent = &net.DNSError{Err: "no such host", Name: host, Server: server, IsNotFound: true}
		r.life = min(r.life, mostNotFound, notFoundLife(msg))
	}
	r.life = max(r.life, leastLife)
	return r
}

// notFoundLife is how long the zone says that a name may be taken not to exist.
func notFoundLife(msg *dns.Msg) time.Duration {
	for _, record := range msg.Ns {
		if soa, ok := record.(*dns.SOA); ok {
			return time.Duration(min(soa.Hdr.Ttl, soa.Minttl)) * time.Second
		}
	}
	return 0
}
