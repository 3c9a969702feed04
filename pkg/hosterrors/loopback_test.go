package hosterrors

import (
	"context"
	"crypto/tls"
	"net"
	"testing"
	"time"
)

// listen serves each connection with serve until the test ends.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serve(conn)
			conn.Close()
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		<-done
	})
	return listener.Addr().String()
}

// ask sends a line and returns the error of reading the answer.
func ask(t *testing.T, addr string) error {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("hello\n")); err != nil {
		return err
	}
	_, err = conn.Read(make([]byte, 1))
	return err
}

func readLine(conn net.Conn) { conn.Read(make([]byte, 6)) }

// The errors that the system really gives on loopback.
func TestJudgeRealErrors(t *testing.T) {
	closes := listen(t, readLine)
	wantVerdict(t, "closed without a byte", ask(t, closes), lost)

	resets := listen(t, func(conn net.Conn) {
		readLine(conn)
		conn.(*net.TCPConn).SetLinger(0)
	})
	wantVerdict(t, "reset", ask(t, resets), lost)

	garbage := listen(t, func(conn net.Conn) { conn.Write([]byte("220 this is no TLS\r\n")); readLine(conn) })
	_, err := tls.Dial("tcp", garbage, &tls.Config{ServerName: "host"})
	wantVerdict(t, "garbage for TLS", err, alive)

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	nobody := listener.Addr().String()
	_, err = net.Dial("tcp", nobody)
	wantVerdict(t, "refused", err, absent)

	_, err = (&net.Dialer{Timeout: time.Nanosecond}).Dial("tcp", nobody)
	wantVerdict(t, "dial timeout", err, lost)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = (&net.Dialer{}).DialContext(ctx, "tcp", nobody)
	wantVerdict(t, "cancelled dial", err, shortage)

	_, err = net.Dial("tcp", "127.0.0.1:99999")
	wantVerdict(t, "bad port", err, final)
}
