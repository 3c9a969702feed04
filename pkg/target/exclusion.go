package target

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/redialscan/redial/pkg/hostkey"
)

// Exclusion is a set of hosts that must not be sent to. A nil or zero Exclusion
// excludes nothing. It does not change once built and is safe for concurrent
// use.
//
// It compares what is written: a name that is excluded is not resolved, and an
// excluded network does not cover the names that resolve into it. Where an
// address is dialed, MatchAddr closes that gap.
type Exclusion struct {
	anyPort hostSet
	onPort  map[uint16]*hostSet
}

// hostSet is a set of canonical hosts.
type hostSet struct {
	names map[string]struct{} // names, and addresses with a zone
	under map[string]struct{} // x for *.x
	spans []span              // ascending, apart from each other
}

// Match reports whether host is excluded on every port. It takes any spelling;
// text that is no host is in no set.
func (x *Exclusion) Match(host string) bool {
	host, err := hostkey.Host(host)
	return err == nil && x != nil && x.anyPort.has(host)
}

// MatchPort reports whether host is excluded on that port.
func (x *Exclusion) MatchPort(host string, port uint16) bool {
	host, err := hostkey.Host(host)
	return err == nil && x.matchPort(host, port)
}

// MatchAddr reports whether an address is excluded on that port, for the place
// where a name has been resolved.
func (x *Exclusion) MatchAddr(addr netip.AddrPort) bool {
	return x.matchPort(addr.Addr().Unmap().String(), addr.Port())
}

func (x *Exclusion) matchPort(host string, port uint16) bool {
	if x == nil {
		return false
	}
	if x.anyPort.has(host) {
		return true
	}
	set := x.onPort[port]
	return set != nil && set.has(host)
}

// leave reports whether anything is left of a target. Where neither scheme nor
// port is known, one candidate may be: the target becomes that one.
func (x *Exclusion) leave(t *Target) bool {
	if x == nil {
		return true
	}
	if port := t.effectivePort(); port != 0 {
		return !x.matchPort(t.Host, port)
	}
	if len(x.onPort) == 0 {
		return !x.anyPort.has(t.Host)
	}
	left := slices.DeleteFunc(t.Candidates(), func(c Target) bool {
		return x.matchPort(c.Host, c.Port)
	})
	if len(left) == 1 {
		*t = left[0]
	}
	return len(left) > 0
}

// excludedUpTo gives the last address of the excluded span that has addr.
func (x *Exclusion) excludedUpTo(addr netip.Addr) (netip.Addr, bool) {
	if x == nil {
		return netip.Addr{}, false
	}
	return x.anyPort.spanOf(addr)
}

func (s *hostSet) has(host string) bool {
	if _, ok := s.names[host]; ok {
		return true
	}
	// A canonical name never ends in a number, except as an IPv4 address.
	if strings.IndexByte(host, ':') >= 0 || host != "" && isDigit(host[len(host)-1]) {
		if addr, err := netip.ParseAddr(host); err == nil {
			_, ok := s.spanOf(addr.WithZone(""))
			return ok
		}
	}
	if len(s.under) == 0 {
		return false
	}
	for {
		_, parent, ok := strings.Cut(host, ".")
		if !ok {
			return false
		}
		if _, ok := s.under[parent]; ok {
			return true
		}
		host = parent
	}
}

func (s *hostSet) spanOf(addr netip.Addr) (last netip.Addr, ok bool) {
	i, _ := slices.BinarySearchFunc(s.spans, addr, func(s span, addr netip.Addr) int {
		return s.last.Compare(addr)
	})
	if i == len(s.spans) || s.spans[i].first.Compare(addr) > 0 {
		return netip.Addr{}, false
	}
	return s.spans[i].last, true
}

// settle sorts the spans and makes one of those that touch.
func (s *hostSet) settle() {
	slices.SortFunc(s.spans, func(a, b span) int { return a.first.Compare(b.first) })
	var out []span
	for _, next := range s.spans {
		if n := len(out); n > 0 && (next.first.Compare(out[n-1].last) <= 0 || out[n-1].last.Next() == next.first) {
			if next.last.Compare(out[n-1].last) > 0 {
				out[n-1].last = next.last
			}
			continue
		}
		out = append(out, next)
	}
	s.spans = out
}
