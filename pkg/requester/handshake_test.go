package requester_test

import (
	"crypto/tls"
	"testing"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/hosterrors"
	"github.com/redialscan/redial/pkg/requester"
)

// A handshake for itself sends no request, is admitted and booked as every send, and takes any certificate.
func TestHandshakeAlone(t *testing.T) {
	hosts := startLab(t, lab.Spec{Kind: lab.ExpiredTLS}, lab.Spec{Kind: lab.Refusing}, lab.Spec{Kind: lab.Healthy})
	b := newBreaker(t, 1)
	c := newClient(t, requester.Config{Breaker: b, Verify: true})
	shake := func(addr string, h requester.Handshake) (*requester.Response, error) {
		req := toTLS(addr, "")
		req.Handshake = &h
		return do(t, c, req)
	}
	for range 2 { // no session is resumed: that would show no certificate
		resp, err := shake(hosts[0].Addr, requester.Handshake{MaxVersion: tls.VersionTLS12, ServerName: "made.up"})
		if err != nil {
			t.Fatal(err)
		}
		if s := resp.Session; s == nil || s.Version != tls.VersionTLS12 || s.ServerName != "made.up" || len(s.PeerCertificates) != 1 || s.DidResume || resp.Status != 0 {
			t.Errorf("got %+v of %+v", s, resp)
		}
	}
	if n := hosts[0].Requests(); n != 0 || c.Sent() != 2 {
		t.Errorf("%d requests arrived, %d were sent; want handshakes alone", n, c.Sent())
	}
	_, err := shake(hosts[1].Addr, requester.Handshake{})
	wantErr[*hosterrors.ConnError](t, err)
	if !b.Quarantined(hosts[1].Addr) {
		t.Error("a host that refuses a handshake is not quarantined")
	}
	_, err = shake(hosts[2].Addr, requester.Handshake{})
	wantErr[*hosterrors.ProtocolError](t, err)
	if b.State(hosts[2].Addr) != hosterrors.StateClosed {
		t.Error("a host that speaks no TLS is taken for dead")
	}
}
