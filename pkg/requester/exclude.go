package requester

import (
	"fmt"
	"net/netip"

	"github.com/redialscan/redial/pkg/hosterrors"
)

// refusal is Config.Refuse, or nil where everything may be sent to.
type refusal func(host string, port uint16) bool

// welcome is the check of a host that has no gate yet: what is refused never gets one.
func (c *Client) welcome(req *Request) error {
	if err := req.checkHost(); err != nil {
		return err
	}
	if c.cfg.Refuse != nil && c.cfg.Refuse(req.Host, req.Port) {
		return excluded(string(appendKey(nil, req.Host, req.Port)))
	}
	return nil
}

// address is asked before an address is dialed. The system takes a connect to the unspecified address for one to itself.
func (r refusal) address(to netip.AddrPort) bool {
	if r == nil {
		return false
	}
	addr := to.Addr().Unmap()
	switch addr {
	case netip.IPv4Unspecified():
		return r(addr.String(), to.Port()) || r("127.0.0.1", to.Port())
	case netip.IPv6Unspecified():
		return r(addr.String(), to.Port()) || r("::1", to.Port()) || r("127.0.0.1", to.Port())
	}
	return r(addr.String(), to.Port())
}

func excluded(what string) error { return fmt.Errorf("%s: %w", what, hosterrors.ErrExcluded) }
