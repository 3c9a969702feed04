package scan

import (
	"context"
	"errors"
	"time"

	"github.com/redialscan/redial/pkg/requester"
)

// askAgain is the shortest wait for a request to be admitted.
const askAgain = 10 * time.Millisecond

// do sends one request of an item. In an item that has begun it waits where a pace or a host refuses the request: put back,
// the item would send again what it has sent, and under a slow pace come to the same place for ever. acted says that it could
// not be put back at all.
func (s *Scan) do(ctx context.Context, req *requester.Request, turn requester.Turn, begun, acted bool) (*requester.Response, error) {
	resp, err := s.client.Do(ctx, req, turn)
	for begun {
		at, wait := s.waits(err, acted)
		if !wait {
			break
		}
		if err = turn.Wait(ctx, at); err == nil {
			resp, err = s.client.Do(ctx, req, turn)
		}
	}
	if _, refused := errors.AsType[*requester.NotAdmittedError](err); !refused {
		s.policy.Budget.Sent()
	}
	return resp, err
}

// refund gives retries back that were granted and then not sent.
func (s *Scan) refund(retries int) {
	for range retries {
		s.policy.Budget.Refund()
	}
}

// waits says until when to wait for a request that was not admitted. A quarantine is not waited for, and an outage only by
// what cannot be put back.
func (s *Scan) waits(err error, acted bool) (at time.Time, wait bool) {
	refused, ok := errors.AsType[*requester.NotAdmittedError](err)
	if !ok || s.quarantined(refused.Key) || refused.Outage && !acted {
		return time.Time{}, false
	}
	if soon := time.Now().Add(askAgain); refused.Until.Before(soon) {
		return soon, true
	}
	return refused.Until, true
}
