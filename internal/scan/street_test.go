package scan

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// street is a network of pipes in a bubble: each host answers as its function says, and every request is noted.
type street struct {
	serve map[string]func(n int) string // host:port -> the answer to the nth request, from 1

	mu   sync.Mutex
	sent map[string][]time.Time
	open sync.WaitGroup
}

func newStreet(serve map[string]func(n int) string) *street {
	return &street{serve: serve, sent: map[string][]time.Time{}}
}

// hush is what a host serves that says nothing.
const hush = "hush"

func (s *street) dial(ctx context.Context, _, addr string) (net.Conn, error) {
	if s.serve[addr] == nil { // nobody is told that nobody lives there
		<-ctx.Done()
		return nil, ctx.Err()
	}
	near, far := net.Pipe()
	s.open.Go(func() {
		defer far.Close()
		br := bufio.NewReader(far)
		for {
			if _, err := http.ReadRequest(br); err != nil {
				return
			}
			s.mu.Lock()
			s.sent[addr] = append(s.sent[addr], time.Now())
			text := s.serve[addr](len(s.sent[addr]))
			s.mu.Unlock()
			if text == "" {
				return
			}
			if text == hush {
				continue
			}
			<-time.After(5 * time.Millisecond)
			if _, err := io.WriteString(far, text); err != nil {
				return
			}
		}
	})
	return near, nil
}

func reply(code int, fields string) string {
	return fmt.Sprintf("HTTP/1.1 %d Text\r\n%sContent-Length: 2\r\n\r\nhi", code, fields)
}

func ok(int) string { return reply(200, "") }

// walk scans the hosts of a street in a bubble.
func walk(t *testing.T, s *street, b *book, opt Options, items int, hosts ...string) Ending {
	t.Helper()
	opt.Requester.Dial = s.dial
	list := make([]string, items)
	for i := range list {
		list[i] = fmt.Sprintf("/p%d", i)
	}
	ending, err := scanInto(t.Context(), t, b, opt, list, hosts...)
	if err != nil {
		t.Fatal(err)
	}
	s.open.Wait()
	return ending
}

// within counts the requests to a host in each second since its first one, the last and broken one left out.
func (s *street) within(addr string) []int {
	all := s.sent[addr]
	if len(all) == 0 {
		return nil
	}
	each := make([]int, int(all[len(all)-1].Sub(all[0])/time.Second)+1)
	for _, at := range all {
		each[int(at.Sub(all[0])/time.Second)]++
	}
	return each[:len(each)-1]
}
