package lab

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"sync"
	"time"
)

// proxyDialTimeout is how long a proxy tries to reach a host before it says that it cannot.
const proxyDialTimeout = 2 * time.Second

var errNotLoopback = errors.New("expected a loopback address or a route")

// ProxyConfig says how a proxy behaves. The zero value is one that works, for everybody.
type ProxyConfig struct {
	// User and Password are demanded of every client when User is set.
	User, Password string
	// Refuse has the failure for single hosts, by "host:port" as the client names
	// it: a status for an HTTP proxy (502, say), a reply code for SOCKS5 (5, say).
	Refuse map[string]int
	// RefuseAll is the failure for every other host; 0 is none.
	RefuseAll int
	// Route sends what is meant for "host:port" to another address, so that
	// hosts may have names. Whatever is not routed must be a loopback address.
	Route map[string]string
}

// Proxy is a running proxy on 127.0.0.1. Its methods are safe for concurrent use.
type Proxy struct {
	cfg      ProxyConfig
	scheme   string
	listener net.Listener
	done     chan struct{} // closed when every goroutine of the proxy has ended

	mu     sync.Mutex
	closed bool
	conns  map[net.Conn]struct{}
	asked  map[string]int64
}

// newProxy listens; serve runs until the listener is closed and its goroutines have ended.
func newProxy(cfg ProxyConfig, scheme string, serve func(*Proxy)) (*Proxy, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("lab: %s proxy: %w", scheme, err)
	}
	p := &Proxy{
		cfg: cfg, scheme: scheme, listener: l, done: make(chan struct{}),
		conns: make(map[net.Conn]struct{}), asked: make(map[string]int64),
	}
	go func() {
		defer close(p.done)
		serve(p)
	}()
	return p, nil
}

// Addr returns the address and port of the proxy.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// URL returns the proxy's URL, without user and password: http:// or socks5://.
func (p *Proxy) URL() string { return p.scheme + "://" + p.Addr() }

// Asked returns how often each "host:port" was asked for, refused or not:
// requests and CONNECTs of an HTTP proxy, connections of a SOCKS5 one. Clients
// without the password are not counted.
func (p *Proxy) Asked() map[string]int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.asked)
}

// Close ends the proxy and all that goes through it, and returns when its
// goroutines have ended. It may be called again.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.closed = true
	for c := range p.conns {
		_ = c.Close()
	}
	p.mu.Unlock()
	err := p.listener.Close()
	<-p.done
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// ask counts a host that was asked for and returns the failure chosen for it, or 0.
func (p *Proxy) ask(host string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[host]++
	if code, ok := p.cfg.Refuse[host]; ok {
		return code
	}
	return p.cfg.RefuseAll
}

// dial connects to a host of the lab, and to nothing else in the world.
func (p *Proxy) dial(host string) (net.Conn, error) {
	if to, ok := p.cfg.Route[host]; ok {
		host = to
	}
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		return nil, err
	}
	if ip := net.ParseIP(name); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("lab: proxy to %s: %w", host, errNotLoopback)
	}
	c, err := net.DialTimeout("tcp", host, proxyDialTimeout)
	if err != nil {
		return nil, err
	}
	if !p.enter(c) {
		return nil, net.ErrClosed
	}
	return c, nil
}

// enter notes a connection that Close has to end; false when the proxy is closed already.
func (p *Proxy) enter(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = c.Close()
		return false
	}
	p.conns[c] = struct{}{}
	return true
}

// leave closes a connection and forgets it.
func (p *Proxy) leave(c net.Conn) {
	_ = c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

// tunnel passes bytes both ways until both sides have ended, or one is broken.
// A reset of the host reaches the client as a reset.
func (p *Proxy) tunnel(client io.Reader, down, up net.Conn) {
	var ways sync.WaitGroup
	ways.Go(func() { pass(up, client, down) })
	ways.Go(func() { pass(down, up, up) })
	ways.Wait()
}

// pass copies to one side what another sends; from is the connection behind src.
func pass(to net.Conn, src io.Reader, from net.Conn) {
	_, err := io.Copy(to, src)
	if tcp, ok := to.(*net.TCPConn); ok && err == nil {
		_ = tcp.CloseWrite()
		return
	} else if ok {
		_ = tcp.SetLinger(0)
	}
	_ = to.Close()
	_ = from.Close()
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}
