package requester_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/requester"
)

// tcpHost serves each connection over TCP, where an answer is awaited in another way than over a pipe.
func tcpHost(t *testing.T, serve func(nth int, c *net.TCPConn)) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for nth := 1; ; nth++ {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			serve(nth, c.(*net.TCPConn))
			c.Close()
		}
	}()
	t.Cleanup(func() {
		ln.Close()
		<-over
	})
	return ln.Addr().String()
}

func TestKeptConnectionWhoseHostSaysNoMore(t *testing.T) {
	closed := make(chan struct{})
	addr := tcpHost(t, func(nth int, c *net.TCPConn) {
		in := bufio.NewReader(c)
		readRequest(in)
		_, _ = io.WriteString(c, ok200)
		if nth == 1 { // it closes its side only, so that a request sent to it meets with silence
			_ = c.CloseWrite()
			close(closed)
			_, _ = io.Copy(io.Discard, in)
		}
	})
	c := newClient(t, requester.Config{})
	for range 2 {
		if resp, err := do(t, c, to(addr, "/")); err != nil || resp.Status != 200 {
			t.Fatalf("got %v, %v, want the second answer over another connection", resp, err)
		}
		<-closed
	}
}

func TestRequestLargerThanTheSystemTakesAtOnce(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789abcdef"), 1<<18)
	addr := tcpHost(t, func(_ int, c *net.TCPConn) {
		in := bufio.NewReader(c)
		for {
			req, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			got, err := io.ReadAll(req.Body)
			if err != nil || req.ContentLength > 0 && !bytes.Equal(got, body) {
				t.Errorf("got %d bytes, %v, want the %d that were sent", len(got), err, len(body))
			}
			_, _ = io.WriteString(c, ok200)
		}
	})
	c := newClient(t, requester.Config{})
	for i := range 3 {
		req := to(addr, "/")
		if i > 0 {
			req.Method, req.Body = "PUT", body
		}
		if resp, err := do(t, c, req); err != nil || resp.Status != 200 {
			t.Fatalf("got %v, %v", resp, err)
		}
	}
}

func TestSlowAnswersOverOneConnection(t *testing.T) {
	host := startLab(t, lab.Spec{Kind: lab.Slow, Delay: 1100 * time.Millisecond})[0]
	c := newClient(t, requester.Config{})
	for range 2 {
		if resp, err := do(t, c, to(host.Addr, "/")); err != nil || resp.Status != 200 {
			t.Fatalf("got %v, %v", resp, err)
		}
	}
	if s := host.Stats(); s.Connections != 1 {
		t.Errorf("got %d connections, want 1", s.Connections)
	}
}

func TestCancelledWhileAKeptConnectionIsSilent(t *testing.T) {
	asked := make(chan struct{})
	addr := tcpHost(t, func(_ int, c *net.TCPConn) {
		in := bufio.NewReader(c)
		readRequest(in)
		_, _ = io.WriteString(c, ok200)
		readRequest(in)
		close(asked)
		_, _ = io.Copy(io.Discard, in)
	})
	c := newClient(t, requester.Config{})
	if _, err := do(t, c, to(addr, "/")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	if resp, err := c.Do(ctx, to(addr, "/"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v, want a cancelled send", resp, err)
	}
}
