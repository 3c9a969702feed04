package check

import (
	"context"
	"errors"
	"fmt"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

// fault judges the failure of a request: nil where it says nothing of the target.
func (s *state) fault(ctx context.Context, q *request, req *requester.Request, err error) error {
	if _, ok := errors.AsType[*hosterrors.ProtocolError](err); ok && q.address != nil {
		s.outcome.Sent++ // a host that does not shake hands in this way has answered
		s.outcome.Last = &requester.Response{}
		s.outcome.Heard = s.outcome.Heard || s.home(req)
		return nil
	}
	if ctx.Err() == nil && (!s.home(req) || s.misspoken(req, err)) {
		s.passOver(fmt.Errorf("%s: %w", requestURL(req), err))
		return nil
	}
	return &SendError{err}
}

// misspoken says that a check asked the target's port for another scheme than the one it speaks.
func (s *state) misspoken(req *requester.Request, err error) bool {
	_, garbage := errors.AsType[*hosterrors.ProtocolError](err)
	ended, ok := errors.AsType[*hosterrors.ConnError](err)
	return req.Scheme != s.job.Target.Scheme.String() &&
		(garbage || ok && ended.Phase >= hosterrors.PhaseTLS)
}
