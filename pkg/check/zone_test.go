package check

import (
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/miekg/dns"
)

// zones answers by name, in the words of a zone file; a first word in capitals is the code of the reply. A name that is not there does not exist.
type zones struct {
	addr    string
	answers map[string][]string

	mu    sync.Mutex
	asked []string
}

func zone(t *testing.T, answers map[string][]string) *zones {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	z := &zones{addr: socket.LocalAddr().String(), answers: answers}
	ready, done := make(chan struct{}), make(chan error, 1)
	s := &dns.Server{PacketConn: socket, Handler: z, NotifyStartedFunc: func() { close(ready) }}
	go func() { done <- s.ActivateAndServe() }()
	<-ready
	t.Cleanup(func() {
		_ = s.Shutdown()
		<-done
	})
	return z
}

func (z *zones) ServeDNS(w dns.ResponseWriter, q *dns.Msg) {
	o := q.Question[0]
	z.mu.Lock()
	z.asked = append(z.asked, strings.TrimSpace(o.Name+" "+dns.ClassToString[o.Qclass]+" "+dns.TypeToString[o.Qtype]+map[bool]string{false: " alone"}[q.RecursionDesired]))
	z.mu.Unlock()
	m := new(dns.Msg).SetReply(q).SetEdns0(1232, false)
	m.RecursionAvailable = true
	records, ok := z.answers[o.Name]
	if !ok {
		m.Rcode = dns.RcodeNameError
	}
	for _, text := range records {
		if code, ok := dns.StringToRcode[text]; ok {
			m.Rcode = code
			continue
		}
		record, err := dns.NewRR(text)
		switch {
		case err != nil:
			panic(err)
		case record.Header().Rrtype == dns.TypeSOA && o.Qtype != dns.TypeSOA:
			m.Ns = append(m.Ns, record)
		case record.Header().Rrtype == o.Qtype, record.Header().Rrtype == dns.TypeCNAME, o.Qtype == dns.TypeANY:
			m.Answer = append(m.Answer, record)
		}
	}
	_ = w.WriteMsg(m)
}

// questions are what was asked since the last call.
func (z *zones) questions() string {
	z.mu.Lock()
	defer z.mu.Unlock()
	asked := strings.Join(z.asked, ", ")
	z.asked = nil
	return asked
}

func shop() map[string][]string {
	return map[string][]string{
		"shop.test.": {
			"shop.test. 60 IN A 192.0.2.1", "shop.test. 60 IN A 192.0.2.2", "shop.test. 60 IN AAAA 2001:db8::1", `shop.test. 60 IN TXT "v=spf1 -all"`,
			"shop.test. 60 IN MX 10 mail.shop.test.", "shop.test. 60 IN NS ns.shop.test.", "shop.test. 60 IN SOA ns.shop.test. root.shop.test. 1 2 3 4 5",
			`shop.test. 60 IN CAA 0 issue "ca.test"`, "shop.test. 60 IN DS 1 8 2 AA", "shop.test. 60 IN SRV 1 2 3 srv.shop.test.",
			"shop.test. 60 IN TLSA 3 1 1 AA", `shop.test. 60 IN NAPTR 1 2 "u" "E2U" "" r.shop.test.`, "shop.test. 60 IN HTTPS 1 . alpn=h2",
		},
		"_dmarc.shop.test.":       {`_dmarc.shop.test. 60 IN TXT "v=DMARC1; p=none"`},
		"www.shop.test.":          {"www.shop.test. 60 IN CNAME gone.cloud.test.", "NXDOMAIN"},
		"bad.test.":               {"SERVFAIL"},
		"no.test.":                {"REFUSED"},
		"1.2.0.192.in-addr.arpa.": {"1.2.0.192.in-addr.arpa. 60 IN PTR shop.test."},
		"version.bind.":           {`version.bind. 0 CH TXT "9.9"`},
		"ns.shop.test.":           {"ns.shop.test. 60 IN A 192.0.2.53"},
	}
}
