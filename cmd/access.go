package cmd

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/redialscan/redial/pkg/cluster"
)

// defaultServer is where an embedded server listens unless told otherwise, and where it is looked for.
const defaultServer = "127.0.0.1:4222"

// The names of secrets in the environment. They are no flags: other users see those.
const (
	tokenVariable = environmentPrefix + "TOKEN"
	nkeyVariable  = environmentPrefix + "NKEY"
)

// accessOptions say how a NATS server is reached, and what shows it who asks.
type accessOptions struct {
	tokenFile, nkeyFile    string
	tlsCA, tlsCert, tlsKey string
}

func (o *accessOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.tokenFile, "token-file", "", "`file` with the token that lets workers in; also in the environment as "+tokenVariable)
	fs.StringVar(&o.nkeyFile, "nkey-file", "", "`file` with an nkey's seed, in place of a token; also in the environment as "+nkeyVariable)
	fs.StringVar(&o.tlsCA, "tls-ca", "", "`file` with the certificate (PEM) that vouches for the server (default: those of this machine)")
	fs.StringVar(&o.tlsCert, "tls-cert", "", "`file` with the certificate (PEM) of this end")
	fs.StringVar(&o.tlsKey, "tls-key", "", "`file` with its key (PEM)")
}

// addServerFlags adds the same flags for who may have the server, too.
func (o *accessOptions) addServerFlags(fs *pflag.FlagSet) {
	o.addFlags(fs)
	fs.Lookup("nkey-file").Usage = "`file` with the public nkeys of workers (or their seeds), one a line, in place of a token; " +
		"with --nats the seed of ours; also in the environment as " + nkeyVariable
	fs.Lookup("tls-ca").Usage = "`file` with the certificate (PEM) that vouches for workers, who need one then; with --nats for the server"
}

// checkServers refuses what is no URL of NATS servers.
func checkServers(flag, servers string) error {
	for server := range strings.SplitSeq(servers, ",") {
		server = strings.TrimSpace(server)
		if !strings.Contains(server, "://") {
			server = "nats://" + server
		}
		u, err := url.Parse(server)
		if err != nil || u.Hostname() == "" || !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) {
			return usageErrorf(flag, "%q is no URL of a NATS server, expected one such as nats://host:4222 or tls://host:4222", withoutUser(server))
		}
	}
	return nil
}

// secrets reads the token and the nkeys, of which at most one is given.
func (o *accessOptions) secrets(env Env) (token string, nkey []byte, err error) {
	if token, err = secretOf(o.tokenFile, "token-file", env.Getenv(tokenVariable)); err != nil {
		return "", nil, err
	}
	seed, err := secretOf(o.nkeyFile, "nkey-file", env.Getenv(nkeyVariable))
	if err != nil {
		return "", nil, err
	}
	if token != "" && seed != "" {
		return "", nil, usageErrorf("nkey-file", "expected either a token or an nkey, not both")
	}
	if seed == "" {
		return token, nil, nil
	}
	return token, []byte(seed), nil
}

// secretOf reads a secret from a file, or else takes the one of the environment.
func secretOf(file, flag, inEnvironment string) (string, error) {
	if file == "" {
		return strings.TrimSpace(inEnvironment), nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", usageErrorf(flag, "%s: %v, expected a file with the secret", file, reason(err))
	}
	secret := string(bytes.TrimSpace(text))
	if secret == "" {
		return "", usageErrorf(flag, "%s is empty, expected a secret in it", file)
	}
	return secret, nil
}

// files reads what TLS is made of: the pool of --tls-ca and the certificate of --tls-cert, each nil when it is not given.
func (o *accessOptions) files() (pool *x509.CertPool, certs []tls.Certificate, err error) {
	if o.tlsCA != "" {
		text, err := os.ReadFile(o.tlsCA)
		if err != nil {
			return nil, nil, usageErrorf("tls-ca", "%s: %v", o.tlsCA, reason(err))
		}
		pool = x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, nil, usageErrorf("tls-ca", "%s has no certificate in it, expected PEM", o.tlsCA)
		}
	}
	if (o.tlsCert == "") != (o.tlsKey == "") {
		return nil, nil, usageErrorf("tls-cert", "expected together with --tls-key")
	}
	if o.tlsCert != "" {
		cert, err := tls.LoadX509KeyPair(o.tlsCert, o.tlsKey)
		if err != nil {
			return nil, nil, usageErrorf("tls-cert", "%v", err)
		}
		certs = []tls.Certificate{cert}
	}
	return pool, certs, nil
}

// clientTLS is how a server is spoken to; nil = as its URL says.
func (o *accessOptions) clientTLS() (*tls.Config, error) {
	pool, certs, err := o.files()
	if err != nil || pool == nil && certs == nil {
		return nil, err
	}
	return &tls.Config{RootCAs: pool, Certificates: certs, MinVersion: tls.VersionTLS12}, nil
}

// serverTLS is how an embedded server speaks; nil = in the clear. With --tls-ca it lets in only whom that vouches for.
func (o *accessOptions) serverTLS() (*tls.Config, error) {
	pool, certs, err := o.files()
	switch {
	case err != nil:
		return nil, err
	case certs == nil && pool != nil:
		return nil, usageErrorf("tls-ca", "expected together with --tls-cert, the certificate of the server")
	case certs == nil:
		return nil, nil
	}
	cfg := &tls.Config{Certificates: certs, MinVersion: tls.VersionTLS12}
	if pool != nil {
		cfg.ClientCAs, cfg.ClientAuth = pool, tls.RequireAndVerifyClientCert
	}
	return cfg, nil
}

// The pause between two tries to reach a server that is not there yet, which is often started at the same time; it doubles.
const (
	dialAgain = 20 * time.Millisecond
	dialMost  = 250 * time.Millisecond
)

// dial connects to a server, which may have a while to come up.
func (o *accessOptions) dial(ctx context.Context, env Env, server, name string, wait time.Duration, m *messages) (*cluster.Conn, error) {
	token, nkey, err := o.secrets(env)
	if err != nil {
		return nil, err
	}
	if nkey, err = cluster.Seed(nkey); err != nil {
		return nil, usageErrorf("nkey-file", "%v", err)
	}
	config, err := o.clientTLS()
	if err != nil {
		return nil, err
	}
	access := cluster.Access{URL: server, Name: name, Token: token, Seed: nkey, TLS: config, Log: m.warn}
	again := dialAgain
	for until, first := time.Now().Add(wait), true; ; first, again = false, min(2*again, dialMost) {
		conn, err := cluster.Dial(ctx, access)
		if err == nil {
			return conn, nil
		}
		final := errors.Is(err, cluster.ErrRefused) || errors.Is(err, cluster.ErrUntrusted)
		if final || ctx.Err() != nil || time.Until(until) < again {
			return nil, fmt.Errorf("%s: %w", withoutUser(server), err)
		}
		if first {
			m.info("%s: %v; trying again for %s", withoutUser(server), err, wait)
		}
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
}

// inTheClear says that what goes to a server can be read on the way.
func inTheClear(servers string, config *tls.Config) bool {
	if config != nil {
		return false
	}
	for server := range strings.SplitSeq(servers, ",") {
		u, err := url.Parse(strings.TrimSpace(server))
		if err != nil || u.Host == "" { // host:port alone
			u = &url.URL{Host: strings.TrimSpace(server)}
		}
		if u.Scheme != "tls" && u.Scheme != "wss" && !isLoopback(u.Hostname()) {
			return true
		}
	}
	return false
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.Unmap().IsLoopback()
}
