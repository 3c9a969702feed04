package scan

import (
	"net/netip"
	"testing"

	"github.com/redialscan/redial/pkg/target"
)

func TestPortText(t *testing.T) {
	for _, c := range []struct {
		target target.Target
		want   string
	}{
		{target.Target{Input: "http://a", Host: "a", Scheme: target.SchemeHTTP}, "80"},
		{target.Target{Input: "a", Host: "a", Scheme: target.SchemeHTTPS}, "443"},
		{target.Target{Input: "http://a:443", Host: "a", Port: 443, Scheme: target.SchemeHTTP}, "443"},
		{target.Target{Input: "http://a:8080/", Host: "a", Port: 8080, Scheme: target.SchemeHTTP}, "8080"},
		{target.Target{Input: "10.0.0.0/24", Host: "10.0.0.1", Port: 65535, Scheme: target.SchemeHTTP}, "65535"},
		{target.Target{Input: "[::1]:1", Host: "::1", Port: 1, Scheme: target.SchemeHTTP}, "1"},
		{target.Target{Input: "A:8080", Host: "a", Port: 8080, Scheme: target.SchemeHTTP}, "8080"},
	} {
		if got := portText(c.target); got != c.want {
			t.Errorf("%s: got %q, want %q", c.target.Input, got, c.want)
		}
	}
}

func TestAddressText(t *testing.T) {
	for _, c := range []struct{ host, ip, want string }{
		{"127.0.0.1", "127.0.0.1", "127.0.0.1"},
		{"localhost", "127.0.0.1", "127.0.0.1"},
		{"::1", "::1", "::1"},
		{"fe80::1%eth0", "fe80::1%eth0", "fe80::1%eth0"},
		{"127.0.0.1", "127.0.0.2", "127.0.0.2"},
	} {
		if got := addressText(c.host, netip.MustParseAddr(c.ip)); got != c.want {
			t.Errorf("%s at %s: got %q, want %q", c.host, c.ip, got, c.want)
		}
	}
	if got := addressText("a", netip.Addr{}); got != "" {
		t.Errorf("got %q for an unknown address, want nothing", got)
	}
}
