package scan

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/report"
)

// nameserver sends everybody to one address, but for names with "gone" in them, once it answers at all.
type nameserver struct {
	addr string
	to   netip.Addr
	code int // what it answers while it is down; -1 = nothing
	upAt int // after so many questions it is up

	mu    sync.Mutex
	asked map[string]int // by name; "" has all of them
}

func startNameserver(t *testing.T, n *nameserver) {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n.addr, n.asked = socket.LocalAddr().String(), map[string]int{}
	ready, done := make(chan struct{}), make(chan error, 1)
	s := &dns.Server{PacketConn: socket, Handler: n, NotifyStartedFunc: func() { close(ready) }}
	go func() { done <- s.ActivateAndServe() }()
	<-ready
	t.Cleanup(func() {
		must(t, s.Shutdown())
		<-done
	})
}

func (n *nameserver) ServeDNS(w dns.ResponseWriter, q *dns.Msg) {
	name := q.Question[0].Name
	n.mu.Lock()
	n.asked[name]++
	n.asked[""]++
	up := n.asked[""] > n.upAt
	n.mu.Unlock()
	m := new(dns.Msg).SetReply(q)
	m.RecursionAvailable = true
	switch {
	case !up && n.code < 0:
		return
	case !up:
		m.Rcode = n.code
	case strings.Contains(name, "gone"):
		m.Rcode = dns.RcodeNameError
	default:
		m.Answer = append(m.Answer, &dns.A{
			Hdr: dns.RR_Header{Name: name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 60}, A: n.to.AsSlice(),
		})
	}
	_ = w.WriteMsg(m)
}

// github.com/projectdiscovery/nuclei/issues/5625: a resolver that does not answer is no host's fault, and costs none an item.
func TestDeadResolverBlamesNobody(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1}})
	at := netip.MustParseAddrPort(l.Hosts()[0].Addr)
	for name, n := range map[string]*nameserver{
		"silent":  {code: -1, upAt: 14}, // twice for each of six hosts
		"failing": {code: dns.RcodeServerFailure, upAt: 6}, "refusing": {code: dns.RcodeRefused, upAt: 6},
	} {
		t.Run(name, func(t *testing.T) {
			n.to = at.Addr()
			startNameserver(t, n)
			opt := base()
			opt.Breaker.MaxHostError, opt.FirstContact, opt.Linger = 1, 1, 0
			opt.Requester.Timeout, opt.Requester.DialTimeout = 10*time.Second, time.Second
			opt.Requester.Resolvers, opt.Requester.IPVersion = []string{n.addr}, 4
			var mu sync.Mutex
			var said []string
			opt.Log.Info = func(format string, args ...any) {
				mu.Lock()
				defer mu.Unlock()
				said = append(said, fmt.Sprintf(format, args...))
			}
			lines := []string{fmt.Sprintf("bare.test:%d", at.Port())} // of which the scheme is not known
			for i := range 5 {
				lines = append(lines, fmt.Sprintf("http://h%d.test:%d/", i, at.Port()))
			}
			b, ending := scanned(t, opt, []string{"/", "/admin"}, lines...)
			if ending.Done != 12 || len(of[*report.Transition](b)) != 0 {
				t.Errorf("ending %+v, failed %s, tripped %s; want 12 done and nobody blamed", ending.Summary, errorsOf(b), keys(b))
			}
			if len(said) != 1 || !strings.Contains(said[0], n.addr) || !strings.Contains(said[0], "no fault of its host") {
				t.Errorf("said %q, want one sentence about the resolver", said)
			}
			waited := 0
			for _, r := range of[*report.Result](b) {
				if r.Attempts > 1 {
					waited++
				}
			}
			if waited == 0 {
				t.Error("no item was sent again, want those that asked in vain")
			}
		})
	}
}

// A name that does not exist is an error of all its ports, and is asked for once.
func TestNoSuchNameIsKnownForAllPorts(t *testing.T) {
	n := &nameserver{}
	startNameserver(t, n)
	opt := base()
	opt.Breaker.MaxHostError, opt.NoRevisit = 1, true
	opt.Requester.Resolvers, opt.Requester.IPVersion = []string{n.addr}, 4
	b, ending := scanned(t, opt, paths(5), "http://gone.test/", "https://gone.test/", "http://gone.test:8080/")
	if got := strings.Join(keys(b), " "); got != "gone.test:443 gone.test:80 gone.test:8080" || ending.SkippedBy["quarantined"] != 15 {
		t.Errorf("tripped %s, ending %+v; want all three ports, and all their items skipped", got, ending.Summary)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.asked["gone.test."] != 1 {
		t.Errorf("the name was asked for %d times, want once", n.asked["gone.test."])
	}
}
