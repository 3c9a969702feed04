package cmd

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// makeCertificates writes ca.crt and other.crt, of two who vouch, and by the first one server.crt for loopback and worker.crt, with
// their keys: "certificates".
func makeCertificates(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: certificates")
	}
	write := func(name, kind string, der []byte) {
		ts.Check(os.WriteFile(ts.MkAbs(name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
	}
	sign := func(name string, c, by *x509.Certificate, key *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
		own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		ts.Check(err)
		if by == nil {
			by, key = c, own
		}
		c.SerialNumber, c.Subject = big.NewInt(time.Now().UnixNano()), pkix.Name{CommonName: name}
		c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		der, err := x509.CreateCertificate(rand.Reader, c, by, &own.PublicKey, key)
		ts.Check(err)
		made, err := x509.ParseCertificate(der)
		ts.Check(err)
		text, err := x509.MarshalPKCS8PrivateKey(own)
		ts.Check(err)
		write(name+".crt", "CERTIFICATE", der)
		write(name+".key", "PRIVATE KEY", text)
		return made, own
	}
	voucher := func() *x509.Certificate {
		return &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	}
	sign("other", voucher(), nil, nil)
	ca, key := sign("ca", voucher(), nil, nil)
	sign("server", &x509.Certificate{
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, ca, key)
	sign("worker", &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, ca, key)
}
