//go:build unix

package requester_test

import (
	"net/netip"
	"testing"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/requester"
)

// The file of hosts comes before the servers: every unix has this name in it.
func TestFileOfHostsIsObeyed(t *testing.T) {
	host := startLab(t, lab.Spec{Kind: lab.Healthy})[0]
	at := netip.MustParseAddrPort(host.Addr)
	n := startNameserver(t, map[string]any{"localhost.": "192.0.2.1"})
	for _, version := range []int{0, 4} {
		c := newClient(t, requester.Config{Resolvers: []string{n.addr}, IPVersion: version})
		_, _ = do(t, c, &requester.Request{Scheme: "http", Host: "localhost", Port: at.Port()}) // refuses: it is another address
	}
	if got := n.count("localhost."); got != 0 {
		t.Errorf("the server was asked %d times, want the file's answer", got)
	}
}
