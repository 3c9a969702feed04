package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
)

// The wide server tells its port, answers, and tells what came once its input ends, though a client still holds on.
func TestWideServer(t *testing.T) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wide{conns: map[net.Conn]struct{}{}}
	var serving errgroup.Group
	serving.Go(func() error { w.accept(listener); return nil })

	c, err := net.Dial("tcp4", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	br := bufio.NewReader(c)
	for _, close := range []bool{false, true} {
		req, _ := http.NewRequest(http.MethodGet, "http://127.0.0.1/", nil)
		req.Close = close
		if err := req.Write(c); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(br, req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 200 || !strings.Contains(string(body), "<title>wide</title>") || resp.Close != close {
			t.Errorf("got %d, %q, close %v, %v; want close %v", resp.StatusCode, body, resp.Close, err, close)
		}
	}
	if _, err := br.ReadByte(); err != io.EOF {
		t.Errorf("got %v after the last answer, want the end of the stream", err)
	}
	idle, err := net.Dial("tcp4", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	if _, err := io.WriteString(idle, "GET / HTTP/1.1\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := http.ReadResponse(bufio.NewReader(idle), nil); err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	_ = serving.Wait()
	if w.came.Requests != 3 || w.came.Connections != 2 || w.came.First.IsZero() || w.came.Last.Before(w.came.First) {
		t.Errorf("got %+v, want 3 requests on 2 connections", w.came)
	}
}
