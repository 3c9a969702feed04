package check

import (
	"errors"
	"maps"
	"slices"

	"github.com/redialscan/redial/pkg/check/dsl"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/hostkey"
	"github.com/redialscan/redial/pkg/requester"
)

// errAgain says that a request would be the same as one that was sent, or went to a port that is known to be closed.
var errAgain = errors.New("the request was sent already")

// composeTalk makes the request for a conversation. Each is held once for a round of payloads, though several ports of a template may come
// to the same one of a target; and none at an address that did not answer the one before.
func (s *state) composeTalk(q *request) (*requester.Request, error) {
	at, t := s.job.Target, q.talk
	at.Port = portOf(&at)
	if t.port != 0 && (at.Port == 0 || slices.Contains(t.exclude, at.Port)) {
		at.Port = t.port
	}
	s.where = &at
	address, err := s.expand(t.address)
	if err != nil {
		return nil, err
	}
	host, port, err := splitAddress(address, at.Port)
	if err != nil {
		return nil, err
	}
	scheme := "tcp"
	if t.secure {
		scheme = "tls"
	}
	key := hostkey.Join(host, port)
	if s.closed[key] || s.asked[scheme+key] {
		return nil, errAgain
	}
	mark(&s.asked, scheme+key)
	for _, input := range t.inputs {
		delete(s.kept, input.name) // of the conversation before
	}
	s.talk = &conversation{state: s, text: t, url: key, facts: map[string]any{"type": protocolTCP}}
	req := &requester.Request{Scheme: scheme, Host: host, Port: port, Talk: &requester.Talk{Next: s.talk.next}}
	s.talk.req = req
	return req, nil
}

func mark(m *map[string]bool, key string) {
	if *m == nil {
		*m = map[string]bool{}
	}
	(*m)[key] = true
}

// conversation is one that is under way. It belongs to the goroutine of the run.
type conversation struct {
	*state
	req   *requester.Request
	text  *talkText
	url   string
	at    int // inputs that were said
	said  []byte
	raw   []byte
	facts map[string]any
	over  bool  // it came to its end
	err   error // of an input that could not be made
}

// next is the next line, after what was heard of the one before. Where a host should have said something and did not, there is none.
func (c *conversation) next(heard []byte) (requester.Line, bool) {
	c.raw = append(c.raw, heard...)
	switch n := len(c.text.inputs); {
	case c.at > n:
		c.facts["data"], c.over = string(heard), true
		return requester.Line{}, false
	case c.at > 0 && c.text.inputs[c.at-1].read > 0:
		if len(heard) == 0 {
			return requester.Line{}, false
		}
		c.take(c.text.inputs[c.at-1].name, string(heard))
	}
	c.at++
	if c.at > len(c.text.inputs) {
		return requester.Line{Hear: c.text.end}, true
	}
	input := c.text.inputs[c.at-1]
	var data []byte
	if data, c.err = c.data(input); c.err != nil {
		return requester.Line{}, false
	}
	c.said = append(c.said, data...)
	return requester.Line{Say: data, Hear: input.read}, true
}

func (c *conversation) data(input talkInput) ([]byte, error) {
	text, err := c.expand(input.data)
	if err != nil || !input.hex {
		return []byte(text), err
	}
	return unhex(text)
}

// take gives what was heard a name, and lets the internal extractors that look at it find what later inputs need.
func (c *conversation) take(name, heard string) {
	if name == "" {
		return
	}
	put(&c.kept, name, heard)
	c.facts[name] = heard
	before := c.now
	c.now = c.answer(&requester.Response{})
	defer func() { c.now = before }()
	for _, e := range c.block.extractors {
		if !e.internal || e.name == "" || e.part != name && e.expressions == nil {
			continue
		}
		if values := e.extract(c.state); len(values) > 0 {
			c.remember(e.name, values, true)
		}
	}
}

// answer is what was heard so far: by default that after the last input.
func (c *conversation) answer(resp *requester.Response) *answer {
	facts := maps.Clone(c.facts)
	facts["raw"], facts["request"] = string(c.raw), string(c.said)
	data, _ := facts["data"].(string)
	return &answer{req: c.req, resp: resp, url: c.url, body: data, facts: facts}
}

// heardOut judges how a conversation has ended. A port that is closed, or does not speak TLS, has nothing to find, and says nothing of the
// target where it is another one than the target's.
func (s *state) heardOut(req *requester.Request, resp *requester.Response, err error) (done bool, _ error) {
	c := s.talk
	if err != nil {
		return true, s.unreached(req, err)
	}
	s.outcome.Heard = s.outcome.Heard || s.home(req) && (len(resp.Body) > 0 || resp.TLS != nil)
	if c.over {
		return false, nil
	}
	s.outcome.Sent++
	s.outcome.Last = resp
	if _, missing := errors.AsType[*dsl.MissingError](c.err); missing {
		return true, c.err
	}
	if c.err != nil {
		s.passOver(&BuildError{c.at, c.err})
	}
	return true, nil
}

func (s *state) unreached(req *requester.Request, err error) error {
	_, garbage := errors.AsType[*hosterrors.ProtocolError](err)
	held, refused := errors.AsType[*requester.NotAdmittedError](err)
	home := s.home(req)
	switch {
	case garbage:
		s.outcome.Heard = s.outcome.Heard || home
	case home:
		return &SendError{err}
	case errors.Is(err, hosterrors.ErrExcluded), errors.Is(err, hosterrors.ErrNoRoute) && req.Host != s.job.Target.Host:
		s.passOver(err)
		return nil
	case refused && !held.Outage, hosterrors.Judge(err).Blame == hosterrors.BlameHost:
	default:
		return &SendError{err}
	}
	mark(&s.closed, hostkey.Join(req.Host, req.Port))
	s.outcome.Sent++
	s.outcome.Last = &requester.Response{}
	return nil
}
