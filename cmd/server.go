package cmd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/redialscan/redial/pkg/cluster"
	"github.com/redialscan/redial/pkg/journal"
)

// serverOptions say by which NATS server workers are reached.
type serverOptions struct {
	listen   string
	nats     string
	stateDir string
	ackWait  durationValue
}

func (o *serverOptions) addFlags(fs *pflag.FlagSet) {
	o.ackWait = durationValue(cluster.DefaultAckWait)
	fs.StringVar(&o.listen, "listen", defaultServer, "`address` at which the server of this program listens; beyond loopback only with a token, an nkey or --tls-ca")
	fs.StringVar(&o.nats, "nats", "", "`URL` of a NATS server of yours, with JetStream, in place of that")
	fs.StringVar(&o.stateDir, "state-dir", "", "`folder` in which the server keeps what is under way (default: one of this user's)")
	fs.Var(&o.ackWait, "ack-wait", "how long a batch stays with a worker that is not heard of")
}

func (o *serverOptions) validate(fs *pflag.FlagSet) error {
	if o.nats != "" {
		for _, name := range []string{"listen", "state-dir"} {
			if fs.Changed(name) {
				return usageErrorf(name, "expected without --nats: it is about the server of this program")
			}
		}
	}
	if fs.Changed("nats") {
		if err := checkServers("nats", o.nats); err != nil {
			return err
		}
	}
	if time.Duration(o.ackWait) < time.Second {
		return usageErrorf("ack-wait", "%s is out of range, expected 1s or more", o.ackWait.String())
	}
	return nil
}

// link is a connection to the server, and the server where it is ours.
type link struct {
	*cluster.Conn
	server *cluster.Server // nil = somebody else's
	lock   *journal.Lock
}

// tellLeft tells of scans whose coordinator was killed and did not come again, but for ours.
func (l *link) tellLeft(ctx context.Context, ours string, m *messages) {
	all, err := cluster.Scans(ctx, l.Conn)
	if err != nil {
		return // what there is to say of that is said when the scan begins
	}
	for _, s := range all {
		if !s.Served && s.Scan != ours {
			m.warn("%s", leftBehind(s))
		}
	}
}

func (l *link) close() {
	if l.Conn != nil {
		l.Conn.Close()
	}
	if l.server != nil {
		l.server.Close()
	}
	_ = l.lock.Release() // it is gone with the process in any case
}

// connect starts the server, or reaches that of the user. A server of ours that can keep nothing any more stops the scan.
func (o *serveOptions) connect(ctx context.Context, env Env, m *messages, stop context.CancelCauseFunc) (*link, error) {
	if o.server.nats != "" {
		config, err := o.access.clientTLS()
		if err != nil {
			return nil, err
		}
		o.warnClear(o.server.nats, config, m)
		conn, err := o.access.dial(ctx, env, o.server.nats, "coordinator", 0, m)
		return &link{Conn: conn}, err
	}
	l, err := o.embed(ctx, env, m, stop)
	if err != nil && l != nil {
		l.close()
	}
	return l, err
}

// embed starts the server of this program.
func (o *serveOptions) embed(ctx context.Context, env Env, m *messages, stop context.CancelCauseFunc) (*link, error) {
	token, nkey, err := o.access.secrets(env)
	if err != nil {
		return nil, err
	}
	cfg := cluster.EmbedConfig{Listen: o.server.listen, Token: token, Log: m.warn}
	if cfg.TLS, err = o.access.serverTLS(); err != nil {
		return nil, err
	}
	if cfg.NKeys, err = cluster.PublicKeys(nkey); err != nil {
		return nil, usageErrorf("nkey-file", "%v", err)
	}
	l := &link{}
	if cfg.Dir, l.lock, err = o.server.folder(env); err != nil {
		return l, err
	}
	cfg.Broken = func(err error) {
		stop(fmt.Errorf("the server cannot keep its files in %s: %w; when it can, --resume goes on", cfg.Dir, err))
	}
	if err := isFree(ctx, o.server.listen); err != nil {
		return l, err
	}
	l.server, err = cluster.Embed(cfg)
	if errors.Is(err, cluster.ErrUnprotected) {
		return l, usageErrorf("listen", "%s can be reached by others, expected with --token-file, --nkey-file or --tls-ca", o.server.listen)
	}
	if err != nil {
		return l, err
	}
	o.warnClear(l.server.URL(), cfg.TLS, m)
	if l.Conn, err = l.server.Dial(ctx, cluster.Access{Name: "coordinator", Log: m.warn}); err != nil {
		return l, err
	}
	m.info("workers join at %s", l.server.URL())
	return l, nil
}

// folder makes the folder of the server and locks it.
func (o *serverOptions) folder(env Env) (string, *journal.Lock, error) {
	dir := o.stateDir
	if dir == "" {
		dir = inFolder(userFolder(runtime.GOOS, env.Getenv, "XDG_STATE_HOME", "LocalAppData", ".local/state"), "redial", "cluster")
	}
	if dir == "" {
		return "", nil, usageErrorf("state-dir", "this user has no folder for it (no HOME, no XDG_STATE_HOME), expected one")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, usageErrorf("state-dir", "%v", err)
	}
	lock, err := journal.Acquire(filepath.Join(dir, "coordinator"))
	if errors.Is(err, journal.ErrLocked) {
		return "", nil, usageErrorf("state-dir", "%s is in use by another redial serve, expected one of its own", dir)
	}
	if err != nil {
		return "", nil, usageErrorf("state-dir", "%v", err)
	}
	return dir, lock, nil
}

// isFree says whether an address can be listened at: the server itself would try for long.
func isFree(ctx context.Context, address string) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return usageErrorf("listen", "%v", err)
	}
	return l.Close()
}

// warnClear warns where secrets of the scan can be read on their way.
func (o *serveOptions) warnClear(server string, config *tls.Config, m *messages) {
	if !inTheClear(server, config) {
		return
	}
	secret := "what is found"
	if r := &o.scan.request; len(r.headers) > 0 || len(o.scan.checks.vars) > 0 || r.body != "" || r.clientKey != "" || strings.Contains(r.proxy, "@") {
		secret = "headers, values and credentials of this scan"
	}
	m.warn("%s is neither loopback nor TLS: %s can be read on the way to workers", withoutUser(fmt.Sprint(server)), secret)
}
