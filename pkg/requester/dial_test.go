package requester

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/redialscan/redial/pkg/hosterrors"
)

func TestDialFailures(t *testing.T) {
	to := netip.MustParseAddrPort("127.0.0.1:80")
	failed := func(errno syscall.Errno) error {
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", errno)}
	}
	for _, test := range []struct {
		err    error
		routed bool
		blame  hosterrors.Blame
		text   string
	}{
		{failed(syscall.ECONNREFUSED), true, hosterrors.BlameHost, "connection failed while dialing: 127.0.0.1:80: connection refused"},
		{failed(syscall.EHOSTUNREACH), true, hosterrors.BlameHost, "connection failed while dialing: 127.0.0.1:80: no route to host"},
		{failed(noNetwork), true, hosterrors.BlameHost, "connection failed while dialing: 127.0.0.1:80: network is unreachable"},
		{failed(noNetwork), false, hosterrors.BlameNobody, "127.0.0.1:80: no route to the host's network from here"},
		{failed(syscall.EMFILE), true, hosterrors.BlameNobody, "connection failed while dialing: 127.0.0.1:80: too many open files"},
		{failed(syscall.EADDRNOTAVAIL), true, hosterrors.BlameNobody, "connection failed while dialing: 127.0.0.1:80: cannot assign requested address"},
		{failed(syscall.ETIMEDOUT), true, hosterrors.BlameHost, "timeout after 5s while dialing"},
	} {
		c := Client{cfg: Config{DialTimeout: 5 * time.Second}}
		err := c.dialFailure(test.err, to, func(netip.AddrPort) bool { return test.routed })
		if got := hosterrors.Judge(err).Blame; err.Error() != test.text || got != test.blame {
			t.Errorf("got %q, blame %v; want %q, %v", err, got, test.text, test.blame)
		}
		// What is kept for every dead host must not hold on to the net package's own errors.
		if _, big := errors.AsType[*net.OpError](err); big {
			t.Errorf("%v holds a net.OpError", err)
		}
	}
	if !routed(to) {
		t.Error("got no route to loopback")
	}
}

func TestAddressesAreTriedInOrder(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).AddrPort().Port()
	c, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	dead, living := netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.1")
	for _, addrs := range [][]netip.Addr{{living}, {dead, living}, {living, dead}} {
		c.names = fixed(addrs, nil)
		raw, got, err := c.connectTCP(t.Context(), "host.test", port, nil)
		if err != nil || got != living {
			t.Errorf("%v: got %v, %v; want %v", addrs, got, err, living)
			continue
		}
		_ = raw.Close()
	}
	c.names = fixed([]netip.Addr{dead, dead.Next()}, nil)
	if _, _, err := c.connectTCP(t.Context(), "host.test", port, nil); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("got %v, want a refusal", err)
	}
}

// fixed is a resolver with one answer.
func fixed(addrs []netip.Addr, err error) *resolver {
	r, _ := newResolver(&Config{DialTimeout: time.Second, LookupConcurrency: 1})
	r.ask = func(context.Context, string) answer { return answer{addrs: addrs, err: err, life: time.Hour} }
	return r
}

func TestNamesAreBounded(t *testing.T) {
	r := fixed(nil, &net.DNSError{Err: "no such host", IsNotFound: true})
	for n := range maxNames + 1000 {
		if _, err := r.addresses(t.Context(), fmt.Sprintf("h%d.test", n)); err == nil {
			t.Fatal("got an answer")
		}
	}
	if got := len(r.known.m); got > maxNames {
		t.Errorf("got %d names, want at most %d", got, maxNames)
	}
	r.ask = func(context.Context, string) answer { return answer{err: errors.New("asked again")} }
	var dns *net.DNSError
	if _, err := r.addresses(t.Context(), fmt.Sprintf("h%d.test", maxNames+999)); !errors.As(err, &dns) || !dns.IsNotFound {
		t.Errorf("got %v for the newest name, want what is known", err)
	}
}
