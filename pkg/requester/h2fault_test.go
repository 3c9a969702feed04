package requester_test

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

// frames is a host that agrees on HTTP/2 and then does with the nth request over all connections what act says. Where HTTP/1.1 is agreed on it
// answers.
type frames struct {
	addr     string
	conns    atomic.Int32
	requests atomic.Int32
}

func startFrames(tb testing.TB, act func(n int, fr *http2.Framer, stream uint32) (stay bool)) *frames {
	tb.Helper()
	conf := &tls.Config{Certificates: []tls.Certificate{clientPair(tb)}, NextProtos: []string{"h2", "http/1.1"}}
	l, err := tls.Listen("tcp", "127.0.0.1:0", conf)
	if err != nil {
		tb.Fatal(err)
	}
	f := &frames{addr: l.Addr().String()}
	var served sync.WaitGroup
	served.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			f.conns.Add(1)
			served.Go(func() {
				defer c.Close()
				f.serve(c.(*tls.Conn), act)
			})
		}
	})
	tb.Cleanup(func() {
		_ = l.Close()
		served.Wait()
	})
	return f
}

func (f *frames) serve(c *tls.Conn, act func(int, *http2.Framer, uint32) bool) {
	if c.Handshake() != nil {
		return
	}
	if c.ConnectionState().NegotiatedProtocol != "h2" {
		f.requests.Add(1)
		answering(ok200)(1, c)
		return
	}
	br := bufio.NewReader(c)
	if _, err := io.ReadFull(br, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	fr := http2.NewFramer(c, br)
	if fr.WriteSettings() != nil {
		return
	}
	for {
		frame, err := fr.ReadFrame()
		if err != nil {
			return
		}
		if h, ok := frame.(*http2.HeadersFrame); ok && !act(int(f.requests.Add(1)), fr, h.StreamID) {
			return
		}
	}
}

// answer sends a response without a body, or a cut one.
func answer(fr *http2.Framer, stream uint32, end bool) bool {
	var block writer
	enc := hpack.NewEncoder(&block)
	_ = enc.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	return fr.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block, EndHeaders: true, EndStream: end}) == nil
}

type writer []byte

func (w *writer) Write(p []byte) (int, error) {
	*w = append(*w, p...)
	return len(p), nil
}

func TestHTTP2Faults(t *testing.T) {
	ok := func(fr *http2.Framer, stream uint32) bool { return answer(fr, stream, true) }
	reset := func(code http2.ErrCode) func(int, *http2.Framer, uint32) bool {
		return func(n int, fr *http2.Framer, stream uint32) bool {
			if n == 2 {
				return fr.WriteRSTStream(stream, code) == nil
			}
			return ok(fr, stream)
		}
	}
	for _, test := range []struct {
		name   string
		method string
		act    func(n int, fr *http2.Framer, stream uint32) bool
		want   hosterrors.Verdict // of the second request; alive and final when it is answered
		err    bool
		conns  int32
	}{
		{"stream refused", "POST", reset(http2.ErrCodeRefusedStream), hosterrors.Verdict{Blame: hosterrors.BlameAlive}, false, 2},
		{"HTTP/1.1 wanted", "POST", reset(http2.ErrCodeHTTP11Required), hosterrors.Verdict{Blame: hosterrors.BlameAlive}, false, 2},
		{"stream failed", "GET", reset(http2.ErrCodeInternal), hosterrors.Verdict{Blame: hosterrors.BlameAlive}, true, 1},
		{"going away", "GET", func(n int, fr *http2.Framer, stream uint32) bool {
			if n == 2 {
				_ = fr.WriteGoAway(1, http2.ErrCodeNo, nil)
				return false
			}
			return ok(fr, stream)
		}, hosterrors.Verdict{Blame: hosterrors.BlameAlive}, false, 2},
		{"closed", "GET", func(n int, fr *http2.Framer, stream uint32) bool {
			return n != 2 && ok(fr, stream)
		}, hosterrors.Verdict{Blame: hosterrors.BlameHost, Repeat: true}, true, 1},
		{"cut body", "GET", func(n int, fr *http2.Framer, stream uint32) bool {
			answer(fr, stream, n != 2)
			return n != 2
		}, hosterrors.Verdict{Blame: hosterrors.BlameAlive, Repeat: true}, true, 1},
		{"silent", "GET", func(n int, fr *http2.Framer, stream uint32) bool {
			return n == 2 || ok(fr, stream)
		}, hosterrors.Verdict{Blame: hosterrors.BlameHost, Repeat: true}, true, 1},
		{"stalled body", "GET", func(n int, fr *http2.Framer, stream uint32) bool {
			return answer(fr, stream, n != 2)
		}, hosterrors.Verdict{Blame: hosterrors.BlameAlive, Repeat: true}, true, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			host := startFrames(t, test.act)
			c := newClient(t, requester.Config{Timeout: 2 * time.Second})
			if _, err := do(t, c, toTLS(host.addr, "/1")); err != nil {
				t.Fatal(err)
			}
			req := toTLS(host.addr, "/2")
			req.Method, req.WantBody = test.method, true
			_, err := do(t, c, req)
			if got := hosterrors.Judge(err); (err != nil) != test.err || got != test.want {
				t.Errorf("got %v, judged %+v; want %+v", err, got, test.want)
			}
			if got := host.conns.Load(); got != test.conns {
				t.Errorf("got %d connections, want %d", got, test.conns)
			}
		})
	}
}

func TestAgreedOnHTTP2ButSpeaksSomethingElse(t *testing.T) {
	conf := &tls.Config{Certificates: []tls.Certificate{clientPair(t)}, NextProtos: []string{"h2"}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	served.Go(func() {
		for {
			raw, err := l.Accept()
			if err != nil {
				return
			}
			c := tls.Server(raw, conf)
			_, _ = io.ReadFull(c, make([]byte, len(http2.ClientPreface)))
			_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
			_, _ = io.Copy(io.Discard, c)
			_ = c.Close()
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		served.Wait()
	})
	c := newClient(t, requester.Config{Timeout: 5 * time.Second})
	_, err = do(t, c, toTLS(l.Addr().String(), "/"))
	if v := hosterrors.Judge(err); err == nil || v.Blame != hosterrors.BlameAlive {
		t.Errorf("got %v, judged %+v; want alive", err, v)
	}
}
