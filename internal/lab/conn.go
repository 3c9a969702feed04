package lab

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"time"
)

// next says what becomes of a connection after a request.
type next uint8

const (
	keep   next = iota // send what was written and read the next request, unless the client wants an end
	hangUp             // send what was written, then close
	reset              // send nothing, close with a RST
	ignore             // send nothing, leave the request unanswered, read on
)

// lingerTime is how long a closed connection may still swallow what its client
// sends; closing on unread bytes would reset it and could lose the answer.
const lingerTime = time.Second

// conn is one accepted connection. Only its own goroutine uses it, but for
// tcp.Close, which its period calls when the host goes down.
type conn struct {
	host *server
	tcp  *net.TCPConn
	rw   net.Conn // tcp, or TLS over it
	br   *bufio.Reader
	gone <-chan struct{} // closed when the host goes down
	req  request
	out  []byte
	// unanswered requests count as in flight until the connection ends.
	unanswered int64
}

// serve reads requests and answers them until one side has had enough.
func (c *conn) serve() {
	c.host.count.opened()
	defer func() {
		_ = c.tcp.Close()
		c.host.count.closed(c.unanswered)
	}()
	if c.host.spec.Kind == ResetOnAccept {
		_ = c.tcp.SetLinger(0)
		return
	}
	if !c.handshake() {
		return
	}
	c.br = bufio.NewReaderSize(c.rw, 4<<10)
	if c.host.spec.Kind == Mail {
		c.mail()
		return
	}
	c.req.keepRaw = c.host.count.keepRaw > 0
	for {
		if err := c.readRequest(); err != nil {
			c.spoiled(err)
			return
		}
		if !c.answerOne() {
			return
		}
	}
}

func (c *conn) readRequest() error {
	if err := c.req.readHead(c.br); err != nil {
		return err
	}
	if c.req.expect && c.br.Buffered() == 0 && (c.req.chunked || c.req.length > 0) {
		if _, err := c.rw.Write([]byte("HTTP/1.1 100 Continue\r\n\r\n")); err != nil {
			return errCut
		}
	}
	return c.req.readBody(c.br)
}

// answerOne answers the request that was read and says whether the connection goes on.
func (c *conn) answerOne() bool {
	c.host.count.begin(&c.req)
	c.unanswered++
	c.out = c.out[:0]
	switch c.host.answer(c) {
	case ignore:
		return true
	case reset:
		c.settled()
		_ = c.tcp.SetLinger(0)
		return false
	case hangUp:
		c.flush()
		c.finish()
		return false
	}
	if !c.flush() {
		return false
	}
	if c.req.close {
		c.finish()
	}
	return !c.req.close
}

// settled takes the request being answered out of flight, once.
func (c *conn) settled() {
	if c.unanswered > 0 {
		c.unanswered--
		c.host.count.end()
	}
}

// flush sends what was written, in one write, and says whether that worked.
func (c *conn) flush() bool {
	c.settled()
	if len(c.out) == 0 {
		return true
	}
	_, err := c.rw.Write(c.out)
	c.out = c.out[:0]
	return err == nil
}

// finish ends the sending side and swallows what is still on its way.
func (c *conn) finish() {
	if over, ok := c.rw.(*tls.Conn); ok {
		_ = over.CloseWrite()
	}
	_ = c.tcp.CloseWrite()
	_ = c.tcp.SetReadDeadline(time.Now().Add(lingerTime))
	_, _ = io.Copy(io.Discard, io.LimitReader(c.tcp, 1<<20))
}

const badRequest = "HTTP/1.1 400 Bad Request\r\nServer: redial-lab\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

// spoiled counts a connection that broke inside a request, and answers what was
// no request as web servers do; a host that gives no request a word gives none to that either, a TLS handshake for one.
func (c *conn) spoiled(err error) {
	malformed := errors.Is(err, errMalformed)
	if !malformed && (!errors.Is(err, errCut) || c.isGone()) {
		return
	}
	c.host.count.spoiled()
	if !malformed {
		return
	}
	switch c.host.spec.Kind {
	case Silent:
		_, _ = io.Copy(io.Discard, c.rw)
		return
	case Mute:
		c.finish()
		return
	case Resetting:
		_ = c.tcp.SetLinger(0)
		return
	}
	if _, err := io.WriteString(c.rw, badRequest); err == nil {
		c.finish()
	}
}

// write appends a page to what will be sent, as the request wants it.
func (c *conn) write(p *page) {
	c.out = append(c.out, p.head...)
	if c.req.close {
		c.out = append(c.out, "Connection: close\r\n"...)
	}
	c.out = append(c.out, "\r\n"...)
	if !c.req.isHead {
		c.out = append(c.out, p.body...)
	}
}

// wait lets d pass and says whether the host is still up afterwards.
func (c *conn) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.gone:
		return false
	}
}

func (c *conn) isGone() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}
