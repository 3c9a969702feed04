package check

import (
	"errors"
	"net/netip"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/hostkey"
	"github.com/redialscan/redial/pkg/requester"
)

// errNoName says that a question is about the name of the target, which is an address.
var errNoName = errors.New("the target is an address, and the question is about a name")

// composeQuery makes the request for a question. An address has a name in questions for pointers only, which it gets there.
func (s *state) composeQuery(q *request) (*requester.Request, error) {
	ask := q.ask
	if ip, err := netip.ParseAddr(s.job.Target.Host); err == nil && s.ofTarget(ask.name.Names()) {
		if ask.kind != dns.TypePTR {
			return nil, errNoName
		}
		reverse, err := dns.ReverseAddr(ip.WithZone("").String())
		if err != nil {
			return nil, err
		}
		at := s.job.Target
		at.Host = strings.TrimSuffix(reverse, ".")
		s.where = &at
	}
	name, err := s.expand(ask.name)
	if err != nil {
		return nil, err
	}
	s.where = nil // a server may well be named by its address
	query := &requester.Query{Name: name, Type: ask.kind, Class: ask.class, NoRecursion: ask.noRecursion, Tries: ask.tries}
	for _, text := range ask.servers {
		server, err := s.expand(text)
		if err != nil {
			return nil, err
		}
		host, port, err := splitAddress(server, 53)
		if err != nil {
			return nil, err
		}
		query.Servers = append(query.Servers, hostkey.Join(host, port))
	}
	return &requester.Request{Query: query}, nil
}

// ofTarget says that one of the variables is about the target, by itself or by the variables section.
func (s *state) ofTarget(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		if _, ok := builtins[name]; ok {
			return true
		}
		i := slices.IndexFunc(s.check.defined, func(d definition) bool { return d.name == name })
		return i >= 0 && s.ofTarget(s.check.defined[i].text.Names())
	})
}

// newRecords is the reply to a question. A section is its records one after the other with nothing between them, and a record of a type
// goes by that name, as the templates expect it.
func newRecords(req *requester.Request, resp *requester.Response) *answer {
	reply := resp.Reply
	raw := string(resp.Body)
	facts := map[string]any{
		"type": protocolDNS, "raw": raw, "rcode": float64(reply.Rcode), "ns": section(reply.Ns), "extra": section(reply.Extra),
		"answer": section(reply.Answer),
	}
	var asked strings.Builder
	for i := range reply.Question {
		asked.WriteString(reply.Question[i].String())
	}
	facts["question"] = asked.String()
	records := map[string][]string{}
	for _, record := range reply.Answer {
		name := strings.ToLower(dns.TypeToString[record.Header().Rrtype])
		records[name] = append(records[name], strings.TrimPrefix(record.String(), record.Header().String()))
	}
	for name, values := range records {
		if facts[name] = values; len(values) == 1 {
			facts[name] = values[0]
		}
	}
	return &answer{req: req, resp: resp, url: strings.TrimSuffix(req.Query.Name, "."), body: raw, facts: facts}
}

func section(records []dns.RR) string {
	var b strings.Builder
	for _, record := range records {
		b.WriteString(record.String())
	}
	return b.String()
}

// unanswered judges why a question has no reply: it was one that cannot be asked, or nobody has answered.
func (s *state) unanswered(err error) error {
	if _, ok := errors.AsType[*hosterrors.BuildError](err); ok {
		s.passOver(err)
		return nil
	}
	return &SendError{err}
}
