package scan

import (
	"context"
	"sync"
	"time"

	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/requester"
	"github.com/redialscan/redial/pkg/target"
)

// What bounds the answers that wait for other checks: those of a host that fell silent may wait in vain. One that is dropped is asked
// for again.
const (
	maxShared      = 4096
	maxSharedBytes = 64 << 20
)

// How long a run waits, off its worker, before it looks again whether another one has the answer; it doubles.
const (
	firstLook = 2 * time.Millisecond
	lastLook  = 50 * time.Millisecond
)

// answers are those to requests that several checks make of one target: the first run sends, the others take what it got. A failure is
// not shared: the next run sends itself. It is safe for concurrent use.
type answers struct {
	mu    sync.Mutex
	known map[sharedKey]*sharedAnswer
	order []sharedKey // of answers, the oldest first; some have gone already
	bytes int
}

type sharedKey struct {
	target int64
	scheme target.Scheme
	share  int
}

// sharedAnswer is on its way while resp is nil.
type sharedAnswer struct {
	resp *requester.Response
	left int // runs that will want it
}

func newAnswers() *answers { return &answers{known: map[sharedKey]*sharedAnswer{}} }

// take gives an answer that is there. Without one the caller is to send where lead is set, and to look again later where it is not.
func (a *answers) take(key sharedKey) (resp *requester.Response, lead bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	one, ok := a.known[key]
	switch {
	case !ok:
		a.known[key] = &sharedAnswer{}
		return nil, true
	case one.resp == nil:
		return nil, false
	}
	if one.left--; one.left <= 0 {
		a.dropLocked(key)
	}
	return one.resp, false
}

// put ends a lead: resp is for the others, nil when there is nothing for them.
func (a *answers) put(key sharedKey, resp *requester.Response, others int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if resp == nil || others <= 0 {
		delete(a.known, key)
		return
	}
	a.known[key] = &sharedAnswer{resp: resp, left: others}
	a.order = append(a.order, key)
	a.bytes += len(resp.Body)
	for len(a.order) > 0 && (len(a.order) > maxShared || a.bytes > maxSharedBytes) {
		a.dropLocked(a.order[0])
		a.order = a.order[1:]
	}
}

func (a *answers) dropLocked(key sharedKey) {
	if one := a.known[key]; one != nil && one.resp != nil {
		a.bytes -= len(one.resp.Body)
		delete(a.known, key)
	}
}

// DoShared implements [check.Sharer].
func (c *checkSender) DoShared(
	ctx context.Context, share check.Share, turn requester.Turn, send func() (*requester.Response, error),
) (*requester.Response, error) {
	all := c.scan.answers
	if all == nil || c.probe { // an old answer says nothing of the host now
		return send()
	}
	key := sharedKey{target: c.index, scheme: c.scheme, share: share.ID}
	for wait := firstLook; ; wait = min(2*wait, lastLook) {
		resp, lead := all.take(key)
		if resp != nil {
			c.mu.Lock()
			c.begun = true
			c.mu.Unlock()
			return resp, nil
		}
		if lead {
			break
		}
		if err := turn.Wait(ctx, time.Now().Add(wait)); err != nil {
			return nil, err
		}
	}
	var resp *requester.Response
	defer func() { all.put(key, resp, share.Uses-1) }() // in a panic too
	resp, err := send()
	return resp, err
}

var _ check.Sharer = (*checkSender)(nil)
