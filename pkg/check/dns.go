package check

import (
	"slices"
	"strings"

	"github.com/miekg/dns"
	"go.yaml.in/yaml/v3"

	"github.com/redialscan/redial/pkg/check/dsl"
)

// question is a question to DNS servers as a template has it.
type question struct {
	name        *dsl.Text
	kind, class uint16
	servers     []*dsl.Text
	noRecursion bool
	tries       int
}

// dnsClasses are the classes by the names that templates have for them.
var dnsClasses = map[string]uint16{
	"inet": dns.ClassINET, "csnet": dns.ClassCSNET, "chaos": dns.ClassCHAOS, "hesiod": dns.ClassHESIOD, "none": dns.ClassNONE, "any": dns.ClassANY,
}

// dnsBlocks reads the dns section: questions, and what is made of the replies.
func (t *templateReader) dnsBlocks(n *yaml.Node, field string) {
	t.list(n, field, func(n *yaml.Node, field string) {
		r := &blockReader{templateReader: t, b: &block{protocol: protocolDNS}}
		q := question{kind: dns.TypeA, class: dns.ClassINET}
		known := r.common()
		known["name"] = func(n *yaml.Node, field string) {
			if src, ok := r.text(n, field); ok && src != "" {
				q.name = r.inRequest(n, field, src)
			}
		}
		known["type"] = func(n *yaml.Node, field string) { q.kind = r.recordType(n, field) }
		known["class"] = func(n *yaml.Node, field string) {
			q.class = dnsClasses[r.oneOf(n, field, "inet", "csnet", "chaos", "hesiod", "none", "any")]
		}
		known["recursion"] = func(n *yaml.Node, field string) { q.noRecursion = !t.bool(n, field) }
		known["retries"] = func(n *yaml.Node, field string) { q.tries = t.number(n, field, 0) }
		known["resolvers"] = func(n *yaml.Node, field string) { q.servers = r.readServers(n, field) }
		known["trace"] = func(n *yaml.Node, field string) {
			if t.bool(n, field) {
				t.unsupported(n, field, "trace of a dns request")
			}
		}
		known["trace-max-recursion"] = func(n *yaml.Node, field string) { t.number(n, field, 0) } // says nothing without a trace
		t.mapping(n, field, known)
		if q.name == nil {
			t.problem(n, field+".name", KindValue, "expected a name such as {{FQDN}}")
		} else {
			names := slices.Clone(q.name.Names())
			for _, server := range q.servers {
				names = append(names, server.Names()...)
			}
			r.b.requests = []request{{ask: &q, names: names}}
		}
		r.finishOther(field)
		t.check.blocks = append(t.check.blocks, r.b)
	})
}

// recordType knows the types of records that a server can be asked for, and those of questions for more than one.
func (r *blockReader) recordType(n *yaml.Node, field string) uint16 {
	name := strings.ToUpper(strings.TrimSpace(n.Value))
	kind, ok := dns.StringToType[name]
	if ok {
		switch kind {
		case dns.TypeNone, dns.TypeOPT, dns.TypeTSIG, dns.TypeTKEY, dns.TypeAXFR, dns.TypeIXFR, dns.TypeReserved:
			r.unsupported(n, field, "the dns type "+name)
			return dns.TypeA
		}
		return kind
	}
	r.problem(n, field, KindValue, "expected a type of records such as A, CNAME or TXT, got %s", nature(n))
	return dns.TypeA
}

// readServers reads which servers a check asks, by UDP and TCP on port 53 where no other is named.
func (r *blockReader) readServers(n *yaml.Node, field string) (servers []*dsl.Text) {
	r.list(n, field, func(n *yaml.Node, field string) {
		src, ok := r.text(n, field)
		if scheme, _, other := strings.Cut(src, "://"); other {
			r.unsupported(n, field, scheme+"://")
			return
		}
		src = strings.TrimPrefix(src, "udp:")
		for _, way := range [...]string{"tcp:", "doh:", "dot:"} {
			if strings.HasPrefix(src, way) {
				r.unsupported(n, field, "a resolver by "+way)
				return
			}
		}
		if ok && src != "" {
			servers = append(servers, r.inRequest(n, field, src))
		}
	})
	return servers
}

// isRecord knows the names of records in replies, by which their values go.
func isRecord(name string) bool {
	_, ok := dns.StringToType[strings.ToUpper(name)]
	return ok
}
