package lab

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// errClosed is what Up and Down answer once the lab is closed.
var errClosed = errors.New("lab: closed")

// server is a host that can listen. Its run goroutine alone turns it up and down:
//
//	        up, or the schedule
//	       ┌────────────────────┐
//	down ──┘                    └── up: one period, from listen to the end of
//	   ▲                               │     the last of its connections
//	   └───────────────────────────────┘
//	        down, or the schedule
type server struct {
	spec     Spec
	addr     string
	site     *site
	tls      *tls.Config // nil for plain HTTP
	answer   answer
	count    *counter
	switches chan turn
	quit     <-chan struct{}  // closed by Lab.Close
	first    *net.TCPListener // made by Start; nil when the host starts down
	err      error            // of the schedule; read after run has ended

	redirect     atomic.Pointer[page] // where RedirectTo points
	redirectBase string               // and where to without it, the path of the request following
}

// turn is a request to run: up or down, and the answer when that is so.
type turn struct {
	up   bool
	done chan error
}

// run owns the listener until the lab closes.
func (s *server) run() {
	var (
		now      *period
		accepts  sync.WaitGroup
		schedule = s.spec.Schedule
	)
	set := func(up bool) error {
		if up == (now != nil) {
			return nil
		}
		if !up {
			now.stop()
			accepts.Wait()
			now = nil
			return nil
		}
		l, err := s.listen()
		if err != nil {
			return fmt.Errorf("lab: %s host %s cannot come back: %w", s.spec.Kind, s.addr, err)
		}
		now = newPeriod(l)
		accepts.Go(func() { now.accept(s) })
		return nil
	}
	up := s.first != nil // what the schedule says, whatever Up and Down make of it
	if up {
		_ = set(true) // cannot fail: it listens already
		schedule = schedule[min(1, len(schedule)):]
	}
	timer := newAlarm(schedule)
	defer timer.Stop()
	for {
		select {
		case <-s.quit:
			_ = set(false)
			return
		case t := <-s.switches:
			t.done <- set(t.up)
		case <-timer.C:
			up = !up
			if err := set(up); err != nil {
				s.err = errors.Join(s.err, err)
			}
			if schedule = schedule[1:]; len(schedule) > 0 {
				timer.Reset(schedule[0])
			}
		}
	}
}

// newAlarm rings at the end of the schedule's first entry, or never when it has none.
func newAlarm(schedule []time.Duration) *time.Timer {
	if len(schedule) > 0 {
		return time.NewTimer(schedule[0])
	}
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return timer
}

// listen gives the listener that Start made, once, and then new ones on the same address.
func (s *server) listen() (*net.TCPListener, error) {
	if l := s.first; l != nil {
		s.first = nil
		return l, nil
	}
	return listenTCP(s.addr)
}

// turn asks run for a change and returns when it has happened.
func (s *server) turn(up bool) error {
	t := turn{up: up, done: make(chan error, 1)}
	select {
	case s.switches <- t:
		return <-t.done
	case <-s.quit:
		return errClosed
	}
}

// period is one time of being up.
type period struct {
	listener *net.TCPListener
	gone     chan struct{}

	mu    sync.Mutex
	over  bool
	conns map[*net.TCPConn]struct{}
}

func newPeriod(l *net.TCPListener) *period {
	return &period{listener: l, gone: make(chan struct{}), conns: make(map[*net.TCPConn]struct{})}
}

// accept serves connections until stop, and returns when the last has ended.
func (p *period) accept(s *server) {
	var conns sync.WaitGroup
	defer conns.Wait()
	for {
		tcp, err := p.listener.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of descriptors, most likely: others will be closed
			select {
			case <-p.gone:
				return
			case <-time.After(5 * time.Millisecond):
				continue
			}
		}
		if !p.enter(tcp) {
			_ = tcp.Close()
			return
		}
		conns.Go(func() {
			defer p.leave(tcp)
			c := &conn{host: s, tcp: tcp, rw: tcp, gone: p.gone}
			c.serve()
		})
	}
}

func (p *period) enter(tcp *net.TCPConn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return false
	}
	p.conns[tcp] = struct{}{}
	return true
}

func (p *period) leave(tcp *net.TCPConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, tcp)
}

// stop closes the listener first, so that no client of a connection that ends finds it still there.
func (p *period) stop() {
	_ = p.listener.Close()
	close(p.gone)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	for tcp := range p.conns {
		_ = tcp.Close()
	}
}
