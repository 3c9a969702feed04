package requester_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

func TestCertificatesMatterOnlyWhenAsked(t *testing.T) {
	for _, kind := range []lab.Kind{lab.TLS, lab.ExpiredTLS, lab.WrongNameTLS, lab.BadTLS} {
		host := startLab(t, lab.Spec{Kind: kind})[0]
		addr := netip.MustParseAddrPort(host.Addr)
		resp, err := do(t, newClient(t, requester.Config{}), toTLS(host.Addr, "/"))
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		subject := addr.Addr().String()
		if kind == lab.WrongNameTLS || kind == lab.BadTLS {
			subject = "elsewhere.example"
		}
		if info := resp.TLS; info == nil || info.Subject != subject || info.Issuer != subject || len(info.Names) != 1 || info.Names[0] != subject {
			t.Errorf("%s: got %+v, want the certificate of %s", kind, info, subject)
		}
		if resp.IP != addr.Addr() {
			t.Errorf("%s: got address %v, want %v", kind, resp.IP, addr.Addr())
		}
		_, err = do(t, newClient(t, requester.Config{Verify: true}), toTLS(host.Addr, "/"))
		wantErr[*hosterrors.ProtocolError](t, err)
		if v := hosterrors.Judge(err); v.Blame != hosterrors.BlameAlive || v.Repeat {
			t.Errorf("%s: %v is judged %+v, want alive and final", kind, err, v)
		}
	}
}

func TestClientCertificate(t *testing.T) {
	host := startLab(t, lab.Spec{Kind: lab.TLS, ClientCert: true})[0]
	if _, err := do(t, newClient(t, requester.Config{NoHTTP2: true}), toTLS(host.Addr, "/")); err == nil {
		t.Error("got an answer without a certificate")
	} else if v := hosterrors.Judge(err); v.Blame != hosterrors.BlameAlive {
		t.Errorf("%v is judged %+v, want alive", err, v)
	}
	pair := clientPair(t)
	resp, err := do(t, newClient(t, requester.Config{Certs: []tls.Certificate{pair}}), toTLS(host.Addr, "/"))
	if err != nil || resp.Status != 200 {
		t.Errorf("got %v, %v with a certificate", resp, err)
	}
}

func TestServerNames(t *testing.T) {
	for _, test := range []struct {
		host, sni, want string
	}{
		{"host.test", "", "host.test"}, {"127.0.0.1", "", ""}, {"host.test", "other.test", "other.test"}, {"127.0.0.1", "other.test", "other.test"},
	} {
		var got string
		server := &tls.Config{GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			got = hello.ServerName
			return nil, io.EOF
		}}
		synctest.Test(t, func(t *testing.T) {
			c, _ := piped(t, requester.Config{SNI: test.sni}, func(_ int, c net.Conn) { _ = tls.Server(c, server).Handshake() })
			req := get("/")
			req.Scheme, req.Host = "https", test.host
			_, err := c.Do(t.Context(), req, nil)
			wantErr[*hosterrors.ProtocolError](t, err)
		})
		if got != test.want {
			t.Errorf("%s with SNI %q: got %q, want %q", test.host, test.sni, got, test.want)
		}
	}
}

// A server name of a request's own goes with a connection of its own, over HTTP/1.1.
func TestServerNameOfARequest(t *testing.T) {
	addr, _ := tlsServer(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.TLS.ServerName, " ", r.Proto, " ", r.RemoteAddr)
	})
	c := newClient(t, requester.Config{NoHTTP2: true})
	var peers []string
	for _, name := range []string{"", "made.up", "made.up", ""} {
		req := toTLS(addr, "/")
		req.ServerName, req.WantBody = name, true
		resp, err := do(t, c, req)
		if err != nil {
			t.Fatal(err)
		}
		peer, ok := strings.CutPrefix(string(resp.Body), name+" HTTP/1.1 ")
		if !ok {
			t.Errorf("got %q, want the name %q", resp.Body, name)
		}
		peers = append(peers, peer)
	}
	if peers[0] != peers[3] || peers[1] == peers[0] || peers[1] == peers[2] || peers[2] == peers[0] {
		t.Errorf("connections %q, want the first one again at the end, and two of their own", peers)
	}
}

// A target without a scheme is tried with https first, and with http only if that is a protocol error.
func TestPlainHTTPOnATLSPortIsAProtocolError(t *testing.T) {
	hosts := startLab(t, lab.Spec{Kind: lab.Healthy}, lab.Spec{Kind: lab.ResetOnAccept}, lab.Spec{Kind: lab.Mute})
	c := newClient(t, requester.Config{})
	_, err := do(t, c, toTLS(hosts[0].Addr, "/"))
	wantErr[*hosterrors.ProtocolError](t, err)
	if v := hosterrors.Judge(err); v.Blame != hosterrors.BlameAlive {
		t.Errorf("%v is judged %+v, want alive", err, v)
	}
	_, err = do(t, c, toTLS(hosts[1].Addr, "/"))
	wantErr[*hosterrors.ConnError](t, err)
	if v := hosterrors.Judge(err); v.Blame != hosterrors.BlameHost {
		t.Errorf("%v is judged %+v, want a host error", err, v)
	}
}

func TestSchemesDoNotShareConnections(t *testing.T) {
	addr, _ := tlsServer(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.TLS != nil) })
	c := newClient(t, requester.Config{NoHTTP2: true})
	for range 2 {
		if resp, err := do(t, c, toTLS(addr, "/")); err != nil || resp.Status != 200 {
			t.Fatalf("over TLS: %v, %v", resp, err)
		}
		// The server answers plain HTTP on its TLS port with 400.
		if resp, err := do(t, c, to(addr, "/")); err != nil || resp.Status != 400 || resp.TLS != nil {
			t.Fatalf("without TLS: %+v, %v; want 400", resp, err)
		}
	}
}
