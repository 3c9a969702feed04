package requester_test

import (
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

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
			if got := n.count(test.name + "."); test.asked != 0 && got != test.asked {
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

// One name, 200 requests at the same time: one question.
func TestOneQuestionForAll(t *testing.T) {
	host := startLab(t, lab.Spec{Kind: lab.Healthy})[0]
	at := netip.MustParseAddrPort(host.Addr)
	n := startNameserver(t, map[string]any{"lives.example.": at.Addr().String()})
	hold := make(chan struct{})
	n.mu.Lock()
	n.hold = hold
	n.mu.Unlock()
	c := newClient(t, requester.Config{Resolvers: []string{n.addr}})
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			if _, err := do(t, c, &requester.Request{Scheme: "http", Host: "lives.example", Port: at.Port()}); err != nil {
				t.Error(err)
			}
		})
	}
	close(hold)
	wg.Wait()
	if got := n.count("lives.example."); got != 1 {
		t.Errorf("the name was asked for %d times, want once", got)
	}
}

// A name that does not exist is known for all its ports.
func TestNoSuchNameMarksAllPorts(t *testing.T) {
	n := startNameserver(t, map[string]any{"gone.example.": dns.RcodeNameError})
	b := newBreaker(t, 1)
	c := newClient(t, requester.Config{Resolvers: []string{n.addr}, Breaker: b})
	for i, port := range []uint16{80, 443, 8080} {
		_, err := do(t, c, &requester.Request{Scheme: "http", Host: "gone.example", Port: port})
		if named := wantErr[*net.DNSError](t, err); !named.IsNotFound || named.Server != n.addr || b.QuarantinedCount() != i+1 {
			t.Errorf("port %d: got %v with %d hosts quarantined, want that there is no such name", port, err, b.QuarantinedCount())
		}
	}
	if got := n.count("gone.example."); got != 1 {
		t.Errorf("the name was asked for %d times, want once", got)
	}
}

// Several servers are tried in turn, the next one when one fails, and one that did not answer is left alone for a while.
func TestServersAreTriedInTurn(t *testing.T) {
	host := startLab(t, lab.Spec{Kind: lab.Healthy})[0]
	at := netip.MustParseAddrPort(host.Addr)
	names := []string{"a.example", "b.example", "c.example", "d.example"}
	for name, fault := range map[string]any{
		"silent": nil, "failing": dns.RcodeServerFailure, "refusing": dns.RcodeRefused, "lame": zone{lame: true},
	} {
		t.Run(name, func(t *testing.T) {
			bad, good := map[string]any{}, map[string]any{}
			for _, n := range names {
				bad[n+"."], good[n+"."] = fault, at.Addr().String()
			}
			one, two := startNameserver(t, bad), startNameserver(t, good)
			c := newClient(t, requester.Config{Resolvers: []string{one.addr, two.addr}, IPVersion: 4, Timeout: 2 * time.Second})
			asked := 0
			for _, n := range names {
				if _, err := do(t, c, &requester.Request{Scheme: "http", Host: n, Port: at.Port()}); err != nil {
					t.Errorf("%s: %v", n, err)
				}
				asked += one.count(n + ".")
			}
			if want := map[bool]int{true: 1, false: 2}[fault == nil]; asked != want {
				t.Errorf("the bad server was asked %d times, want %d", asked, want)
			}
		})
	}
}

// A single server that does not answer is asked twice, since a packet may be lost; nothing is remembered.
func TestDeadServerIsNobodysFault(t *testing.T) {
	closed, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	silent := startNameserver(t, nil)
	for name, servers := range map[string][]string{"closed": {closed.LocalAddr().String()}, "silent": {silent.addr}} {
		b := newBreaker(t, 1)
		c := newClient(t, requester.Config{Resolvers: servers, Breaker: b, Timeout: time.Second})
		for range 2 {
			_, err := do(t, c, &requester.Request{Scheme: "http", Host: "host.example", Port: 80})
			if v := hosterrors.Judge(err); v.Blame != hosterrors.BlameNobody || !v.Repeat || !v.Pause || b.AnyTripped() {
				t.Errorf("%s: got %v, judged %+v; want nobody blamed, and a pause", name, err, v)
			}
			if named := wantErr[*net.DNSError](t, err); named.Server != servers[0] || named.IsTimeout != (name == "silent") {
				t.Errorf("%s: got %#v, want the server named, and what it did", name, named)
			}
		}
	}
	if got := silent.count("host.example."); got != 4 {
		t.Errorf("the silent server was asked %d times, want twice for each request", got)
	}
}

// An answer too long for UDP is asked for by TCP.
func TestLongAnswersComeByTCP(t *testing.T) {
	host := startLab(t, lab.Spec{Kind: lab.Healthy})[0]
	at := netip.MustParseAddrPort(host.Addr)
	n := startNameserver(t, map[string]any{"long.example.": zone{cut: true, records: []string{
		"long.example. 60 IN CNAME other.example.", "other.example. 60 IN A " + at.Addr().String(),
	}}})
	c := newClient(t, requester.Config{Resolvers: []string{n.addr}})
	if _, err := do(t, c, &requester.Request{Scheme: "http", Host: "long.example", Port: at.Port()}); err != nil {
		t.Fatal(err)
	}
	if udp, tcp := n.count("long.example."), n.count("tcp long.example."); udp != 2 || tcp != 1 {
		t.Errorf("asked %d times, %d of them by TCP; want once each", udp, tcp)
	}
}
