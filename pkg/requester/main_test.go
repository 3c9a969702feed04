package requester_test

import (
	"context"
	"io"
	"log"
	"net/netip"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newClient makes a client that is closed at the end of the test.
func newClient(tb testing.TB, cfg requester.Config) *requester.Client {
	tb.Helper()
	c, err := requester.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.Close)
	return c
}

// newBreaker makes a breaker that opens at the given number of host errors.
func newBreaker(tb testing.TB, most int) *hosterrors.Cache {
	tb.Helper()
	b, err := hosterrors.NewWithConfig(hosterrors.Config{MaxHostError: most})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(b.Close)
	return b
}

// startLab starts one host of each spec.
func startLab(tb testing.TB, specs ...lab.Spec) []lab.Host {
	tb.Helper()
	l, err := lab.Start(lab.Config{Hosts: specs, RecordRaw: 8})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := l.Close(); err != nil {
			tb.Error(err)
		}
	})
	return l.Hosts()
}

// to makes a GET request to host:port.
func to(addr, target string) *requester.Request {
	at := netip.MustParseAddrPort(addr)
	return &requester.Request{Scheme: "http", Host: at.Addr().String(), Port: at.Port(), Target: target}
}

// do sends with a bound on the test's own patience.
func do(tb testing.TB, c *requester.Client, req *requester.Request) (*requester.Response, error) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	defer cancel()
	return c.Do(ctx, req, nil)
}

// quiet drops what a server logs of the trouble that a test makes.
var quiet = log.New(io.Discard, "", 0)
