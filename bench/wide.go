package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// wideCommand makes this program the server of workload wide.
const wideCommand = "serve-wide"

const wideAnswer = "HTTP/1.1 200 OK\r\nServer: bench\r\nContent-Type: text/html\r\nContent-Length: 45\r\n\r\n" +
	"<html><title>wide</title><p>It works.</html>\n"

const wideAnswerLast = "HTTP/1.1 200 OK\r\nServer: bench\r\nConnection: close\r\nContent-Type: text/html\r\nContent-Length: 45\r\n\r\n" +
	"<html><title>wide</title><p>It works.</html>\n"

// serveWide answers on every loopback address: it prints its port, and when its input ends what arrived.
func serveWide(in io.Reader, out io.Writer) error {
	listener, err := listenWide()
	if err != nil {
		return err
	}
	w := &wide{conns: map[net.Conn]struct{}{}}
	var accepting sync.WaitGroup
	accepting.Go(func() { w.accept(listener) })
	_, portErr := fmt.Fprintln(out, listener.Addr().(*net.TCPAddr).Port)
	_, readErr := io.Copy(io.Discard, in)
	closeErr := listener.Close()
	accepting.Wait()
	return errors.Join(portErr, readErr, closeErr, json.NewEncoder(out).Encode(w.came))
}

// wide is the server of workload wide.
type wide struct {
	mu    sync.Mutex
	came  arrivals
	conns map[net.Conn]struct{} // nil once it is closing
}

// accept serves until the listener is closed, then ends what is still open.
func (w *wide) accept(listener net.Listener) {
	var serving sync.WaitGroup
	for {
		c, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			break
		}
		if err != nil { // out of descriptors: others will be closed
			time.Sleep(5 * time.Millisecond)
			continue
		}
		w.mu.Lock()
		w.came.Connections++
		w.conns[c] = struct{}{}
		w.mu.Unlock()
		serving.Go(func() { w.serve(c) })
	}
	w.mu.Lock()
	for c := range w.conns {
		_ = c.Close()
	}
	w.mu.Unlock()
	serving.Wait()
}

// serve answers requests without a body.
func (w *wide) serve(c net.Conn) {
	defer func() {
		_ = c.Close()
		w.mu.Lock()
		delete(w.conns, c)
		w.mu.Unlock()
	}()
	br := bufio.NewReaderSize(c, 1<<10)
	for {
		last, err := readRequest(br)
		if err != nil {
			return
		}
		now := time.Now()
		w.mu.Lock()
		if w.came.Requests == 0 {
			w.came.First = now
		}
		w.came.Requests++
		w.came.Last = now
		w.mu.Unlock()
		answer := wideAnswer
		if last {
			answer = wideAnswerLast
		}
		if _, err := io.WriteString(c, answer); err != nil || last {
			return
		}
	}
}

// readRequest reads to the empty line, and says whether the client wants no more than one answer.
func readRequest(br *bufio.Reader) (last bool, err error) {
	for {
		line, err := br.ReadSlice('\n')
		if err != nil {
			return false, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			return last, nil
		}
		last = last || bytes.EqualFold(line, []byte("Connection: close"))
	}
}
