package lab

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"
)

// minter makes the certificates of a lab. All share one key, which saves most of the time.
type minter struct {
	key *ecdsa.PrivateKey
}

// config returns the TLS settings of a host with a certificate of its own.
func (m *minter) config(s Spec, addr string) (*tls.Config, error) {
	if m.key == nil {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, fmt.Errorf("lab: key: %w", err)
		}
		m.key = key
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("lab: serial number: %w", err)
	}
	host, _, _ := net.SplitHostPort(addr) // an address that a listener gave
	now := time.Now()
	cert := &x509.Certificate{
		SerialNumber:          serial.Add(serial, big.NewInt(1)),
		Subject:               pkix.Name{CommonName: host, Organization: []string{"redial lab"}},
		NotBefore:             now.Add(-48 * time.Hour),
		NotAfter:              now.Add(365 * 24 * time.Hour),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true, // self-signed: it must be able to vouch for itself
		IPAddresses:           []net.IP{net.ParseIP(host)},
	}
	if s.Kind == ExpiredTLS || s.Kind == BadTLS {
		cert.NotAfter = now.Add(-24 * time.Hour)
	}
	if s.Kind == WrongNameTLS || s.Kind == BadTLS {
		cert.Subject.CommonName = "elsewhere.example"
		cert.IPAddresses, cert.DNSNames = nil, []string{"elsewhere.example"}
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, &m.key.PublicKey, m.key)
	if err != nil {
		return nil, fmt.Errorf("lab: certificate of %s: %w", addr, err)
	}
	conf := &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: m.key}},
		NextProtos:   []string{"http/1.1"},
	}
	if s.ClientCert {
		conf.ClientAuth = tls.RequireAnyClientCert
	}
	return conf, nil
}

// handshake puts TLS over the connection where the host has it, and says
// whether requests can follow. A client that speaks plain HTTP to it is told so.
func (c *conn) handshake() bool {
	if c.host.tls == nil {
		return true
	}
	over := tls.Server(c.tcp, c.host.tls)
	err := over.Handshake()
	if err == nil {
		c.rw = over
		return true
	}
	if plain, ok := errors.AsType[tls.RecordHeaderError](err); ok && plain.Conn != nil {
		c.spoiled(errMalformed)
	} else {
		c.spoiled(errCut)
	}
	return false
}
