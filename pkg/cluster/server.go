package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// EmbedConfig is what an embedded server is made of.
type EmbedConfig struct {
	Dir    string // where streams are kept
	Listen string // host:port; port 0 = any free one; "" = 127.0.0.1:4222
	Token  string
	NKeys  []string // public keys of those who are let in
	// TLS has the server's certificate. With ClientAuth tls.RequireAndVerifyClientCert it is an authentication, too.
	TLS *tls.Config
	Log func(format string, args ...any) // warnings and errors; nil = nobody
	// Broken hears, once, that the server can keep nothing any more, as on a full disk, and why; nil = nobody.
	Broken func(error)
}

// Server is an embedded server with JetStream, in files that are synced with every write. It is safe for concurrent use.
type Server struct {
	s     *server.Server
	token string
	seed  []byte // of a key of our own, where keys are asked for
}

// ErrUnprotected says that a server would listen where others can reach it, and let everybody in.
var ErrUnprotected = errors.New("a server that others can reach needs a token, nkeys or client certificates")

const startTimeout = 30 * time.Second

// Embed starts a server.
func Embed(cfg EmbedConfig) (*Server, error) {
	opts, err := cfg.options()
	if err != nil {
		return nil, err
	}
	own := &Server{token: cfg.Token}
	if len(cfg.NKeys) > 0 {
		var public string
		if own.seed, public, err = newKey(); err != nil {
			return nil, err
		}
		opts.Nkeys = append(opts.Nkeys, &server.NkeyUser{Nkey: public})
	}
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("embedded server: %w", err)
	}
	s.SetLoggerV2(newServerLog(&cfg), false, false, false)
	s.Start()
	if !s.ReadyForConnections(startTimeout) {
		s.Shutdown()
		s.WaitForShutdown()
		return nil, fmt.Errorf("embedded server: not ready on %s after %s", cfg.Listen, startTimeout)
	}
	own.s = s
	return own, nil
}

// Dial connects to the server from within the process, without TLS. It is let in, whatever others have to show.
func (s *Server) Dial(ctx context.Context, a Access) (*Conn, error) {
	a.URL, a.Token, a.Seed, a.TLS = "nats://"+s.s.Addr().String(), s.token, s.seed, nil
	c, err := connect(ctx, a, nats.InProcessServer(s.s))
	if c != nil {
		c.own = true
	}
	return c, err
}

func (cfg *EmbedConfig) options() (*server.Options, error) {
	listen := cfg.Listen
	if listen == "" {
		listen = "127.0.0.1:4222"
	}
	host, text, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, fmt.Errorf("listen address %.100q, expected host:port: %w", listen, err)
	}
	port, err := strconv.Atoi(text)
	if err != nil || port < 0 || port > 65535 {
		return nil, fmt.Errorf("listen address %.100q, expected a port from 0 to 65535", listen)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	certified := cfg.TLS != nil && cfg.TLS.ClientAuth == tls.RequireAndVerifyClientCert
	if !loopback(host) && cfg.Token == "" && len(cfg.NKeys) == 0 && !certified {
		return nil, fmt.Errorf("listen on %s: %w", listen, ErrUnprotected)
	}
	opts := &server.Options{
		ServerName: "redial", Host: host, Port: port,
		NoSigs: true, NoLog: true, // signals and output are the program's
		JetStream: true, StoreDir: cfg.Dir, SyncAlways: true, SyncInterval: time.Minute,
		Authorization:  cfg.Token,
		MaxControlLine: 4096,
	}
	for _, key := range cfg.NKeys {
		opts.Nkeys = append(opts.Nkeys, &server.NkeyUser{Nkey: key})
	}
	if cfg.TLS != nil {
		opts.TLS, opts.TLSConfig, opts.TLSTimeout = true, cfg.TLS, 10
		opts.TLSVerify = certified
	}
	return opts, nil
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// URL is where the server listens.
func (s *Server) URL() string { return s.s.ClientURL() }

// Close stops the server and waits until it has.
func (s *Server) Close() {
	s.s.Shutdown()
	s.s.WaitForShutdown()
}
