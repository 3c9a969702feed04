package check

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redialscan/redial/pkg/check/dsl"
	"github.com/redialscan/redial/pkg/requester"
	"github.com/redialscan/redial/pkg/target"
)

// maxFindings bounds the findings of one run: a check with a list of payloads may match with each of them.
const maxFindings = 10_000

// Sender sends one request; a [requester.Client] is one. turn says how to wait.
type Sender interface {
	Do(ctx context.Context, req *requester.Request, turn requester.Turn) (*requester.Response, error)
}

// Job is what a run of a check needs.
type Job struct {
	Target  target.Target // its scheme is settled
	Vars    map[string]string
	Send    Sender
	Turn    requester.Turn // nil waits in place
	KeepRaw bool           // findings tell request and response
	// Follow makes every request follow redirects, this many at most; 0 leaves it to the check.
	Follow         int
	FollowSameHost bool // but only on the same host
}

// Outcome is what a run found.
type Outcome struct {
	Findings []Finding
	Sent     int // requests that were answered
	Last     *requester.Response
	// Heard says that the target itself has answered one of them.
	Heard bool
}

// Finding is one thing that a check found.
type Finding struct {
	Matcher   string   // name of the matcher; "" = it has none
	Extractor string   // name of the extractor, where no matcher has one
	Extracted []string // values for the report
	MatchedAt string   // URL that answered, of the request or where it was redirected to; what was asked for by another protocol
	Protocol  string   // of the request
	IP        string
	Time      time.Time
	Request   string // with Job.KeepRaw
	Response  string // likewise
	Curl      string // likewise: a command that sends the same
}

// SendError is the failure of a request to the target: the run ends with it, and what was found is not told, since a run is repeated as a
// whole or not at all.
type SendError struct{ Err error }

func (e *SendError) Error() string { return e.Err.Error() }

// Unwrap gives the error of the send.
func (e *SendError) Unwrap() error { return e.Err }

// Run runs the check on one target. An error is a [SendError], or that of a request that could not be made or went to another host: then
// the outcome holds what the other requests found.
func (c *Check) Run(ctx context.Context, job Job) (Outcome, error) {
	s := &state{check: c, job: &job, wait: func(d time.Duration) error { return pause(ctx, job.Turn, d) }}
	if err := s.define(); err != nil {
		return Outcome{}, &BuildError{Err: err}
	}
	var err error
	if c.flow != nil {
		_, err = c.flow.run(ctx, s)
	} else {
		for _, b := range c.blocks {
			var matched bool
			if matched, err = s.run(ctx, b); err != nil || matched && c.stop {
				break
			}
		}
	}
	if err != nil {
		return Outcome{Sent: s.outcome.Sent}, err
	}
	return s.outcome, s.firstErr
}

// run sends the requests of a block, and tells whether one of them matched.
func (s *state) run(ctx context.Context, b *block) (bool, error) {
	s.block, s.past, s.now = b, nil, nil
	s.cookies.off = b.noCookies
	s.closed = nil
	matched := false
	if b.payloads != nil {
		s.payload = map[string]string{}
	} else {
		s.payload = nil
	}
	for round := range b.payloads.count() {
		if ctx.Err() != nil {
			return matched, &SendError{context.Cause(ctx)}
		}
		s.asked = nil
		if err := s.fillPayload(round); err != nil {
			return matched, err
		}
		for i := range b.requests {
			if round > 0 && b.requests[i].once {
				continue
			}
			ok, err := s.sendEach(ctx, &b.requests[i], i+1)
			matched = matched || ok
			if _, missing := errors.AsType[*dsl.MissingError](err); missing {
				break // the steps that follow build on this one
			}
			if err != nil || ok && b.stop {
				return matched, err
			}
		}
	}
	return matched, nil
}

// fillPayload puts the values of a round in place. They may hold variables themselves.
func (s *state) fillPayload(round int) error {
	if s.payload == nil {
		return nil
	}
	s.block.payloads.round(round, s.payload)
	for name, v := range s.payload {
		text, err := dsl.CompileText(v)
		if err != nil {
			continue // a payload may well look like a call
		}
		if v, err = text.ExpandKnown(s); err != nil {
			return &BuildError{Err: fmt.Errorf("payload %s: %w", name, err)}
		}
		s.payload[name] = v
	}
	return nil
}

// sendEach sends a request, once for each value of a variable where the block asks for that.
func (s *state) sendEach(ctx context.Context, q *request, number int) (bool, error) {
	name, values := s.manyValued(q)
	if name == "" {
		return s.send(ctx, q, number)
	}
	matched := false
	for _, v := range values {
		s.kept[name] = v
		ok, err := s.send(ctx, q, number)
		matched = matched || ok
		if err != nil || ok && s.block.stop {
			return matched, err
		}
	}
	return matched, nil
}

// send sends one request and judges its answer.
func (s *state) send(ctx context.Context, q *request, number int) (bool, error) {
	s.found = nil
	req, err := s.build(q)
	if _, missing := errors.AsType[*dsl.MissingError](err); missing {
		return false, err
	}
	if errors.Is(err, errAgain) {
		return false, nil
	}
	if err != nil && ctx.Err() != nil { // while something in it waited
		return false, &SendError{context.Cause(ctx)}
	}
	if err != nil {
		s.passOver(&BuildError{number, err})
		return false, nil
	}
	if s.block.copies > 1 {
		return s.race(ctx, q, req)
	}
	resp, err := s.ask(ctx, q, req)
	switch {
	case err != nil && ctx.Err() != nil && (q.talk != nil || q.ask != nil):
		return false, &SendError{err}
	case q.talk != nil:
		if done, err := s.heardOut(req, resp, err); done {
			return false, err
		}
	case q.ask != nil && err != nil:
		return false, s.unanswered(err)
	case err != nil:
		return false, s.fault(ctx, q, req, err)
	}
	return s.take(req, resp), nil
}

// take judges an answer, and tells whether it matched.
func (s *state) take(req *requester.Request, resp *requester.Response) bool {
	s.outcome.Sent++
	s.outcome.Last = resp
	s.cookies.keep(req, resp)
	last := s.answerTo(req, resp)
	if s.last == nil {
		s.last = map[string]*answer{}
	}
	s.last[s.block.protocol], s.last[s.block.label] = last, last
	if s.block.history {
		s.past = append(s.past, last)
	}
	v := s.judge(last)
	if v.matched && !v.internal {
		s.tell(v)
	}
	s.now = last
	return v.matched
}

// answerTo is what matchers and extractors look at.
func (s *state) answerTo(req *requester.Request, resp *requester.Response) *answer {
	if req.Talk != nil {
		return s.talk.answer(resp)
	}
	s.outcome.Heard = s.outcome.Heard || s.home(req)
	return newAnswer(req, resp, s.block.maxSize)
}

// ask sends a request, or takes the answer that another check got to the same one.
func (s *state) ask(ctx context.Context, q *request, req *requester.Request) (*requester.Response, error) {
	send := func() (*requester.Response, error) { return s.job.Send.Do(ctx, req, s.job.Turn) }
	sharer, ok := s.job.Send.(Sharer)
	if !ok || q.share.ID == 0 || s.cookies.jar != nil {
		return send()
	}
	return sharer.DoShared(ctx, q.share, s.job.Turn, send)
}

// judge looks at an answer, and as long as nothing matches at those that redirected to it: what is looked for may be the redirect.
func (s *state) judge(last *answer) verdict {
	for s.now = last; ; s.now = newAnswer(last.req, s.now.resp.Before, s.block.maxSize) {
		s.found = nil
		v := s.block.judge(s)
		if v.matched || s.now.resp.Before == nil {
			return v
		}
	}
}

// passOver keeps the first error of a request that says nothing of the target; the others go on.
func (s *state) passOver(err error) {
	if s.firstErr == nil {
		s.firstErr = err
	}
}

// tell makes findings of a verdict: one for each matcher with a name, else for each extractor with one, else one.
func (s *state) tell(v verdict) {
	f := Finding{MatchedAt: s.now.url, Protocol: s.block.protocol, Extracted: v.extracted, Time: time.Now()}
	if s.now.resp.IP.IsValid() {
		f.IP = s.now.resp.IP.String()
	}
	if s.job.KeepRaw {
		f.Request, f.Response, f.Curl = s.now.told()
	}
	switch {
	case len(v.names) > 0:
		for _, f.Matcher = range v.names {
			s.add(f)
		}
	case len(v.named) > 0:
		for _, e := range v.named {
			f.Extractor, f.Extracted = e.name, e.values
			s.add(f)
		}
	default:
		s.add(f)
	}
}

func (s *state) add(f Finding) {
	if len(s.outcome.Findings) < maxFindings {
		s.outcome.Findings = append(s.outcome.Findings, f)
	}
}
