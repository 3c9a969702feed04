package scan

import (
	"context"
	"time"

	"github.com/redialscan/redial/pkg/report"
)

// RunPart is Run for a scan that is a part of another one, which counts and writes what is found: each event is told at once,
// from whichever goroutine it happens on, and is tell's from then on, but for a *report.Result, which is lent until tell returns. There
// are no first and no last events, and Handlers and Started are not used. It returns the number of requests sent, and an error as Run does.
func (s *Scan) RunPart(ctx context.Context, tell func(report.Event)) (sent int64, err error) {
	defer s.client.Close()
	s.began.Store(time.Now().UnixNano())
	s.emit, s.part = tell, true
	_, err = s.guarded(ctx)
	return s.client.Sent(), err
}
