package lab

import (
	"errors"
	"io"
	"net"
	"runtime"
	"syscall"
	"testing"
)

// A host that gives no request a word gives none to a TLS handshake either: a scanner that tries https first finds it as dead.
func TestHandshakesWithHostsThatSayNothing(t *testing.T) {
	hello := []byte("\x16\x03\x01\x00\x04\x01\x00\x00\x00")
	for kind, want := range map[Kind]error{Mute: io.EOF, Resetting: syscall.ECONNRESET} {
		h := one(t, Spec{Kind: kind})
		c, err := net.Dial("tcp", h.Addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Write(hello); err != nil {
			t.Fatal(err)
		}
		if n, err := c.Read(make([]byte, 1)); n != 0 || !errors.Is(err, want) {
			t.Errorf("%s: %d bytes, %v; want %v", kind, n, err, want)
		}
	}
	h := one(t, Spec{Kind: Silent})
	c, err := net.Dial("tcp", h.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write(hello); err != nil {
		t.Fatal(err)
	}
	for h.Stats().Broken == 0 { // until it has understood that this is no request
		runtime.Gosched()
	}
	if err := h.Down(); err != nil {
		t.Fatal(err)
	}
	if rest, _ := io.ReadAll(c); len(rest) > 0 {
		t.Errorf("it said %q, want nothing until it went down", rest)
	}
}
