package lab

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// peer shakes hands without verification and returns what the host showed.
func peer(t *testing.T, h Host) *x509.Certificate {
	t.Helper()
	c, err := tls.Dial("tcp", h.Addr, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return c.ConnectionState().PeerCertificates[0]
}

func TestCertificates(t *testing.T) {
	for kind, check := range map[Kind]func(error) bool{
		TLS: func(err error) bool { return err == nil },
		ExpiredTLS: func(err error) bool {
			invalid, ok := errors.AsType[x509.CertificateInvalidError](err)
			return ok && invalid.Reason == x509.Expired
		},
		WrongNameTLS: func(err error) bool {
			_, ok := errors.AsType[x509.HostnameError](err)
			return ok
		},
		BadTLS: func(err error) bool { return err != nil },
	} {
		t.Run(string(kind), func(t *testing.T) {
			h := one(t, Spec{Kind: kind})
			cert := peer(t, h)
			ip, _, _ := strings.Cut(h.Addr, ":")

			client := newClient(t)
			conf := &tls.Config{ServerName: ip, RootCAs: x509.NewCertPool()}
			client.Transport.(*http.Transport).TLSClientConfig = conf
			if resp, err := client.Get(h.URL()); err == nil {
				resp.Body.Close()
				t.Error("a client that does not know the certificate took it")
			} else if _, ok := errors.AsType[x509.UnknownAuthorityError](err); kind == TLS && !ok {
				t.Errorf("unknown certificate: %v", err)
			}
			conf.RootCAs.AddCert(cert)
			client = newClient(t)
			client.Transport.(*http.Transport).TLSClientConfig = conf
			resp, err := client.Get(h.URL())
			if err == nil {
				resp.Body.Close()
			}
			if !check(err) {
				t.Errorf("a client that trusts the certificate got %v", err)
			}
			await(t, func() bool { return h.Stats().Broken > 0 }) // the alert of the client that knew nothing
			if n := h.Requests(); kind == TLS && n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

func TestEveryTLSHostHasACertificateOfItsOwn(t *testing.T) {
	l := startLab(t, Config{Counts: map[Kind]int{TLS: 3}})
	for _, h := range l.Hosts() {
		ip, _, _ := strings.Cut(h.Addr, ":")
		if name := peer(t, h).Subject.CommonName; name != ip {
			t.Errorf("%s shows the certificate of %s", h.Addr, name)
		}
	}
}

func TestClientCertificateIsDemanded(t *testing.T) {
	l := startLab(t, Config{Hosts: []Spec{{Kind: TLS, ClientCert: true}, {Kind: TLS}}})
	h, other := l.Hosts()[0], l.Hosts()[1]
	client := newClient(t)
	client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	if resp, err := client.Get(h.URL()); err == nil {
		resp.Body.Close()
		t.Error("a client without a certificate was served")
	}
	client = newClient(t)
	client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{
		InsecureSkipVerify: true,
		Certificates:       other.server.tls.Certificates, // any will do
	}
	if status, _, _ := get(t, client, h, "/"); status != 200 {
		t.Errorf("status %d, want 200", status)
	}
}

func TestWrongProtocolOnEitherSide(t *testing.T) {
	l := startLab(t, Config{Counts: map[Kind]int{Healthy: 1, TLS: 1}})
	got, err := ask(l.Of(TLS)[0].Addr, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 400 ") {
		t.Errorf("plain HTTP to a TLS port: %q, %v; want a 400", got, err)
	}
	c, err := tls.Dial("tcp", l.Of(Healthy)[0].Addr, &tls.Config{InsecureSkipVerify: true})
	if err == nil {
		_ = c.Close()
	}
	if plain, ok := errors.AsType[tls.RecordHeaderError](err); !ok || string(plain.RecordHeader[:4]) != "HTTP" {
		t.Errorf("TLS to a plain port: %v, want HTTP in place of a TLS record", err)
	}
	for _, s := range l.Stats() {
		if s.Broken != 1 || s.Requests != 0 {
			t.Errorf("%s: %d broken, %d requests; want 1, 0", s.Kind, s.Broken, s.Requests)
		}
	}
}

func TestTLSConnectionEndsProperly(t *testing.T) {
	h := one(t, Spec{Kind: TLS})
	c, err := tls.Dial("tcp", h.Addr, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(c) // without a close_notify this is an unexpected end
	if err != nil || !strings.HasSuffix(string(got), "</html>\n") {
		t.Errorf("got %q, %v", got, err)
	}
}
