package scan

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/report"
)

// dnsServer answers with the addresses that names have, and says that all others do not exist. It leaves the first questions unanswered.
func dnsServer(t *testing.T, ignored int, addrs map[string]string) (addr string, asked func() string) {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var all []string
	answer := func(w dns.ResponseWriter, q *dns.Msg) {
		o := q.Question[0]
		mu.Lock()
		all = append(all, o.Name+" "+dns.TypeToString[o.Qtype])
		ignore := len(all) <= ignored
		mu.Unlock()
		m := new(dns.Msg).SetReply(q)
		m.RecursionAvailable = true
		at, known := addrs[o.Name]
		switch {
		case ignore:
			return
		case !known:
			m.Rcode = dns.RcodeNameError
		case o.Qtype == dns.TypeA:
			m.Answer = []dns.RR{&dns.A{Hdr: dns.RR_Header{Name: o.Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 60}, A: net.ParseIP(at)}}
		}
		_ = w.WriteMsg(m)
	}
	ready, done := make(chan struct{}), make(chan error, 1)
	s := &dns.Server{PacketConn: socket, Handler: dns.HandlerFunc(answer), NotifyStartedFunc: func() { close(ready) }}
	go func() { done <- s.ActivateAndServe() }()
	<-ready
	t.Cleanup(func() {
		_ = s.Shutdown()
		<-done
	})
	return socket.LocalAddr().String(), func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(all, ", ")
	}
}

const (
	addresses = "dns:\n  - name: '{{FQDN}}'\n    matchers: [{type: word, words: [NOERROR]}]\n    extractors: [{type: dsl, dsl: [a]}]\n"
	greetings = "tcp:\n  - host: ['{{Hostname}}']\n    read-size: 4\n    matchers: [{type: word, words: ['220']}]\n"
)

// A list of names needs no websites to be asked about, and what is asked by several checks is asked once.
func TestQuestionsNeedNoWebsite(t *testing.T) {
	addr, asked := dnsServer(t, 0, map[string]string{"shop.test.": "192.0.2.1"})
	opt := base()
	opt.Requester.Resolvers = []string{addr}
	opt.Checks = checks(t, addresses, strings.ReplaceAll(addresses, "NOERROR", "NXDOMAIN"))
	b, ending := scanned(t, opt, nil, "shop.test", "none.test", "192.0.2.7", "https://shop.test/x")
	if ending.Items != 8 || ending.Done != 8 || ending.Findings != 3 || ending.Sent != 3 || ending.QuarantinedHosts != 0 || ending.Incomplete || ending.Silent {
		t.Errorf("ending %+v", ending)
	}
	if got := asked(); strings.Count(got, "shop.test. A") != 2 || strings.Count(got, "none.test. A") != 1 || strings.Contains(got, "AAAA") {
		t.Errorf("asked %s", got)
	}
	for _, r := range of[*report.Result](b) {
		switch name, _, _ := strings.Cut(strings.TrimPrefix(r.Input, "https://"), "/"); {
		case r.Failed || r.Protocol != "dns" || (r.PassedOver != "") != (name == "192.0.2.7"):
			t.Errorf("result %+v", r)
		case r.Findings() == 1:
			if m := r.Matches[0]; m.MatchedAt != name || m.IP != "" || name == "shop.test" && strings.Join(m.Extracted, "") != "192.0.2.1" {
				t.Errorf("%s: match %+v", name, m)
			}
		}
	}
}

// What the servers say of a host that is down is told, and makes the scan no less incomplete.
func TestQuestionsAboutADeadHost(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Refusing: 1}})
	host, port, _ := net.SplitHostPort(l.Hosts()[0].Addr)
	addr, _ := dnsServer(t, 0, map[string]string{"down.test.": host})
	opt := base()
	opt.Requester.Resolvers = []string{addr}
	opt.Checks = checks(t, absent, signIn, addresses)
	_, ending := scanned(t, opt, nil, "http://down.test:"+port)
	if ending.Done != 1 || ending.Findings != 1 || ending.Failed != 2 || !ending.Silent || !ending.Incomplete {
		t.Errorf("ending %+v", ending)
	}
}

// A check of several protocols tells with each match by which one it was, where that is not its first.
func TestMatchesTellTheirProtocol(t *testing.T) {
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1}})
	host, port, _ := net.SplitHostPort(l.Hosts()[0].Addr)
	addr, _ := dnsServer(t, 0, map[string]string{"shop.test.": host})
	opt := base()
	opt.Requester.Resolvers = []string{addr}
	opt.Checks = checks(t, addresses+signIn)
	b, ending := scanned(t, opt, nil, "shop.test:"+port)
	if ending.Done != 1 || ending.Findings != 2 || ending.Incomplete {
		t.Errorf("ending %+v", ending)
	}
	for _, r := range of[*report.Result](b) {
		if r.Protocol != "dns" || len(r.Matches) != 2 || r.Matches[0].Type != "" || r.Matches[1].Type != "http" || r.Scheme != "http" {
			t.Errorf("result %+v", r)
		}
	}
}

// Servers that nobody hears of cost no attempt, and no host is blamed.
func TestQuestionsAreAskedAgain(t *testing.T) {
	addr, asked := dnsServer(t, 1, map[string]string{"shop.test.": "192.0.2.1"})
	opt := base()
	opt.Requester.Resolvers, opt.Requester.Timeout, opt.Requester.DialTimeout = []string{addr}, 2*time.Second, time.Second
	opt.Checks = checks(t, strings.Replace(addresses, "    matchers", "    retries: 1\n    matchers", 1))
	b, ending := scanned(t, opt, nil, "shop.test")
	if ending.Done != 1 || ending.Findings != 1 || ending.QuarantinedHosts != 0 || strings.Count(asked(), ",") != 1 {
		t.Errorf("asked %s, ending %+v", asked(), ending)
	}
	if r := of[*report.Result](b); len(r) != 1 || r[0].Attempts != 2 {
		t.Errorf("results %+v", r)
	}
}

// A server of the check's own that does not answer fails the item at once, and no other is asked in its place.
func TestQuestionsToAServerThatIsSilent(t *testing.T) {
	silent, asked := dnsServer(t, 100, nil)
	others, never := dnsServer(t, 0, nil)
	opt := base()
	opt.Retries = 2
	opt.Requester.Resolvers, opt.Requester.Timeout, opt.Requester.DialTimeout = []string{others}, 200*time.Millisecond, 100*time.Millisecond
	opt.Checks = checks(t, strings.Replace(addresses, "    matchers", "    retries: 2\n    resolvers: ['"+silent+"']\n    matchers", 1))
	b, ending := scanned(t, opt, nil, "shop.test")
	if ending.Failed != 1 || ending.QuarantinedHosts != 0 || strings.Count(asked(), ",") != 1 || never() != "" {
		t.Errorf("asked %s and %s, ending %+v", asked(), never(), ending)
	}
	if f := failures(b); len(f) != 1 || !strings.Contains(f[0].Error, "no server has replied to the question shop.test. A, asked 2 times") {
		t.Errorf("failures %+v", f)
	}
}

// greeter is a port that greets, and counts how often it did.
func greeter(t *testing.T) (addr string, greeted func() int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n, done := 0, make(chan struct{})
	var mu sync.Mutex
	go func() {
		defer close(done)
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			n++
			mu.Unlock()
			_, _ = io.WriteString(c, "220 ready\r\n")
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	return listener.Addr().String(), func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}

// A port without a scheme is asked what it says, and is not tried with https before.
func TestConversationsNeedNoScheme(t *testing.T) {
	addr, greeted := greeter(t)
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Refusing: 1}})
	opt := base()
	opt.Checks = checks(t, greetings, greetings)
	b, ending := scanned(t, opt, nil, addr, l.Hosts()[0].Addr)
	if ending.Done != 2 || ending.Failed != 2 || ending.Findings != 2 || greeted() != 2 || ending.Incomplete {
		t.Errorf("greeted %d times, ending %+v", greeted(), ending)
	}
	for _, r := range of[*report.Result](b) {
		if !r.Failed && (r.Protocol != "tcp" || r.Findings() != 1 || r.Matches[0].MatchedAt != addr || r.Matches[0].IP != "127.0.0.1") {
			t.Errorf("result %+v", r)
		}
	}
}

// A closed port of a check's own is quarantined by itself: the checks of it are done without a finding, and the website pays for nothing.
func TestPortsOfChecks(t *testing.T) {
	addr, greeted := greeter(t)
	l := startLab(t, lab.Config{Counts: map[lab.Kind]int{lab.Healthy: 1, lab.Refusing: 1}})
	var site, closed string
	for _, h := range l.Hosts() {
		if h.Kind == lab.Healthy {
			site = h.URL()
		} else {
			closed = h.Addr
		}
	}
	at := func(addr string) string { return strings.Replace(greetings, "{{Hostname}}", addr, 1) }
	opt := base()
	opt.Breaker = hosterrors.Config{MaxHostError: 1, Cooldown: time.Hour}
	opt.Checks = checks(t, at(closed), at(closed), at(addr), signIn)
	b, ending := scanned(t, opt, nil, site)
	if ending.Done != 4 || ending.Findings != 2 || ending.Failed+ending.Skipped != 0 || ending.Incomplete || greeted() != 1 {
		t.Errorf("greeted %d times, ending %+v", greeted(), ending)
	}
	for _, tr := range of[*report.Transition](b) {
		if tr.Host != closed {
			t.Errorf("transition %+v", tr)
		}
	}
	if len(of[*report.Transition](b)) != 1 {
		t.Error("the closed port is not quarantined")
	}
}
