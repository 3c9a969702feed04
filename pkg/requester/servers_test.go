package requester

import (
	"testing"
	"time"

	"github.com/miekg/dns"
)

// An answer holds as long as the shortest of its records, and that there is none as long as the zone says (RFC 2308 section 5),
// both within bounds.
func TestLivesOfAnswers(t *testing.T) {
	const soa = " IN SOA ns.example. mail.example. 1 2 3 4 "
	for _, c := range []struct {
		name      string
		code      int
		records   []string
		authority string
		addrs     int
		life      time.Duration
	}{
		{"one address", 0, []string{"h.example. 77 IN A 192.0.2.1"}, "", 1, 77 * time.Second},
		{"the shorter one", 0, []string{"h.example. 30 IN CNAME i.example.", "i.example. 77 IN A 192.0.2.1"}, "", 1, 30 * time.Second},
		{"no caching at all", 0, []string{"h.example. 0 IN A 192.0.2.1"}, "", 1, leastLife},
		{"for ever", 0, []string{"h.example. 2147483647 IN A 192.0.2.1"}, "", 1, mostLife},
		{"another kind", 0, []string{"h.example. 77 IN AAAA 2001:db8::1"}, "example. 20" + soa + "50", 0, 20 * time.Second},
		{"none, the minimum", dns.RcodeNameError, nil, "example. 90" + soa + "50", 0, 50 * time.Second},
		{"none, the record's own", dns.RcodeNameError, nil, "example. 40" + soa + "50", 0, 40 * time.Second},
		{"none, too long", dns.RcodeNameError, nil, "example. 86400" + soa + "86400", 0, mostNotFound},
		{"none, nothing said", dns.RcodeNameError, nil, "", 0, leastLife},
		{"an alias that leads nowhere", dns.RcodeNameError, []string{"h.example. 30 IN CNAME i.example."}, "example. 90" + soa + "90", 0, 30 * time.Second},
	} {
		m := new(dns.Msg).SetQuestion("h.example.", dns.TypeA)
		m.Rcode = c.code
		for _, text := range c.records {
			m.Answer = append(m.Answer, mustRR(t, text))
		}
		if c.authority != "" {
			m.Ns = append(m.Ns, mustRR(t, c.authority))
		}
		got := read(m, "h.example", "192.0.2.53:53", dns.TypeA)
		if len(got.addrs) != c.addrs || got.life != c.life || got.gone != (c.code != 0) || (got.absent == nil) != (c.addrs > 0) {
			t.Errorf("%s: got %+v, want %d addresses for %v", c.name, got, c.addrs, c.life)
		}
	}
}

func mustRR(t *testing.T, text string) dns.RR {
	t.Helper()
	r, err := dns.NewRR(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What is no name of the DNS is not asked for.
func TestNamesOutsideTheDNS(t *testing.T) {
	s, err := newServers([]string{"127.0.0.1:1"}, "ip")
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"abc.onion", "a..b", "x." + string(make([]byte, 300))} {
		if got := s.lookUp(t.Context(), host); got.err == nil || got.life == 0 {
			t.Errorf("%.20q: got %+v, want that there is no such name", host, got)
		}
	}
}
