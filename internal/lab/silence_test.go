package lab

import (
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
)

// A host that gives no request a word gives none to a TLS handshake either: a scanner that tries https first finds it as dead.
func TestHandshakesWithHostsThatSayNothing(t *testing.T) {
	greet := func(h Host) net.Conn {
		c := dial(t, h.Addr)
		if _, err := c.Write([]byte("\x16\x03\x01\x00\x04\x01\x00\x00\x00")); err != nil {
			t.Fatal(err)
		}
		return c
	}
	for kind, want := range map[Kind]error{Mute: io.EOF, Resetting: syscall.ECONNRESET} {
		c := greet(one(t, Spec{Kind: kind}))
		if n, err := c.Read(make([]byte, 1)); n != 0 || !errors.Is(err, want) {
			t.Errorf("%s: %d bytes, %v; want %v", kind, n, err, want)
		}
	}
	h := one(t, Spec{Kind: Silent})
	c := greet(h)
	await(t, func() bool { return h.Stats().Broken > 0 }) // it has understood that this is no request
	if err := h.Down(); err != nil {
		t.Fatal(err)
	}
	if rest, _ := io.ReadAll(c); len(rest) > 0 {
		t.Errorf("it said %q, want nothing until it went down", rest)
	}
}
