package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"testing"
	"time"
)

// authority is somebody who vouches.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, pool: x509.NewCertPool()}
	made := a.sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
		NotAfter: time.Now().Add(time.Hour),
	})
	a.cert, a.key = made.Leaf, made.PrivateKey.(*ecdsa.PrivateKey)
	a.pool.AddCert(a.cert)
	return a
}

// sign makes a certificate, the first one by itself.
func (a *authority) sign(c *x509.Certificate) tls.Certificate {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	parent, by := a.cert, a.key
	if parent == nil {
		parent, by = c, key
	}
	c.SerialNumber, c.NotBefore = big.NewInt(time.Now().UnixNano()), time.Now().Add(-2*time.Hour)
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, by)
	if err != nil {
		a.t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// of gives a certificate of a server at an address, or of a client, that is good until so long from now.
func (a *authority) of(address string, good time.Duration) tls.Certificate {
	c := &x509.Certificate{NotAfter: time.Now().Add(good), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	if address != "" {
		c.IPAddresses, c.ExtKeyUsage = []net.IP{net.ParseIP(address)}, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	}
	return a.sign(c)
}

func serverOf(cert tls.Certificate) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
}

func clientOf(trusts *authority, certs ...tls.Certificate) *tls.Config {
	return &tls.Config{RootCAs: trusts.pool, Certificates: certs, MinVersion: tls.VersionTLS12}
}

func TestAScanOverTLSWithCertificatesOfBothSides(t *testing.T) {
	const targets, items = 40, 2
	a := newAuthority(t)
	cfg := serverOf(a.of("127.0.0.1", time.Hour))
	cfg.ClientCAs, cfg.ClientAuth = a.pool, tls.RequireAndVerifyClientCert
	g := newGroup(t, listOf(targets, 10), items)
	g.server = startServer(t, EmbedConfig{TLS: cfg, Log: t.Logf})
	own, err := g.server.Dial(t.Context(), Access{Name: "coordinator"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(own.Close)
	g.cfg.Conn = own
	conn := dial(t, g.server, Access{Name: "w1", TLS: clientOf(a, a.of("", time.Hour))})
	g.join("w1", answering(items), func(c *WorkerConfig) { c.Conn = conn })
	if _, err := g.serve(within(t)); err != nil {
		t.Fatal(err)
	}
	g.book.wantOnce(t, targets, items)
	if state, err := conn.nc.TLSConnectionState(); err != nil || !state.HandshakeComplete || len(state.VerifiedChains) == 0 {
		t.Errorf("the worker's connection is of state %+v, %v, want one of TLS with a verified server", state, err)
	}
}

func TestWhoIsNotTrustedByTheServer(t *testing.T) {
	a, others := newAuthority(t), newAuthority(t)
	cfg := serverOf(a.of("127.0.0.1", time.Hour))
	cfg.ClientCAs, cfg.ClientAuth = a.pool, tls.RequireAndVerifyClientCert
	s := startServer(t, EmbedConfig{TLS: cfg})
	for name, client := range map[string]*tls.Config{
		"no certificate":        clientOf(a),
		"one of somebody else":  clientOf(a, others.of("", time.Hour)),
		"one that has expired":  clientOf(a, a.of("", -time.Hour)),
		"one of another server": clientOf(a, a.of("127.0.0.1", time.Hour)),
	} {
		if c, err := Dial(t.Context(), Access{URL: s.URL(), TLS: client}); err == nil {
			c.Close()
			t.Errorf("%s: it is let in", name)
		}
	}
	dial(t, s, Access{TLS: clientOf(a, a.of("", time.Hour))})
}

func TestWhoDoesNotTrustTheServer(t *testing.T) {
	a, others := newAuthority(t), newAuthority(t)
	good := a.of("127.0.0.1", time.Hour)
	for name, try := range map[string]struct {
		server *tls.Config
		client *tls.Config
	}{
		"vouched for by nobody":    {serverOf(good), nil},
		"vouched for by another":   {serverOf(good), clientOf(others)},
		"expired":                  {serverOf(a.of("127.0.0.1", -time.Hour)), clientOf(a)},
		"of another address":       {serverOf(a.of("192.0.2.1", time.Hour)), clientOf(a)},
		"a certificate of clients": {serverOf(a.of("", time.Hour)), clientOf(a)},
		"in the clear":             {nil, clientOf(a)},
	} {
		s := startServer(t, EmbedConfig{TLS: try.server, Token: "secret"})
		c, err := Dial(t.Context(), Access{URL: s.URL(), Token: "secret", TLS: try.client})
		if err == nil {
			c.Close()
		}
		if !errors.Is(err, ErrUntrusted) {
			t.Errorf("%s: got %v, want ErrUntrusted", name, err)
		}
	}
}

func TestTLSDoesNotStandForTheToken(t *testing.T) {
	a := newAuthority(t)
	s := startServer(t, EmbedConfig{TLS: serverOf(a.of("127.0.0.1", time.Hour)), Token: "secret"})
	if _, err := Dial(t.Context(), Access{URL: s.URL(), TLS: clientOf(a)}); !errors.Is(err, ErrRefused) {
		t.Errorf("got %v, want ErrRefused", err)
	}
	dial(t, s, Access{Token: "secret", TLS: clientOf(a)})
}
