package requester_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/redialscan/redial/pkg/requester"
)

// network is a network of pipes for a test in a bubble: each dial makes a pipe, with serve at its other end.
type network struct {
	dials atomic.Int32
	serve func(n int, c net.Conn) // n counts the dials from 1; the connection is closed when it returns
}

func (n *network) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	nth := int(n.dials.Add(1))
	go func() {
		defer far.Close()
		n.serve(nth, far)
	}()
	return near, nil
}

// answering serves each request on a connection with the next of the texts, and closes after the last one.
func answering(texts ...string) func(int, net.Conn) {
	return func(_ int, c net.Conn) {
		br := bufio.NewReader(c)
		for _, text := range texts {
			if _, ok := readRequest(br); !ok {
				return
			}
			if _, err := io.WriteString(c, text); err != nil {
				return
			}
		}
	}
}

// forever answers every request with the same text.
func forever(text string) func(int, net.Conn) {
	return func(_ int, c net.Conn) {
		br := bufio.NewReader(c)
		for {
			if _, ok := readRequest(br); !ok {
				return
			}
			if _, err := io.WriteString(c, text); err != nil {
				return
			}
		}
	}
}

func readRequest(br *bufio.Reader) (*http.Request, bool) {
	req, err := http.ReadRequest(br)
	if err != nil {
		return nil, false
	}
	_, err = io.Copy(io.Discard, req.Body)
	return req, err == nil
}

const ok200 = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

// get is a request for the host "host.test", port 80.
func get(target string) *requester.Request {
	return &requester.Request{Scheme: "http", Host: "host.test", Port: 80, Target: target, WantBody: true}
}

// piped makes a client on a network of pipes.
func piped(tb testing.TB, cfg requester.Config, serve func(int, net.Conn)) (*requester.Client, *network) {
	n := &network{serve: serve}
	cfg.Dial = n.dial
	return newClient(tb, cfg), n
}

// silence swallows what comes and never answers.
func silence(_ int, c net.Conn) { _, _ = io.Copy(io.Discard, c) }

func mustDo(tb testing.TB, c *requester.Client, req *requester.Request) *requester.Response {
	tb.Helper()
	resp, err := c.Do(tb.Context(), req, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return resp
}

func wantErr[E error](tb testing.TB, err error) E {
	tb.Helper()
	e, ok := errors.AsType[E](err)
	if !ok {
		tb.Fatalf("got %T (%v), want %T", err, err, e)
	}
	return e
}
