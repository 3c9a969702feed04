package cluster

import (
	"context"
	"crypto/tls"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Access is how a server is reached, and what shows it who asks. Secrets come from files or the environment, not from
// flags that others see.
type Access struct {
	URL   string      // nats://host:port, several with commas
	Name  string      // of the connection, for whoever watches the server
	Token string      // "" = none
	Seed  []byte      // of an nkey; nil = none
	TLS   *tls.Config // nil = as the URL says
	// Log hears of connections that are lost and found; nil = nobody.
	Log func(format string, args ...any)
}

// Conn is a connection to a server, which is found again when it was lost. It is safe for concurrent use.
type Conn struct {
	nc *nats.Conn
	js jetstream.JetStream
	// own says that the server is in this process, and ends with it.
	own bool

	ahead atomic.Int64              // the server's clock, in nanoseconds
	lost  atomic.Pointer[time.Time] // when the connection was; nil while there is one
}

const (
	reconnectWait = 250 * time.Millisecond
	pingEvery     = 5 * time.Second
	callTimeout   = 5 * time.Second // of one request to the server
)

// Dial connects to a server that runs JetStream. The error says what was tried; it wraps [ErrRefused] when the server does not let
// us in, and [ErrUntrusted] when it is not one that we may speak to: trying again is in vain then.
func Dial(ctx context.Context, a Access) (*Conn, error) { return connect(ctx, a) }

func connect(ctx context.Context, a Access, opts ...nats.Option) (*Conn, error) {
	c := &Conn{}
	if a.Log == nil {
		a.Log = func(string, ...any) {}
	}
	opts = append(opts,
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			now := time.Now()
			c.lost.Store(&now)
			if err != nil {
				a.Log("the connection to the server is lost: %v", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) {
			c.lost.Store(nil)
			a.Log("connected to %s again", nc.ConnectedUrlRedacted())
		}),
		nats.Name(a.Name),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(reconnectWait),
		nats.PingInterval(pingEvery),
		// What could not be sent at its time is not to be sent at another: a late word about a batch would be a false one.
		nats.ReconnectBufSize(-1),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // the default prints
	)
	if a.Token != "" {
		opts = append(opts, nats.Token(a.Token))
	}
	if a.TLS != nil {
		opts = append(opts, nats.Secure(a.TLS))
	}
	if a.Seed != nil {
		key, err := withSeed(a.Seed)
		if err != nil {
			return nil, err
		}
		opts = append(opts, key)
	}
	nc, err := nats.Connect(a.URL, opts...)
	if err != nil {
		return nil, explain(err)
	}
	js, err := jetstream.New(nc)
	if err == nil {
		err = hasJetStream(ctx, js)
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	c.nc, c.js = nc, js
	return c, nil
}

// minLevel is that of the API of JetStream that has streams without a sync of each write (server 2.12).
const minLevel = 2

func hasJetStream(ctx context.Context, js jetstream.JetStream) error {
	ctx, stop := context.WithTimeout(ctx, callTimeout)
	defer stop()
	info, err := js.AccountInfo(ctx)
	if err != nil {
		return fmt.Errorf("ask the server for JetStream: %w", err)
	}
	if info.API.Level < minLevel {
		return fmt.Errorf("the server's JetStream is of API level %d, expected at least %d (nats-server 2.12)", info.API.Level, minLevel)
	}
	return nil
}

// Close ends the connection.
func (c *Conn) Close() { c.nc.Close() }

// away is for how long there has been no connection; 0 while there is one.
func (c *Conn) away() time.Duration {
	lost := c.lost.Load()
	if lost == nil {
		return 0
	}
	return max(1, time.Since(*lost))
}

// since is how long ago the server says that something was, by the server's clock.
func (c *Conn) since(at time.Time) time.Duration {
	return max(0, time.Since(at)+time.Duration(c.ahead.Load()))
}

// learnTime finds out how far the server's clock is ahead of ours. An error matters little: the clocks are taken to agree.
func (c *Conn) learnTime(ctx context.Context, stream string) {
	ctx, stop := context.WithTimeout(ctx, callTimeout)
	defer stop()
	before := time.Now()
	s, err := c.js.Stream(ctx, stream)
	if err != nil {
		return
	}
	took := time.Since(before)
	if there := s.CachedInfo().TimeStamp; !there.IsZero() {
		c.ahead.Store(int64(there.Sub(before.Add(took / 2))))
	}
}
