package hosterrors

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

func TestErrorsUnwrapAndSayWhatHappened(t *testing.T) {
	for _, c := range []struct {
		err   error
		inner error
		says  string
	}{
		{&TimeoutError{Phase: PhaseHead, After: 3 * time.Second}, os.ErrDeadlineExceeded, "timeout after 3s while waiting for the response head"},
		{&ConnError{Phase: PhaseTLS, Err: io.EOF}, io.EOF, "connection failed while shaking hands for TLS: EOF"},
		{&ConnError{Phase: PhaseHead, Err: io.EOF}, io.EOF, "idle connection was closed: EOF"},
		{&ProtocolError{Err: io.EOF}, io.EOF, "unexpected answer: EOF"},
		{&ProxyError{Status: 502}, nil, "proxy answered CONNECT with status 502"},
		{&ProxyError{Reply: 5, Err: io.EOF}, io.EOF, "SOCKS proxy gave reply 5: EOF"},
		{&ProxyError{Err: io.EOF}, io.EOF, "proxy failed: EOF"},
		{&StarvedError{Lag: time.Second, Err: io.EOF}, io.EOF, "this process was starved for 1s: EOF"},
		{&OutageError{Err: io.EOF}, io.EOF, "during an outage on our side: EOF"},
		{&BuildError{Err: io.EOF}, io.EOF, "cannot build the request: EOF"},
	} {
		if got := c.err.Error(); got != c.says {
			t.Errorf("%T says %q, want %q", c.err, got, c.says)
		}
		if c.inner != nil && !errors.Is(c.err, c.inner) {
			t.Errorf("%T does not unwrap to %v", c.err, c.inner)
		}
	}
}

func TestTimeoutErrorIsANetTimeout(t *testing.T) {
	var err error = &TimeoutError{Phase: PhaseDial}
	timeout, ok := err.(interface{ Timeout() bool })
	if !ok || !timeout.Timeout() {
		t.Error("a TimeoutError does not say that it is a timeout")
	}
	var op error = &net.OpError{Op: "dial", Err: err}
	if e := op.(net.Error); !e.Timeout() {
		t.Error("within an operation it is no timeout any more")
	}
}

func TestNamesOfPhasesAndBlames(t *testing.T) {
	for phase := range Phase(5) {
		if got := phase.String(); got == "" || strings.HasPrefix(got, "phase ") != (phase > PhaseBody) {
			t.Errorf("phase %d is called %q", uint8(phase), got)
		}
	}
	for blame, want := range []string{"nobody", "host", "alive", "blame 3"} {
		if got := Blame(blame).String(); got != want {
			t.Errorf("blame %d is called %q, want %q", blame, got, want)
		}
	}
}
