package requester

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/hostkey"
)

// DefaultTries is how often a question is asked that is not answered.
const DefaultTries = 3

// querySize is the greatest answer by UDP that is asked for, in bytes; a longer one comes by TCP.
const querySize = 4096

// Query is a question to DNS servers, in place of a request to a host. Nothing is said of any host by what comes of it: it goes by the pace
// of the scan, and past breakers and windows. Any reply is an answer, also one that says that there is no such name or that the server has
// failed.
type Query struct {
	Name        string
	Type, Class uint16 // as in github.com/miekg/dns; Class 0 = INET
	NoRecursion bool   // the server is to say what it knows by itself
	// Servers are asked in turn, host:port each; nil = those of Config.Resolvers, or else the system's.
	Servers []string
	Tries   int // over all servers together; 0 = DefaultTries
}

// Message is the question as it is sent, with an EDNS0 record that asks for long answers, and for TXT records the wish to hear whether the
// answer is proven, as the tools send it for which most checks are written.
func (q *Query) Message() (*dns.Msg, error) {
	name := dns.Fqdn(q.Name)
	if _, ok := dns.IsDomainName(name); !ok || len(name) > 254 || strings.Contains(name, "..") {
		return nil, &hosterrors.BuildError{Err: fmt.Errorf("expected a name of the DNS, got %q", q.Name)}
	}
	m := new(dns.Msg).SetQuestion(name, q.Type)
	m.RecursionDesired = !q.NoRecursion
	if q.Class != 0 {
		m.Question[0].Qclass = q.Class
	}
	m.AuthenticatedData = q.Type == dns.TypeTXT
	return m.SetEdns0(querySize, false), nil
}

// NoReplyError says that a question went unanswered, and that this is no fault of the link: the servers answer others, or are the check's own.
type NoReplyError struct {
	Question string
	Tries    int
}

func (e *NoReplyError) Error() string {
	return fmt.Sprintf("no server has replied to the question %s, asked %d times", e.Question, e.Tries)
}

var (
	errQueryByProxy = errors.New("questions to DNS servers do not go through a proxy, and are not sent past it")
	errNoServers    = errors.New("the DNS servers of this system are not known, expected some by --resolvers")
)

// ask gets the answer to a question.
func (c *Client) ask(ctx context.Context, req *Request, turn Turn) (*Response, error) {
	m, err := req.Query.Message()
	var all *servers
	if err == nil {
		all, err = c.serversOf(ctx, req.Query)
	}
	if err != nil {
		return nil, err
	}
	nobody := &gate{key: m.Question[0].Name}
	if err := c.refuseInOutage(nobody, false); err != nil {
		return nil, err
	}
	taken, err := c.takeSlot(ctx, nobody, turn, false, time.Now())
	if err != nil {
		return nil, err
	}
	if err := c.refuseInOutage(nobody, false); err != nil {
		taken.cancel(time.Now())
		return nil, err
	}
	if turn != nil {
		if err := turn.Dialed(ctx); err != nil {
			return nil, fmt.Errorf("waiting for a worker: %w", err)
		}
	}
	if !c.permitted() {
		taken.cancel(time.Now())
		return nil, errWithdrawn
	}
	start := time.Now()
	reply, err := c.askServers(ctx, all, m, req)
	err = c.strained(start, err)
	resp := &Response{Reply: reply, Took: time.Since(start)}
	if err != nil {
		resp = nil
	} else {
		resp.Body = []byte(reply.String())
		resp.Length = int64(len(resp.Body))
	}
	if c.cfg.Trace != nil {
		e := Exchange{URL: req.url(), Method: req.method(), Response: resp, Err: err, Took: time.Since(start)}
		if c.cfg.KeepSent {
			e.Sent = []byte(m.String())
		}
		c.cfg.Trace(e)
	}
	return resp, err
}

// askServers asks one server after the other until one replies.
func (c *Client) askServers(ctx context.Context, all *servers, m *dns.Msg, req *Request) (*dns.Msg, error) {
	tries := req.Query.Tries
	if tries <= 0 {
		tries = DefaultTries
	}
	limit := c.cfg.Timeout
	if req.Timeout > 0 {
		limit = req.Timeout
	}
	start := time.Now()
	end := start.Add(limit)
	order := all.order(start)
	var last error
	for i := range tries {
		server := order[i%len(order)]
		limited, cancel := context.WithTimeout(ctx, min(c.cfg.DialTimeout, time.Until(end)/time.Duration(tries-i)))
		c.sent.Add(1)
		reply, err := c.askServer(limited, server, m)
		cancel()
		if own := callerEnded(ctx); own != nil {
			return nil, fmt.Errorf("asking %s: %w", server.addr, own)
		}
		if err == nil {
			return reply, nil
		}
		last = failure(m.Question[0].Name, server.addr, err)
	}
	if !outOfRoom(last) && (len(req.Query.Servers) > 0 || slices.ContainsFunc(order, func(s *server) bool { return s.heardSince(start.Add(-serverRest)) })) {
		return nil, &NoReplyError{Question: m.Question[0].Name + " " + dns.TypeToString[m.Question[0].Qtype], Tries: tries}
	}
	return nil, last
}

// askServer asks by UDP, and by TCP where the answer is too long for that. What it then gets by UDP alone is an answer, if not all of it.
func (c *Client) askServer(ctx context.Context, s *server, m *dns.Msg) (*dns.Msg, error) {
	dial, network := c.cfg.Dial, "tcp" // of a network that others have made, the streams are all that is known
	if dial == nil {
		dial, network = new(net.Dialer).DialContext, "udp"
	}
	reply, err := askOver(ctx, dial, network, s.addr, m)
	if err == nil && reply.Truncated && network == "udp" {
		if whole, err := askOver(ctx, dial, "tcp", s.addr, m); err == nil {
			reply = whole
		}
	}
	switch {
	case err != nil:
		s.rest.Store(time.Now().Add(serverRest).UnixNano())
		return nil, err
	case len(reply.Question) > 0 && (!strings.EqualFold(reply.Question[0].Name, m.Question[0].Name) || reply.Question[0].Qtype != m.Question[0].Qtype):
		return nil, errors.New("server answered another question")
	}
	s.answered()
	return reply, nil
}

// serversOf are the servers that a question is for.
func (c *Client) serversOf(ctx context.Context, q *Query) (*servers, error) {
	if c.proxy != nil {
		return nil, &hosterrors.BuildError{Err: errQueryByProxy}
	}
	if len(q.Servers) == 0 {
		return c.ownServers()
	}
	all := &servers{}
	for _, text := range q.Servers {
		addr, err := c.serverAddr(ctx, text)
		if err != nil {
			return nil, err
		}
		all.list = append(all.list, &server{addr: addr.String()})
	}
	return all, nil
}

// serverAddr finds a server that a check names. One that is excluded is not asked, and no host is skipped for that.
func (c *Client) serverAddr(ctx context.Context, text string) (netip.AddrPort, error) {
	host, port, err := net.SplitHostPort(text)
	var number uint16
	if err == nil {
		if number, err = hostkey.Port(port); err == nil {
			host, err = hostkey.Host(host)
		}
	}
	if err != nil {
		return netip.AddrPort{}, &hosterrors.BuildError{Err: fmt.Errorf("expected a DNS server as host:port, got %q", text)}
	}
	addrs, err := c.names.addresses(ctx, host)
	if err != nil {
		return netip.AddrPort{}, &hosterrors.BuildError{Err: fmt.Errorf("the DNS server %s: %w", text, err)}
	}
	for _, addr := range addrs {
		if to := netip.AddrPortFrom(addr, number); (c.cfg.Refuse == nil || !c.cfg.Refuse(host, number)) && !refusal(c.cfg.Refuse).address(to) {
			return to, nil
		}
	}
	return netip.AddrPort{}, &hosterrors.BuildError{Err: fmt.Errorf("the DNS server %s is excluded", text)}
}

// CanAsk says what keeps questions to the servers of Config.Resolvers, or the system's, from being asked: nil = nothing that is known now.
func (c *Client) CanAsk() error {
	_, err := c.serversOf(context.Background(), &Query{})
	return err
}

// ownServers are those of the configuration, or the system's, which are read once.
func (c *Client) ownServers() (*servers, error) {
	if c.names.servers != nil {
		return c.names.servers, nil
	}
	return c.systemServers()
}

// readSystemServers reads which servers the system asks. Where its file names none, it asks itself.
func readSystemServers(file string) (*servers, error) {
	known, err := dns.ClientConfigFromFile(file)
	if err != nil {
		return nil, &hosterrors.BuildError{Err: errNoServers}
	}
	all := &servers{}
	for _, host := range known.Servers {
		all.list = append(all.list, &server{addr: net.JoinHostPort(host, known.Port)})
	}
	if len(all.list) == 0 {
		all.list = []*server{{addr: "127.0.0.1:53"}}
	}
	return all, nil
}
