package requester_test

import (
	"errors"
	"testing"
	"time"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

// A request may have less time than the others, or more.
func TestTimeoutOfOneRequest(t *testing.T) {
	silent := startLab(t, lab.Spec{Kind: lab.Silent})[0]
	c := newClient(t, requester.Config{Timeout: time.Hour})
	req := to(silent.Addr, "/")
	req.Timeout = 50 * time.Millisecond
	_, err := do(t, c, req)
	if slow, ok := errors.AsType[*hosterrors.TimeoutError](err); !ok || slow.After != req.Timeout {
		t.Errorf("got %v, want a timeout after %s", err, req.Timeout)
	}
}
