package requester_test

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

// script says its lines one after the other, and keeps what it hears after each.
type script struct {
	lines []requester.Line
	heard []string
	begun bool
}

func (s *script) next(heard []byte) (requester.Line, bool) {
	if s.begun {
		s.heard = append(s.heard, string(heard))
	}
	s.begun = true
	if len(s.lines) == 0 {
		return requester.Line{}, false
	}
	line := s.lines[0]
	s.lines = s.lines[1:]
	return line, true
}

// talk makes a request of lines, to a host on a network of pipes.
func talk(lines ...requester.Line) (*requester.Request, *script) {
	s := &script{lines: lines}
	return &requester.Request{Scheme: "tcp", Host: "h.test", Port: 21, Talk: &requester.Talk{Next: s.next}}, s
}

func say(text string, hear int) requester.Line { return requester.Line{Say: []byte(text), Hear: hear} }

// ftp greets, answers each line, and waits for the next one.
func ftp(_ int, c net.Conn) {
	text := "220 ready\r\n"
	for {
		if _, err := io.WriteString(c, text); err != nil {
			return
		}
		line := make([]byte, 64)
		n, err := c.Read(line)
		if err != nil {
			return
		}
		text = "331 " + strings.TrimSpace(string(line[:n])) + "?\r\n"
	}
}

// Each host says what it wants; what counts is what is heard, how long that takes, and what the breaker makes of it.
func TestTalk(t *testing.T) {
	for _, row := range []struct {
		name  string
		serve func(int, net.Conn)
		lines []requester.Line
		heard string // after each line, with | between
		took  time.Duration
		alive bool
	}{
		{"banner", ftp, []requester.Line{say("", 1024)}, "220 ready\r\n", time.Second, true},
		{"as much as is asked for", ftp, []requester.Line{say("", 3)}, "220", 0, true},
		{"line by line", ftp, []requester.Line{say("", 11), say("USER a", 13), say("PASS b", 1024)}, "220 ready\r\n|331 USER a?\r\n|331 PASS b?\r\n", time.Second, true},
		{"has no more to say", ftp, []requester.Line{say("", 11), say("USER a", 13), say("", 10)}, "220 ready\r\n|331 USER a?\r\n|", time.Second, true},
		{"silent", func(_ int, c net.Conn) { _, _ = io.Copy(io.Discard, c) }, []requester.Line{say("hello", 10)}, "", 5 * time.Second, false},
		{"closes at once", func(int, net.Conn) {}, []requester.Line{say("", 10), say("", 10)}, "|", 0, false},
		{"says and closes", func(_ int, c net.Conn) { _, _ = io.WriteString(c, "bye") }, []requester.Line{say("", 100), say("", 100)}, "bye|", 0, true},
		{"in two pieces", func(_ int, c net.Conn) {
			_, _ = io.WriteString(c, "one ")
			hang(t, 900*time.Millisecond)
			_, _ = io.WriteString(c, "two")
			_, _ = io.Copy(io.Discard, c)
		}, []requester.Line{say("", 100)}, "one two", 1900 * time.Millisecond, true},
		{"drop by drop for ever", func(_ int, c net.Conn) {
			for {
				if _, err := io.WriteString(c, "."); err != nil {
					return
				}
				hang(t, 600*time.Millisecond)
			}
		}, []requester.Line{say("", 1000)}, strings.Repeat(".", 17), 10 * time.Second, true},
		{"endless", func(_ int, c net.Conn) {
			for block := strings.Repeat("x", 1000); ; {
				if _, err := io.WriteString(c, block); err != nil {
					return
				}
			}
		}, []requester.Line{say("", 1<<30), say("", 1)}, strings.Repeat("x", 64<<10) + "|", 0, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				net := &network{serve: row.serve}
				b := newBreaker(t, 1)
				c, err := requester.New(requester.Config{Breaker: b, Dial: net.dial, Timeout: 10 * time.Second, MaxBody: 64 << 10})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				b.Trip("h.test:21", errors.New("made up")) // so that its outcome can be told
				hang(t, hosterrors.DefaultCooldown)
				start := time.Now()
				req, script := talk(row.lines...)
				resp, err := c.Do(t.Context(), req, nil)
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(script.heard, "|"); got != row.heard || string(resp.Body) != strings.ReplaceAll(row.heard, "|", "") {
					t.Errorf("heard %.80q (%d bytes), all of it %.80q; want %.80q", got, len(got), resp.Body, row.heard)
				}
				if took := time.Since(start); took != row.took {
					t.Errorf("took %v, want %v", took, row.took)
				}
				if state := b.State("h.test:21"); (state == hosterrors.StateClosed) != row.alive || state == hosterrors.StateOpen {
					t.Errorf("state %v, want one that has answered: %v", state, row.alive)
				}
				c.Close()
				hang(t, time.Second) // the host notices
			})
		})
	}
}

// hang passes time in a bubble.
func hang(t *testing.T, d time.Duration) {
	t.Helper()
	<-time.After(d)
}

// A port that refuses is a host error of that port alone, and a conversation that is cut off by us is one of nobody.
func TestTalkErrors(t *testing.T) {
	hosts := startLab(t, lab.Spec{Kind: lab.Refusing}, lab.Spec{Kind: lab.TLS}, lab.Spec{Kind: lab.Healthy})
	b := newBreaker(t, 1)
	c := newClient(t, requester.Config{Breaker: b})
	to := func(addr, scheme string) (*requester.Response, error) {
		req, _ := talk(say("GET / HTTP/1.0\r\n\r\n", 15))
		at := toTLS(addr, "")
		req.Scheme, req.Host, req.Port = scheme, at.Host, at.Port
		return do(t, c, req)
	}
	_, err := to(hosts[0].Addr, "tcp")
	wantErr[*hosterrors.ConnError](t, err)
	if !b.Quarantined(hosts[0].Addr) {
		t.Error("a port that refuses is not quarantined")
	}
	_, err = to(hosts[0].Addr, "tcp")
	wantErr[*requester.NotAdmittedError](t, err)
	if resp, err := to(hosts[1].Addr, "tls"); err != nil || string(resp.Body) != "HTTP/1.1 200 OK" || resp.TLS == nil {
		t.Errorf("over TLS: %+v, %v", resp, err)
	}
	_, err = to(hosts[2].Addr, "tls")
	wantErr[*hosterrors.ProtocolError](t, err)
	if b.State(hosts[2].Addr) != hosterrors.StateClosed {
		t.Error("a port that speaks no TLS is taken for dead")
	}
	_, err = to(hosts[2].Addr, "ftp")
	wantErr[*hosterrors.BuildError](t, err)
}

// What was said and heard is shown like other traffic.
func TestTalkIsTraced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got requester.Exchange
		net := &network{serve: ftp}
		c, err := requester.New(requester.Config{Dial: net.dial, KeepSent: true, Trace: func(e requester.Exchange) { got = e }})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		req, _ := talk(say("", 11), say("USER a", 64))
		if _, err := c.Do(t.Context(), req, nil); err != nil {
			t.Fatal(err)
		}
		if got.URL != "tcp://h.test:21" || got.Method != "TCP" || string(got.Sent) != "USER a" || string(got.Response.Body) != "220 ready\r\n331 USER a?\r\n" {
			t.Errorf("traced %+v", got)
		}
	})
}
