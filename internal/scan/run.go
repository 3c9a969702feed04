package scan

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/executor"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
	"github.com/redialscan/redial/pkg/retry"
	"github.com/redialscan/redial/pkg/target"
)

const (
	// maxHeldBack is how often an item is sent again because its host asked for less, outside the retries.
	maxHeldBack = 3
	// heldBack is the shortest time before that, so that what the answer has changed is felt; it doubles with each.
	heldBack = time.Second
)

type outcome = executor.Outcome[job]

// run sends one attempt of an item.
func (s *Scan) run(ctx context.Context, item executor.Item[job], turn *executor.Turn) outcome {
	if d := s.policy.Start(retry.State{Attempt: item.Attempt - 1, Started: item.Began}, time.Now()); !d.Again {
		if item.Repeat {
			s.refund(1)
		}
		return outcome{Kind: executor.CheckError, Err: &StoppedError{Stop: d.Stop, Err: errLate}}
	}
	if !item.Target.Settled() && s.needsScheme(item.Check) {
		return s.settle(ctx, item, turn)
	}
	a, err := s.send(ctx, item, item.Target.Target, turn, false)
	if err != nil {
		return s.judge(ctx, item, err)
	}
	return s.finish(item, item.Target.Target, a)
}

// answer is what came of an item: of the probe a response, of a check what it found.
type answer struct {
	resp     *requester.Response
	findings []check.Finding
	moot     error // why the check had nothing to ask, where resp is nil
	heard    bool  // the target itself has answered
}

// send asks a target for one check's answer. begun says that the item has sent something before, see do.
func (s *Scan) send(
	ctx context.Context, item executor.Item[job], t target.Target, turn *executor.Turn, begun bool,
) (answer, error) {
	if s.opt.Checks != nil {
		return s.runCheck(ctx, item, t, turn, begun)
	}
	req, err := s.opt.Probe.Request(t, max(0, item.Check))
	if err != nil {
		return answer{}, &hosterrors.BuildError{Err: err}
	}
	resp, err := s.do(ctx, req, turn, begun, false)
	if err == nil {
		err = heldBackBy(resp, item.Free)
	}
	return answer{resp: resp, heard: true}, err
}

// heldBackError says that a host answered with a request for patience, and that there is some left.
type heldBackError struct{ at time.Time }

func (e *heldBackError) Error() string { return "the host asks for less" }

// heldBackBy is what an answer asks of an item that was held back so often before; nil when it asks for nothing, or too often.
func heldBackBy(resp *requester.Response, before int) error {
	if !resp.Throttled || before >= maxHeldBack {
		return nil
	}
	at := time.Now().Add(heldBack << before)
	if resp.Again.After(at) {
		at = resp.Again
	}
	return &heldBackError{at}
}

// finish takes the answer to an item.
func (s *Scan) finish(item executor.Item[job], t target.Target, a answer) outcome {
	if a.resp == nil {
		return s.passed(item, t, a.moot)
	}
	r := s.result(item, t, a)
	s.noteWorst(r)
	s.emitResult(r)
	// While the scheme is not known, one item at a time is to go out.
	if !a.heard || !t.Settled() && s.schemes {
		if s.asks {
			s.moot.Add(1)
		}
		return outcome{Kind: executor.Moot}
	}
	return outcome{Kind: executor.Done}
}

// judge puts an error into the executor's words: whose fault it is, and whether the item may go again.
func (s *Scan) judge(ctx context.Context, item executor.Item[job], err error) outcome {
	if held, ok := errors.AsType[*heldBackError](err); ok {
		return outcome{Kind: executor.Retry, Free: true, At: held.at, Err: err}
	}
	if refused, ok := errors.AsType[*requester.NotAdmittedError](err); ok && !acted(err) {
		return outcome{Kind: executor.NotAdmitted, At: refused.Until, Err: err}
	}
	if ctx.Err() != nil {
		return outcome{Kind: executor.Neutral, Err: err}
	}
	if errors.Is(err, hosterrors.ErrNoRoute) {
		return outcome{Kind: executor.Abandon, Reason: executor.NoRoute, Err: err}
	}
	if errors.Is(err, hosterrors.ErrExcluded) {
		return outcome{Kind: executor.Abandon, Reason: executor.Excluded, Err: err}
	}
	v := s.verdict(err)
	spent := s.spent(err)
	switch {
	case v.Blame == hosterrors.BlameNobody && v.Repeat && !spent:
		s.fault(err)
		return outcome{Kind: executor.Neutral, Err: err}
	case v.Blame == hosterrors.BlameNobody:
		return outcome{Kind: executor.CheckError, Err: err}
	}
	out := outcome{Kind: executor.HostError, Spent: spent, Err: err}
	if v.Blame == hosterrors.BlameAlive {
		out = outcome{Kind: executor.CheckError, Answered: true, Err: err}
	}
	if item.Probe { // repeated in any case, when the breaker says so
		return out
	}
	failure := retry.Failure{Repeatable: !spent}
	if v.Repeat {
		failure.Kind = retry.Temporary
	}
	d := s.policy.Next(retry.State{Attempt: item.Attempt, Started: item.Began}, failure, time.Now())
	switch {
	case d.Stop == retry.StopPermanent: // says no more than the error, which many dead hosts share
	case !d.Again:
		out.Err = &StoppedError{Stop: d.Stop, Wait: d.Wait, Err: err}
	case out.Kind == executor.CheckError:
		out.Kind, out.At = executor.Retry, d.At
	default:
		out.At = d.At
	}
	return out
}

// unheard says that no byte of the request can have come to the host: there was no connection to it, or none that was ready.
func unheard(err error) bool {
	if ended, ok := errors.AsType[*hosterrors.ConnError](err); ok {
		return ended.Phase < hosterrors.PhaseHead
	}
	if slow, ok := errors.AsType[*hosterrors.TimeoutError](err); ok {
		return slow.Phase < hosterrors.PhaseHead
	}
	_, proxy := errors.AsType[*hosterrors.ProxyError](err)
	_, name := errors.AsType[*net.DNSError](err)
	return proxy || name
}

func (s *Scan) verdict(err error) hosterrors.Verdict {
	if s.breaker != nil {
		return s.breaker.Judge(err)
	}
	return hosterrors.Judge(err)
}

// spent says that an item must not be sent again after an error: what was sent may have had its effect.
func (s *Scan) spent(err error) bool {
	if failed, ok := errors.AsType[*checkSendError](err); ok {
		return failed.acted || !retry.MayRepeat(failed.method, false) && !unheard(err)
	}
	return s.opt.Probe != nil && !retry.MayRepeat(s.opt.Probe.Method(), false) && !unheard(err)
}

// plain is a request to a target's base URL, which no check has a part in.
func plain(t target.Target) *requester.Request {
	base := t.Path
	if base == "" || base[0] != '/' {
		base = "/" + base
	}
	return &requester.Request{Scheme: t.Scheme.String(), Host: t.Host, Port: portOf(t), Target: base, User: t.User}
}

// call is the plain probe: any answer of the target's host will do.
func (s *Scan) call(ctx context.Context, item executor.Item[job], turn *executor.Turn) outcome {
	t := item.Target.Target
	if !t.Settled() {
		return s.settle(ctx, item, turn)
	}
	_, err := s.do(ctx, plain(t), turn, false, false)
	if err != nil {
		return s.judge(ctx, item, err)
	}
	return outcome{Kind: executor.Done}
}
