package lab

import (
	"context"
	"encoding/base64"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
)

// StartHTTPProxy starts a proxy that forwards requests and makes CONNECT tunnels.
//
// Without the right password it answers 407. A host that it cannot reach is a
// 502, or a 504 when the time ran out.
func StartHTTPProxy(cfg ProxyConfig) (*Proxy, error) {
	return newProxy(cfg, "http", serveHTTPProxy)
}

func serveHTTPProxy(p *Proxy) {
	var tunnels sync.WaitGroup
	defer tunnels.Wait()
	transport := &http.Transport{
		DisableKeepAlives:  true,
		DisableCompression: true,
		DialContext:        func(_ context.Context, _, addr string) (net.Conn, error) { return p.dialForward(addr) },
	}
	quiet := log.New(io.Discard, "", 0)
	forward := &httputil.ReverseProxy{
		Rewrite:      func(*httputil.ProxyRequest) {}, // the request names its host itself
		Transport:    transport,
		ErrorLog:     quiet,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { w.WriteHeader(gatewayStatus(err)) },
	}
	server := &http.Server{
		ErrorLog: quiet,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !p.admits(r) {
				w.Header().Set("Proxy-Authenticate", `Basic realm="lab"`)
				w.WriteHeader(http.StatusProxyAuthRequired)
				return
			}
			if code := p.ask(hostOf(r)); code != 0 {
				w.WriteHeader(code)
				return
			}
			if r.Method == http.MethodConnect {
				tunnels.Add(1)
				defer tunnels.Done()
				p.connect(w, r.Host)
				return
			}
			forward.ServeHTTP(w, r)
		}),
		ConnState: func(c net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				p.enter(c)
			case http.StateClosed:
				p.leave(c)
			}
		},
	}
	_ = server.Serve(p.listener)              // until Close closes it and every connection
	_ = server.Shutdown(context.Background()) // waits for the handlers, which have nothing left to do
}

// forwarded is a connection to a host that the transport owns and closes.
type forwarded struct {
	net.Conn
	proxy *Proxy
}

func (f forwarded) Close() error {
	f.proxy.leave(f.Conn)
	return nil
}

func (p *Proxy) dialForward(addr string) (net.Conn, error) {
	c, err := p.dial(addr)
	if err != nil {
		return nil, err
	}
	return forwarded{Conn: c, proxy: p}, nil
}

// hostOf returns the "host:port" that a request is for.
func hostOf(r *http.Request) string {
	host := r.Host
	if r.Method != http.MethodConnect {
		host = r.URL.Host
		if r.URL.Port() == "" {
			host = net.JoinHostPort(r.URL.Hostname(), "80")
		}
	}
	return host
}

func (p *Proxy) admits(r *http.Request) bool {
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(p.cfg.User+":"+p.cfg.Password))
	return p.cfg.User == "" || r.Header.Get("Proxy-Authorization") == want
}

// connect makes a tunnel and stays until it has ended.
func (p *Proxy) connect(w http.ResponseWriter, host string) {
	up, err := p.dial(host)
	if err != nil {
		w.WriteHeader(gatewayStatus(err))
		return
	}
	defer p.leave(up)
	down, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	defer p.leave(down)
	if _, err := io.WriteString(down, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	p.tunnel(rw.Reader, down, up)
}

func gatewayStatus(err error) int {
	if isTimeout(err) {
		return http.StatusGatewayTimeout
	}
	return http.StatusBadGateway
}
