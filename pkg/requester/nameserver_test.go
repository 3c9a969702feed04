package requester_test

import (
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/miekg/dns"
)

// nameserver answers by name: addresses, a response code, records as a zone has them, or with nil not at all. It counts the
// questions for addresses of version 4.
type nameserver struct {
	addr    string
	answers map[string]any
	hold    chan struct{} // when not nil: no answer before it is closed

	mu    sync.Mutex
	asked map[string]int // by name, and by "tcp name"
}

// zone is an answer in the words of a zone file, with the code it comes with.
type zone struct {
	code      int
	records   []string
	authority []string
	cut       bool // by UDP it is too long
	lame      bool
}

func startNameserver(tb testing.TB, answers map[string]any) *nameserver {
	tb.Helper()
	socket, listener := listenBoth(tb)
	n := &nameserver{addr: socket.LocalAddr().String(), answers: answers, asked: map[string]int{}}
	for _, s := range []*dns.Server{{PacketConn: socket}, {Listener: listener}} {
		ready := make(chan struct{})
		done := make(chan error, 1)
		s.Handler, s.NotifyStartedFunc = n, func() { close(ready) }
		go func() { done <- s.ActivateAndServe() }()
		<-ready
		tb.Cleanup(func() {
			if err := s.Shutdown(); err != nil {
				tb.Error(err)
			}
			<-done
		})
	}
	return n
}

// listenBoth takes a port that is free for UDP and TCP.
func listenBoth(tb testing.TB) (net.PacketConn, net.Listener) {
	tb.Helper()
	for {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			tb.Fatal(err)
		}
		socket, err := net.ListenPacket("udp", listener.Addr().String())
		if err == nil {
			return socket, listener
		}
		_ = listener.Close() // somebody has the port for UDP
	}
}

// count is how often a name was asked for.
func (n *nameserver) count(name string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked[name]
}

func (n *nameserver) ServeDNS(w dns.ResponseWriter, q *dns.Msg) {
	name, kind := q.Question[0].Name, q.Question[0].Qtype
	tcp := w.LocalAddr().Network() == "tcp"
	if kind == dns.TypeA {
		n.mu.Lock()
		n.asked[name]++
		if tcp {
			n.asked["tcp "+name]++
		}
		n.mu.Unlock()
	}
	n.mu.Lock()
	hold := n.hold
	n.mu.Unlock()
	if hold != nil {
		<-hold
	}
	m := new(dns.Msg)
	m.SetReply(q)
	m.RecursionAvailable = true
	switch a := n.answers[name].(type) {
	case nil:
		return
	case int:
		m.Rcode = a
	case zone:
		a.fill(m, tcp)
	case string:
		for text := range strings.FieldsSeq(a) {
			addr := netip.MustParseAddr(text)
			if header := (dns.RR_Header{Name: name, Rrtype: kind, Class: dns.ClassINET, Ttl: 60}); addr.Is4() && kind == dns.TypeA {
				m.Answer = append(m.Answer, &dns.A{Hdr: header, A: addr.AsSlice()})
			} else if addr.Is6() && kind == dns.TypeAAAA {
				m.Answer = append(m.Answer, &dns.AAAA{Hdr: header, AAAA: addr.AsSlice()})
			}
		}
	}
	_ = w.WriteMsg(m)
}

func (z zone) fill(m *dns.Msg, tcp bool) {
	m.Rcode, m.RecursionAvailable = z.code, !z.lame
	if m.Truncated = z.cut && !tcp; m.Truncated {
		return
	}
	for _, text := range z.records {
		if r := mustRecord(text); r.Header().Rrtype == m.Question[0].Qtype || r.Header().Rrtype == dns.TypeCNAME {
			m.Answer = append(m.Answer, r)
		}
	}
	for _, text := range z.authority {
		m.Ns = append(m.Ns, mustRecord(text))
	}
}

func mustRecord(text string) dns.RR {
	r, err := dns.NewRR(text)
	if err != nil {
		panic(err)
	}
	return r
}
