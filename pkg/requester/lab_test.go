package requester_test

import (
	"errors"
	"io"
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
		// github.com/projectdiscovery/nuclei/issues/6651: a port that speaks no HTTP, and closes or talks
		{lab.Mute, hosterrors.BlameHost, func(err error) bool { return errors.Is(err, io.EOF) }},
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

// github.com/projectdiscovery/nuclei/issues/122: another port is another host.
func TestPortsAreKeysOfTheirOwn(t *testing.T) {
	hosts := startLab(t, lab.Spec{Kind: lab.Refusing}, lab.Spec{Kind: lab.Healthy})
	b := newBreaker(t, 1)
	c := newClient(t, requester.Config{Breaker: b})
	for _, host := range hosts {
		_, err := do(t, c, to(host.Addr, "/"))
		if dead := host.Kind == lab.Refusing; (err != nil) != dead || b.Quarantined(host.Addr) != dead {
			t.Errorf("%s host: got %v, quarantined %v", host.Kind, err, b.Quarantined(host.Addr))
		}
	}
}

func TestPostGoesOverAConnectionThatIsOpen(t *testing.T) {
	host := startLab(t, lab.Spec{Kind: lab.Healthy})[0]
	c := newClient(t, requester.Config{})
	for range 2 {
		if _, err := do(t, c, to(host.Addr, "/")); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(host.Down(), host.Up()); err != nil {
			t.Fatal(err)
		}
		req := to(host.Addr, "/")
		req.Method = "POST"
		if _, err := do(t, c, req); err != nil {
			t.Fatal(err)
		}
	}
	if s := host.Stats(); s.Requests != 4 || s.Connections != 3 {
		t.Errorf("got %d requests over %d connections, want 4 over 3", s.Requests, s.Connections)
	}
}

func TestThrottledHostIsAliveAndSaysWhen(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"7": 7 * time.Second, "99999999999": time.Minute, "-5": 0, "soon": 0, "Mon, 02 Jan 2006 15:04:05 GMT": 0,
	} {
		host := startLab(t, lab.Spec{Kind: lab.Throttling, Rate: 1, RetryAfter: value})[0]
		b := newBreaker(t, 1)
		c := newClient(t, requester.Config{Breaker: b})
		last := &requester.Response{}
		for last.Status != 429 {
			var err error
			if last, err = do(t, c, to(host.Addr, "/")); err != nil {
				t.Fatal(err)
			}
		}
		if !last.Throttled || last.RetryAfter != want || b.AnyTripped() {
			t.Errorf("%q: got status %d and %v, tripped %v; want 429 and %v", value, last.Status, last.RetryAfter, b.AnyTripped(), want)
		}
	}
}

func TestHostileBodiesAreBounded(t *testing.T) {
	const limit = 1 << 20
	for _, test := range []struct {
		kind      lab.Kind
		truncated bool
		err       bool
	}{
		{lab.EndlessBody, true, false}, {lab.GzipBomb, true, false}, {lab.LyingLength, false, false}, {lab.StalledBody, false, true},
	} {
		t.Run(string(test.kind), func(t *testing.T) {
			host := startLab(t, lab.Spec{Kind: test.kind})[0]
			patience := time.Minute // the bomb is packed while we wait
			if test.err {
				patience = 2 * time.Second
			}
			c := newClient(t, requester.Config{MaxBody: limit, Timeout: patience})
			req := to(host.Addr, "/")
			req.WantBody = true
			req.Header = []requester.Field{{Name: "Accept-Encoding", Value: "gzip"}}
			resp, err := do(t, c, req)
			if test.err {
				if !timedOut(hosterrors.PhaseBody)(err) {
					t.Errorf("got %v, want the body's timeout", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if resp.Truncated != test.truncated || len(resp.Body) > limit || test.truncated && len(resp.Body) < limit {
				t.Errorf("got %d bytes, truncated %v; want %v at %d", len(resp.Body), resp.Truncated, test.truncated, limit)
			}
		})
	}
}
