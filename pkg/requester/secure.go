package requester

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"

	"github.com/redialscan/redial/pkg/hosterrors"
)

// sessions bounds the cache of TLS sessions.
const sessions = 4096

// baseTLS is what all handshakes have in common. A scanner meets hosts that nobody has cared for in ten years, so unless
// certificates are verified, everything is offered that the library can speak.
func baseTLS(cfg *Config) *tls.Config {
	base := &tls.Config{
		InsecureSkipVerify: !cfg.Verify, //nolint:gosec // see Config.Verify
		Certificates:       cfg.Certs,
		ServerName:         cfg.SNI,
		ClientSessionCache: tls.NewLRUClientSessionCache(sessions),
		Renegotiation:      tls.RenegotiateOnceAsClient,
		MinVersion:         tls.VersionTLS10,
	}
	if !cfg.Verify {
		for _, suite := range append(tls.CipherSuites(), tls.InsecureCipherSuites()...) {
			base.CipherSuites = append(base.CipherSuites, suite.ID)
		}
	}
	return base
}

// tap tells whether the peer has sent anything, and whether it has ended the connection. Its reads happen one at a time;
// cut may be asked at any time.
type tap struct {
	net.Conn
	heard bool
	ended atomic.Pointer[error]
}

func (t *tap) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	t.heard = t.heard || n > 0
	if err != nil && isCutOff(err) && !errors.Is(err, net.ErrClosed) {
		t.ended.CompareAndSwap(nil, &err)
	}
	return n, err
}

// cut is the error with which the peer ended the connection, nil while it has not.
func (t *tap) cut() error {
	if err := t.ended.Load(); err != nil {
		return *err
	}
	return nil
}

// handshake puts TLS on a connection that has just been made. When HTTP/2 was agreed on, the connection is handed over to it.
func (s *sending) handshake(c *conn) (*h2conn, error) {
	t := trouble{phase: hosterrors.PhaseTLS, fresh: true, after: s.timeout()}
	if err := c.begin(s.ctx, s.deadline); err != nil {
		return nil, t.explain(s.ctx, err)
	}
	heard := &tap{Conn: c.wire}
	session := tls.Client(heard, s.tlsConfig())
	if err := session.Handshake(); err != nil {
		t.answered = heard.heard
		return nil, t.explain(s.ctx, err)
	}
	state := session.ConnectionState()
	if s.req.Handshake != nil {
		s.session = &state
	}
	c.secure, c.tls = true, describe(&state)
	c.mu.Lock()
	c.Conn = session
	c.mu.Unlock()
	if state.NegotiatedProtocol != alpnH2 {
		return nil, nil
	}
	return s.upgrade(c, heard)
}

// tlsConfig is the configuration for the host of the request.
func (s *sending) tlsConfig() *tls.Config {
	base := s.client.tlsH1
	if s.req.Handshake != nil {
		base = s.req.Handshake.apply(base)
	} else if s.speaksH2() {
		base = s.client.tlsH2
	}
	if name := s.req.ServerName; name != "" {
		base = base.Clone()
		base.ServerName, base.ClientSessionCache = name, nil
	}
	if base.ServerName != "" {
		return base
	}
	host := s.req.Host
	if _, err := netip.ParseAddr(host); err == nil && base.InsecureSkipVerify {
		return base // an address is no server name, and nothing is verified against it
	}
	own := base.Clone()
	own.ServerName = host
	return own
}

func describe(state *tls.ConnectionState) *TLSInfo {
	info := &TLSInfo{
		Version: tls.VersionName(state.Version),
		Cipher:  tls.CipherSuiteName(state.CipherSuite),
	}
	if len(state.PeerCertificates) == 0 {
		return info
	}
	leaf := state.PeerCertificates[0]
	info.Subject, info.Issuer = leaf.Subject.CommonName, leaf.Issuer.CommonName
	info.NotBefore, info.NotAfter = leaf.NotBefore, leaf.NotAfter
	info.Names = names(leaf)
	return info
}

func names(leaf *x509.Certificate) []string {
	all := make([]string, 0, len(leaf.DNSNames)+len(leaf.IPAddresses))
	all = append(all, leaf.DNSNames...)
	for _, ip := range leaf.IPAddresses {
		all = append(all, fmt.Sprint(ip))
	}
	return all
}
