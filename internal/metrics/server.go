package metrics

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Address completes an address to listen on: a port alone (9090, :9090) is one on loopback.
func Address(text string) (string, error) {
	if !strings.Contains(text, ":") {
		text = ":" + text
	}
	host, port, err := net.SplitHostPort(text)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil || host != "" && strings.ContainsAny(host, " /") {
		return "", errors.New("expected a port such as 9090, which is taken on loopback, or address:port")
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// Listen takes the port. The error says what was expected.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is in use, expected a free port, or 0 for any", addr)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be listened on: %w, expected an address of this machine", addr, err)
	}
	return l, nil
}

// handler serves the metrics and the profiles. The command line is not among these, since it may hold secrets.
func (s *Scan) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = s.WriteTo(w) // a reader who has left misses nothing
	})
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /debug/pprof/cmdline", http.NotFound)
	return mux
}

// Serve answers on l until ctx ends, and closes it. A profile that is being taken then is cut off.
func (s *Scan) Serve(ctx context.Context, l net.Listener) {
	server := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	var wg sync.WaitGroup
	wg.Go(func() {
		<-ctx.Done()
		_ = server.Close()
	})
	_ = server.Serve(l) // until it is closed
	wg.Wait()
}
