package requester_test

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

func TestHealthyHostKeepsItsConnection(t *testing.T) {
	host := startLab(t, lab.Spec{Kind: lab.Healthy})[0]
	c := newClient(t, requester.Config{Breaker: newBreaker(t, 1)})
	for range 5 {
		req := to(host.Addr, "/")
		req.WantBody = true
		resp, err := do(t, c, req)
		if err != nil {
			t.Fatal(err)
		}
		if resp.Status != 200 || len(resp.Body) == 0 || resp.Length != int64(len(resp.Body)) {
			t.Errorf("got status %d, %d bytes, length %d; want 200 with the whole body", resp.Status, len(resp.Body), resp.Length)
		}
	}
	if s := host.Stats(); s.Requests != 5 || s.Connections != 1 {
		t.Errorf("got %d requests over %d connections, want 5 over 1", s.Requests, s.Connections)
	}
}

func TestErrorsByKindOfHost(t *testing.T) {
	for _, test := range []struct {
		kind  lab.Kind
		blame hosterrors.Blame
		check func(error) bool
	}{
		// github.com/projectdiscovery/nuclei: a refusal is a host error like any other
		{lab.Refusing, hosterrors.BlameHost, func(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }},
		// github.com/projectdiscovery/nuclei/issues/7454: accepted, never answered
		{lab.Silent, hosterrors.BlameHost, timedOut(hosterrors.PhaseHead)},
		// github.com/projectdiscovery/nuclei/issues/3119: filtered port
		{lab.BlackHole, hosterrors.BlameHost, timedOut(hosterrors.PhaseDial)},
		{lab.Resetting, hosterrors.BlameHost, func(err error) bool { return errors.Is(err, syscall.ECONNRESET) }},
		// github.com/projectdiscovery/nuclei/issues/6651: bytes that are no HTTP
		{lab.Garbage, hosterrors.BlameAlive, as[*hosterrors.ProtocolError]},
		{lab.CutBody, hosterrors.BlameAlive, func(err error) bool {
			cut, ok := errors.AsType[*hosterrors.ConnError](err)
			return ok && cut.Phase == hosterrors.PhaseBody
		}},
	} {
		t.Run(string(test.kind), func(t *testing.T) {
			host := startLab(t, lab.Spec{Kind: test.kind})[0]
			c := newClient(t, requester.Config{Timeout: 300 * time.Millisecond})
			req := to(host.Addr, "/")
			req.WantBody = true
			_, err := do(t, c, req)
			if err == nil {
				t.Fatal("got an answer, want an error")
			}
			t.Log(err)
			if !test.check(err) {
				t.Errorf("got %T: %v", err, err)
			}
			if got := hosterrors.Judge(err).Blame; got != test.blame {
				t.Errorf("got blame %d for %v, want %d", got, err, test.blame)
			}
		})
	}
}

func as[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func timedOut(phase hosterrors.Phase) func(error) bool {
	return func(err error) bool {
		slow, ok := errors.AsType[*hosterrors.TimeoutError](err)
		return ok && slow.Phase == phase
	}
}
