package scan

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redialscan/redial/pkg/executor"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
	"github.com/redialscan/redial/pkg/target"
)

// settle sends an item of a target without a scheme to its candidates in turn; the first that answers fixes scheme and
// key. A host without a port stands under its bare name until then, with a breaker entry of its own: the errors of one
// candidate do not open it while another is untried.
func (s *Scan) settle(ctx context.Context, item executor.Item[job], turn *executor.Turn) outcome {
	bare := item.Target.Port == 0
	var ticket hosterrors.Ticket
	if bare && s.breaker != nil {
		t, ok := s.breaker.Enter(item.Target.Key())
		if !ok {
			return outcome{Kind: executor.NotAdmitted, At: s.breaker.NextAdmit(item.Target.Key(), time.Now())}
		}
		ticket = t
		defer ticket.Release() // in a panic; after an outcome it does nothing
	}
	var tried []error
	for _, candidate := range item.Target.Candidates() {
		a, err := s.trySend(ctx, item, candidate, turn, len(tried) > 0)
		if _, held := errors.AsType[*heldBackError](err); held || err == nil {
			ticket.Success()
			settled := item.Target
			settled.Target = candidate
			item.Target = settled
			out := outcome{Kind: executor.Done}
			switch {
			case held:
				out = s.judge(ctx, item, err)
			case item.Check >= 0:
				out = s.finish(item, candidate, a)
			}
			out.Target = &settled
			return out
		}
		tried = append(tried, fmt.Errorf("%s: %w", candidate.URL(), err))
		if ctx.Err() != nil || !s.onward(err, bare) {
			break
		}
	}
	return s.unsettled(ctx, item, ticket, tried)
}

func (s *Scan) trySend(
	ctx context.Context, item executor.Item[job], candidate target.Target, turn *executor.Turn, begun bool,
) (answer, error) {
	if item.Check >= 0 && s.settles(item.Check) {
		a, err := s.send(ctx, item, candidate, turn, begun)
		if err != nil || a.resp != nil {
			return a, err
		}
		// It had nothing to ask, so this candidate is not known to be the right one.
		_, err = s.do(ctx, plain(candidate), turn, begun, false)
		return a, err
	}
	resp, err := s.do(ctx, plain(candidate), turn, begun, false)
	if err == nil && item.Check >= 0 {
		return s.send(ctx, item, candidate, turn, true)
	}
	return answer{resp: resp}, err
}

// onward says that the next candidate is to be tried after an error of this one.
func (s *Scan) onward(err error, bare bool) bool {
	switch {
	case s.ours(err):
		return false
	case misspoken(err) && !acted(err):
		return true
	case acted(err) || !unsent(err) && s.spent(err):
		return false // what was sent may have had its effect
	}
	return bare
}

// ours says that an error tells nothing of the candidate, so that the next one would tell no more. A candidate that is
// quarantined has told enough; one that only a pace held back may be the right one.
func (s *Scan) ours(err error) bool {
	if refused, ok := errors.AsType[*requester.NotAdmittedError](err); ok {
		return s.breaker == nil || !s.breaker.Quarantined(refused.Key)
	}
	return !unsent(err) && s.verdict(err).Blame == hosterrors.BlameNobody
}

// unsent says that the candidate was not asked: it is quarantined, or its port is excluded.
func unsent(err error) bool {
	var refused *requester.NotAdmittedError
	return errors.As(err, &refused) || errors.Is(err, hosterrors.ErrExcluded)
}

// misspoken says that the host answered in another protocol: only then is http tried on a port that was named.
func misspoken(err error) bool {
	var protocol *hosterrors.ProtocolError
	return errors.As(err, &protocol)
}

// earliest is when one of the candidates that were refused may be tried.
func (s *Scan) earliest(tried []error) time.Time {
	at, now := hosterrors.Never(), time.Now()
	for _, err := range tried {
		if refused, ok := errors.AsType[*requester.NotAdmittedError](err); ok {
			if next := s.afterCall(refused.Key, refused.Until, now); next.Before(at) {
				at = next
			}
		}
	}
	return at
}

// unsettled judges a target of which no candidate answered. What one of them says of the host counts for the bare name:
// a host error before a candidate that was not asked, a sign of life before both; but where the last one ended by what is our
// own, the item is not at its end.
func (s *Scan) unsettled(ctx context.Context, item executor.Item[job], ticket hosterrors.Ticket, tried []error) outcome {
	worst := tried[len(tried)-1]
	for _, err := range tried {
		if s.ours(worst) {
			break
		}
		switch v := s.verdict(err); {
		case v.Blame == hosterrors.BlameAlive:
			worst = err
		case v.Blame == hosterrors.BlameHost && unsent(worst):
			worst = err
		}
	}
	out := s.judge(ctx, item, worst)
	if out.Kind == executor.NotAdmitted {
		out.At = s.earliest(tried)
	}
	switch {
	case out.Kind == executor.HostError:
		ticket.Fail(worst, false)
	case out.Answered || out.Kind == executor.Retry:
		ticket.Success()
	default:
		ticket.Release()
	}
	if out.Kind == executor.HostError || out.Kind == executor.CheckError {
		out.Err = errors.Join(tried...)
	}
	return out
}
