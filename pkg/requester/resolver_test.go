package requester_test

import (
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

// nameserver answers by name: addresses, a response code, or with nil not at all. It counts the questions for addresses of version 4.
type nameserver struct {
	addr    string
	answers map[string]any

	mu    sync.Mutex
	asked map[string]int
}

func startNameserver(tb testing.TB, answers map[string]any) *nameserver {
	tb.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	n := &nameserver{addr: socket.LocalAddr().String(), answers: answers, asked: map[string]int{}}
	ready := make(chan struct{})
	done := make(chan error, 1)
	s := &dns.Server{PacketConn: socket, Handler: n, NotifyStartedFunc: func() { close(ready) }}
	go func() { done <- s.ActivateAndServe() }()
	<-ready
	tb.Cleanup(func() {
		if err := s.Shutdown(); err != nil {
			tb.Error(err)
		}
		<-done
	})
	return n
}

func (n *nameserver) ServeDNS(w dns.ResponseWriter, q *dns.Msg) {
	name, kind := q.Question[0].Name, q.Question[0].Qtype
	if kind == dns.TypeA {
		n.mu.Lock()
		n.asked[name]++
		n.mu.Unlock()
	}
	m := new(dns.Msg)
	m.SetReply(q)
	m.RecursionAvailable = true
	switch a := n.answers[name].(type) {
	case nil:
		return
	case int:
		m.Rcode = a
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

// github.com/projectdiscovery/nuclei/issues/5625: a resolver that fails is no host's fault, a name that does not exist is.
func TestNames(t *testing.T) {
	host := startLab(t, lab.Spec{Kind: lab.Healthy})[0]
	at := netip.MustParseAddrPort(host.Addr)
	n := startNameserver(t, map[string]any{
		"lives.example.": at.Addr().String(), "gone.example.": dns.RcodeNameError, "broken.example.": dns.RcodeServerFailure,
		"six.example.": "::1",
	})
	for _, test := range []struct {
		name   string
		cfg    requester.Config
		blame  hosterrors.Blame
		repeat bool
		asked  int // after two ports; 0 = not looked at
	}{
		{"lives.example", requester.Config{}, hosterrors.BlameAlive, false, 1},
		{"gone.example", requester.Config{}, hosterrors.BlameHost, false, 1},
		{"broken.example", requester.Config{}, hosterrors.BlameNobody, true, 0},
		{"silent.example", requester.Config{Timeout: 200 * time.Millisecond}, hosterrors.BlameNobody, true, 0},
		{"six.example", requester.Config{IPVersion: 4}, hosterrors.BlameHost, false, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.cfg.Resolvers = []string{n.addr}
			c := newClient(t, test.cfg)
			for _, port := range []uint16{at.Port(), at.Port()} {
				_, err := do(t, c, &requester.Request{Scheme: "http", Host: test.name, Port: port})
				if v := hosterrors.Judge(err); v.Blame != test.blame || v.Repeat != test.repeat {
					t.Errorf("got %v, judged %+v; want blame %v, repeat %v", err, v, test.blame, test.repeat)
				}
			}
			n.mu.Lock()
			defer n.mu.Unlock()
			if got := n.asked[test.name+"."]; test.asked != 0 && got != test.asked {
				t.Errorf("the name was asked for %d times, want %d", got, test.asked)
			}
		})
	}
}

func TestAddressOfTheOtherFamily(t *testing.T) {
	c := newClient(t, requester.Config{IPVersion: 6})
	_, err := do(t, c, to("127.0.0.1:1", "/"))
	wantErr[*hosterrors.BuildError](t, err)
}
