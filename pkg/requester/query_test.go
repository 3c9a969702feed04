package requester_test

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/redialscan/redial/pkg/flow"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

func question(name string, kind uint16) *requester.Request {
	return &requester.Request{Query: &requester.Query{Name: name, Type: kind}}
}

// Every reply is an answer, whatever its code.
func TestQuery(t *testing.T) {
	long := `big.test. 60 IN TXT "` + strings.Repeat("x", 250) + `"`
	n := startNameserver(t, map[string]any{
		"a.test.":    zone{records: []string{"a.test. 60 IN CNAME b.test.", "b.test. 60 IN A 192.0.2.1"}},
		"gone.test.": zone{code: dns.RcodeNameError, authority: []string{"test. 60 IN SOA ns.test. root.test. 1 2 3 4 5"}},
		"bad.test.":  zone{code: dns.RcodeServerFailure},
		"no.test.":   zone{code: dns.RcodeRefused, lame: true},
		"big.test.":  zone{records: []string{long}, cut: true},
	})
	c := newClient(t, requester.Config{Breaker: newBreaker(t, 1), Resolvers: []string{n.addr}})
	for _, row := range []struct {
		name  string
		kind  uint16
		code  int
		parts []string
	}{
		{"a.test", dns.TypeA, dns.RcodeSuccess, []string{"a.test.\t60\tIN\tCNAME\tb.test.", "b.test.\t60\tIN\tA\t192.0.2.1", ";a.test.\tIN\t A"}},
		{"a.test.", dns.TypeA, dns.RcodeSuccess, []string{"192.0.2.1"}},
		{"gone.test", dns.TypeA, dns.RcodeNameError, []string{"status: NXDOMAIN", "SOA\tns.test."}},
		{"bad.test", dns.TypeA, dns.RcodeServerFailure, []string{"status: SERVFAIL"}},
		{"no.test", dns.TypeMX, dns.RcodeRefused, []string{"status: REFUSED"}},
		{"big.test", dns.TypeTXT, dns.RcodeSuccess, []string{strings.Repeat("x", 250)}},
	} {
		resp, err := do(t, c, question(row.name, row.kind))
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if resp.Reply.Rcode != row.code || int(resp.Length) != len(resp.Body) {
			t.Errorf("%s: code %d, %d bytes of %d; want code %d", row.name, resp.Reply.Rcode, resp.Length, len(resp.Body), row.code)
		}
		for _, part := range row.parts {
			if !strings.Contains(string(resp.Body), part) {
				t.Errorf("%s: %s\nhas no %q", row.name, resp.Body, part)
			}
		}
	}
	if c.Sent() != 6 {
		t.Errorf("%d sent, want 6", c.Sent())
	}
}

// What a server is asked is what the query says.
func TestQueryAsItIsSent(t *testing.T) {
	got := make(chan *dns.Msg, 4)
	addr := replying(t, func(w dns.ResponseWriter, q *dns.Msg) {
		got <- q
		_ = w.WriteMsg(new(dns.Msg).SetReply(q))
	})
	c := newClient(t, requester.Config{})
	req := question("version.bind", dns.TypeTXT)
	req.Query.Class, req.Query.NoRecursion, req.Query.Servers = dns.ClassCHAOS, true, []string{addr}
	if _, err := do(t, c, req); err != nil {
		t.Fatal(err)
	}
	q := <-got
	if o := q.Question[0]; o.Qclass != dns.ClassCHAOS || o.Name != "version.bind." || q.RecursionDesired || !q.AuthenticatedData || q.IsEdns0().UDPSize() != 4096 {
		t.Errorf("asked %v", q)
	}
	for _, name := range []string{strings.Repeat("a.", 128), "a..b", strings.Repeat("a", 64)} {
		_, err := do(t, c, question(name, dns.TypeA))
		wantErr[*hosterrors.BuildError](t, err)
	}
}

// replying is a server whose answers are those of a function, by UDP.
func replying(t *testing.T, answer dns.HandlerFunc) string {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ready, done := make(chan struct{}), make(chan error, 1)
	s := &dns.Server{PacketConn: socket, Handler: answer, NotifyStartedFunc: func() { close(ready) }}
	go func() { done <- s.ActivateAndServe() }()
	<-ready
	t.Cleanup(func() {
		_ = s.Shutdown()
		<-done
	})
	return socket.LocalAddr().String()
}

// A server that nobody hears of is our own fault, and goes on being asked; one that answers others, or that the check has named itself, is
// no reason to wait. No host is blamed for either.
func TestQueryWithoutAReply(t *testing.T) {
	n := startNameserver(t, map[string]any{"a.test.": "192.0.2.1"})
	closed, listener := listenBoth(t)
	_, _ = closed.Close(), listener.Close()
	for _, row := range []struct {
		name    string
		cfg     requester.Config
		query   requester.Query
		verdict hosterrors.Verdict
		tries   int64
	}{
		{"silent", requester.Config{Resolvers: []string{n.addr}}, requester.Query{}, hosterrors.Verdict{Repeat: true, Pause: true}, 3},
		{"refusing", requester.Config{Resolvers: []string{closed.LocalAddr().String()}}, requester.Query{Tries: 2}, hosterrors.Verdict{Repeat: true, Pause: true}, 2},
		{"the check's own", requester.Config{}, requester.Query{Servers: []string{n.addr}, Tries: 1}, hosterrors.Verdict{}, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.cfg.Timeout, row.cfg.DialTimeout = 300*time.Millisecond, 100*time.Millisecond
			c := newClient(t, row.cfg)
			req := &requester.Request{Query: &row.query}
			row.query.Name, row.query.Type = "silent.test", dns.TypeA
			_, err := do(t, c, req)
			if got := hosterrors.Judge(err); got != row.verdict || c.Sent() != row.tries {
				t.Errorf("%v: verdict %+v after %d tries, want %+v after %d", err, got, c.Sent(), row.verdict, row.tries)
			}
		})
	}
	c := newClient(t, requester.Config{Resolvers: []string{n.addr}, Timeout: 300 * time.Millisecond})
	if _, err := do(t, c, question("a.test", dns.TypeA)); err != nil {
		t.Fatal(err)
	}
	_, err := do(t, c, question("silent.test", dns.TypeA))
	wantErr[*requester.NoReplyError](t, err)
	if got := hosterrors.Judge(err); got != (hosterrors.Verdict{}) {
		t.Errorf("verdict %+v, want one that is final and neutral", got)
	}
}

// The next server is asked when one does not answer; one that is excluded is not asked at all.
func TestQueryServers(t *testing.T) {
	n := startNameserver(t, map[string]any{"a.test.": "192.0.2.1"})
	silent := replying(t, func(dns.ResponseWriter, *dns.Msg) {})
	_, port, _ := net.SplitHostPort(silent)
	c := newClient(t, requester.Config{
		Timeout: time.Minute, DialTimeout: 100 * time.Millisecond,
		Refuse: func(host string, _ uint16) bool { return host == "127.0.0.2" },
	})
	ask := func(servers ...string) error {
		req := question("a.test", dns.TypeA)
		req.Query.Servers = servers
		_, err := do(t, c, req)
		return err
	}
	if err := ask(silent, n.addr); err != nil || c.Sent() != 2 {
		t.Errorf("%v after %d tries, want an answer of the second server", err, c.Sent())
	}
	for _, servers := range []string{"127.0.0.2:" + port, "127.0.0.1", "127.0.0.1:x"} {
		err := ask(servers)
		wantErr[*hosterrors.BuildError](t, err)
		if errors.Is(err, hosterrors.ErrExcluded) {
			t.Errorf("%s: the host would be skipped for a server that is excluded", servers)
		}
	}
}

// A question goes by the pace of the scan, and never past a proxy.
func TestQueryIsPacedAndKeptFromProxies(t *testing.T) {
	n := startNameserver(t, map[string]any{"a.test.": "192.0.2.1"})
	c := newClient(t, requester.Config{Resolvers: []string{n.addr}, Scan: flow.Rule{Rate: 1, Mode: flow.Reject}})
	if _, err := do(t, c, question("a.test", dns.TypeA)); err != nil {
		t.Fatal(err)
	}
	_, err := do(t, c, question("a.test", dns.TypeA))
	if held := wantErr[*requester.NotAdmittedError](t, err); held != nil && !held.Until.After(time.Now().Add(-time.Second)) {
		t.Errorf("held until %v", held.Until)
	}
	if c.Sent() != 1 {
		t.Errorf("%d sent, want 1", c.Sent())
	}
	proxied := newClient(t, requester.Config{Resolvers: []string{n.addr}, Proxy: "socks5://127.0.0.1:1"})
	_, err = do(t, proxied, question("a.test", dns.TypeA))
	wantErr[*hosterrors.BuildError](t, err)
	if err := proxied.CanAsk(); err == nil || c.CanAsk() != nil {
		t.Errorf("with a proxy %v, without %v", err, c.CanAsk())
	}
}
