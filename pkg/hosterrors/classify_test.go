package hosterrors

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"
)

var errWeird = errors.New("weird: nothing is known of this")

// The verdicts that the table of outcomes has.
var (
	final    = Verdict{}
	again    = Verdict{Repeat: true}
	shortage = Verdict{Repeat: true, Pause: true}
	absent   = Verdict{Blame: BlameHost}
	lost     = Verdict{Blame: BlameHost, Repeat: true}
	alive    = Verdict{Blame: BlameAlive}
	cut      = Verdict{Blame: BlameAlive, Repeat: true}
)

func wantVerdict(t *testing.T, name string, err error, want Verdict) {
	t.Helper()
	if got := Judge(err); got != want {
		t.Errorf("%s: %+v, want %+v", name, got, want)
	}
}

// dressed wraps an error of the system as the net package and a client do.
func dressed(err error) error {
	op := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", err)}
	return &url.Error{Op: "Get", URL: "http://host/", Err: op}
}

func TestJudgeOwnErrors(t *testing.T) {
	refused := dressed(syscall.ECONNREFUSED)
	timeout := &TimeoutError{Phase: PhaseDial}
	for name, c := range map[string]struct {
		err  error
		want Verdict
	}{
		"no error":                         {nil, alive},
		"not admitted":                     {fmt.Errorf("host:80: %w", ErrUnresponsiveHost), final},
		"cannot be built":                  {&BuildError{Err: refused}, final},
		"starved":                          {&StarvedError{Lag: time.Second, Err: timeout}, again},
		"in an outage":                     {&OutageError{Err: refused}, shortage},
		"starved beside a deadline":        {&StarvedError{Err: context.DeadlineExceeded}, again},
		"unbuilt when cancelled":           {&BuildError{Err: context.Canceled}, final},
		"no route":                         {fmt.Errorf("%w: %w", ErrNoRoute, syscall.ENETUNREACH), final},
		"excluded":                         {fmt.Errorf("timeout.test:80: %w", ErrExcluded), final},
		"dial timeout":                     {&TimeoutError{Phase: PhaseDial}, lost},
		"handshake timeout":                {&TimeoutError{Phase: PhaseTLS}, lost},
		"head timeout":                     {fmt.Errorf("get: %w", &TimeoutError{Phase: PhaseHead}), lost},
		"body timeout":                     {&TimeoutError{Phase: PhaseBody}, cut},
		"EOF of a fresh connection":        {&ConnError{Phase: PhaseHead, Fresh: true, Err: io.EOF}, lost},
		"reset of a fresh connection":      {&ConnError{Phase: PhaseHead, Fresh: true, Err: syscall.ECONNRESET}, lost},
		"EOF of a kept-alive connection":   {&ConnError{Phase: PhaseHead, Err: io.EOF}, again},
		"reset of a kept-alive one":        {&ConnError{Phase: PhaseHead, Err: syscall.ECONNRESET}, again},
		"reset in the handshake":           {&ConnError{Phase: PhaseTLS, Fresh: true, Err: syscall.ECONNRESET}, lost},
		"EOF in the handshake":             {&ConnError{Phase: PhaseTLS, Err: io.EOF}, lost},
		"refused dial":                     {&ConnError{Phase: PhaseDial, Fresh: true, Err: refused}, absent},
		"aborted dial":                     {&ConnError{Phase: PhaseDial, Err: dressed(syscall.ECONNABORTED)}, lost},
		"dial without descriptors":         {&ConnError{Phase: PhaseDial, Err: dressed(syscall.EMFILE)}, shortage},
		"dial of an unknown name":          {&ConnError{Phase: PhaseDial, Err: &net.DNSError{IsNotFound: true}}, absent},
		"dial with a sick resolver":        {&ConnError{Phase: PhaseDial, Err: &net.DNSError{IsTemporary: true}}, shortage},
		"cancelled while reading":          {&ConnError{Phase: PhaseHead, Fresh: true, Err: context.Canceled}, shortage},
		"cut body":                         {&ConnError{Phase: PhaseBody, Fresh: true, Err: io.ErrUnexpectedEOF}, cut},
		"cut body of a kept-alive one":     {&ConnError{Phase: PhaseBody, Err: io.EOF}, cut},
		"garbage":                          {&ProtocolError{Err: io.ErrUnexpectedEOF}, alive},
		"proxy refuses":                    {&ProxyError{Err: refused}, shortage},
		"proxy does not answer":            {&ProxyError{Err: timeout}, shortage},
		"proxy of unknown name":            {&ProxyError{Err: &net.DNSError{IsNotFound: true}}, shortage},
		"proxy refuses, dressed as a dial": {&ConnError{Phase: PhaseDial, Err: &ProxyError{Err: refused}}, shortage},
	} {
		wantVerdict(t, name, c.err, c.want)
	}
	for status, want := range map[int]Verdict{
		407: shortage, 403: shortage, 500: shortage, 501: shortage, 502: lost, 503: lost, 504: lost, 505: shortage,
	} {
		wantVerdict(t, fmt.Sprint("CONNECT ", status), &ProxyError{Status: status}, want)
	}
	for reply, want := range []Verdict{
		shortage, shortage, shortage, lost, lost, lost, lost, shortage, shortage, shortage,
	} {
		wantVerdict(t, fmt.Sprint("SOCKS reply ", reply), &ProxyError{Reply: byte(reply)}, want)
	}
}

func TestJudgeStandardErrors(t *testing.T) {
	read := func(err error) error { return &net.OpError{Op: "read", Net: "tcp", Err: err} }
	for name, c := range map[string]struct {
		err  error
		want Verdict
	}{
		"cancelled":                  {&url.Error{Op: "Get", Err: context.Canceled}, shortage},
		"caller's deadline":          {&url.Error{Op: "Get", Err: context.DeadlineExceeded}, shortage},
		"closed by us":               {read(net.ErrClosed), shortage},
		"read deadline":              {read(os.ErrDeadlineExceeded), lost},
		"dial deadline":              {&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, lost},
		"bare deadline":              {os.ErrDeadlineExceeded, lost},
		"name does not exist":        {&net.OpError{Op: "dial", Err: &net.DNSError{IsNotFound: true}}, absent},
		"SERVFAIL":                   {&net.DNSError{Err: "server misbehaving", IsTemporary: true}, shortage},
		"resolver timeout":           {&net.OpError{Op: "dial", Err: &net.DNSError{IsTimeout: true}}, shortage},
		"EOF":                        {&url.Error{Op: "Get", Err: io.EOF}, lost},
		"EOF in mid-answer":          {io.ErrUnexpectedEOF, cut},
		"no TLS":                     {tls.RecordHeaderError{Msg: "first record does not look like TLS"}, alive},
		"alert":                      {&net.OpError{Op: "remote error", Err: tls.AlertError(40)}, alive},
		"own alert":                  {&net.OpError{Op: "local error", Err: errWeird}, alive},
		"unverified":                 {&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, alive},
		"wrong name":                 {x509.HostnameError{Certificate: &x509.Certificate{}}, alive},
		"malformed head":             {textproto.ProtocolError("malformed MIME header"), alive},
		"unparsable URL":             {&url.Error{Op: "parse", Err: errWeird}, final},
		"bad escape":                 {url.EscapeError("%zz"), final},
		"bad address":                {&net.OpError{Op: "dial", Err: &net.AddrError{Err: "missing port"}}, final},
		"unknown":                    {errWeird, final},
		"foreign timeout":            {foreignTimeout{}, lost},
		"foreign text: refused":      {errors.New("connect: Connection refused"), absent},
		"foreign text: reset":        {errors.New("peer: connection reset by peer"), lost},
		"foreign text: descriptors":  {errors.New("dial: too many open files"), shortage},
		"foreign text: timeout":      {errors.New("Timeout was reached"), lost},
		"foreign text under a type":  {fmt.Errorf("connection refused: %w", context.Canceled), shortage},
		"refused beside our build":   {errors.Join(syscall.ECONNREFUSED, &BuildError{Err: errWeird}), final},
		"type that says more inside": {fmt.Errorf("timeout: %w", syscall.ECONNREFUSED), absent},
	} {
		wantVerdict(t, name, c.err, c.want)
	}
}

type foreignTimeout struct{}

func (foreignTimeout) Error() string { return "gave up" }
func (foreignTimeout) Timeout() bool { return true }

func TestTrackErrorMakesHostErrors(t *testing.T) {
	tt := newTester(t, Config{TrackError: []string{"weird", "exceeded", "malformed", "skipping"}})
	for name, c := range map[string]struct {
		err  error
		want Verdict
	}{
		"unknown":           {errWeird, absent},
		"an answer":         {textproto.ProtocolError("malformed"), absent},
		"shortage":          {&ProxyError{Err: errWeird}, lost},
		"not tracked":       {errors.New("odd"), final},
		"caller's deadline": {context.DeadlineExceeded, shortage},
		"build error":       {&BuildError{Err: errWeird}, final},
		"skipped":           {ErrUnresponsiveHost, final},
		"no error":          {nil, alive},
	} {
		if got := tt.Judge(c.err); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	tt.MarkFailed(host, errWeird, false)
	tt.MarkFailed(host, errors.New("odd"), false)
	tt.MarkFailed(host, fmt.Errorf("exceeded: %w", &TimeoutError{Phase: PhaseHead}), true)
	tt.wantState(StateClosed)
	tt.MarkFailed(host, errWeird, false)
	tt.wantState(StateOpen)
}

func TestIgnoreTimeoutForgivesTheResponseOnly(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		counts bool
	}{
		"head":            {&TimeoutError{Phase: PhaseHead}, false},
		"read deadline":   {&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, false},
		"foreign timeout": {foreignTimeout{}, false},
		"dial":            {&TimeoutError{Phase: PhaseDial}, true},
		"handshake":       {&TimeoutError{Phase: PhaseTLS}, true},
		"system's own":    {syscall.ETIMEDOUT, true},
		"refused":         {syscall.ECONNREFUSED, true},
	} {
		tt := newTester(t, Config{MaxHostError: 2})
		tt.MarkFailed(host, c.err, true)
		tt.fail(1)
		if got := tt.Cache.State(host) == StateOpen; got != c.counts {
			t.Errorf("%s counts: %t, want %t", name, got, c.counts)
		}
	}
}

func TestAnswerOfTheHostIsASuccess(t *testing.T) {
	tt := newTester(t, Config{MaxHostError: 3})
	tt.fail(2)
	tt.MarkFailed(host, &ProtocolError{Err: errWeird}, false)
	tt.fail(2)
	tt.MarkFailed(host, &ConnError{Phase: PhaseBody, Err: io.EOF}, false)
	tt.fail(2)
	tt.wantState(StateClosed)
	if got := tt.LastError(host); got != hostError {
		t.Errorf("last error is %v, want the last that counted", got)
	}
}
