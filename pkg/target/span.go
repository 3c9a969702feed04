package target

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"net/netip"
	"strconv"
	"strings"
)

// maxSpanBits bounds what is scanned of a CIDR or a range to 2^32 addresses,
// all of IPv4 or an IPv6 /96. A larger one is a slip: at a million a second, a
// /64 takes half a million years. What is excluded may have any size.
const maxSpanBits = 32

// span is the addresses from first to last, both included. The zero value is
// the empty span.
type span struct {
	first, last netip.Addr
}

func (s span) empty() bool {
	return !s.first.IsValid()
}

// checkSize refuses a span that is too large to scan.
func (s span) checkSize() error {
	if s.empty() {
		return nil
	}
	if hi, lo := s.distance(); hi != 0 || lo>>maxSpanBits != 0 {
		return fmt.Errorf("more than 2^%d addresses from %s to %s, expected at most as many, which is an IPv6 /%d", maxSpanBits, s.first, s.last, 128-maxSpanBits)
	}
	return nil
}

// count gives the number of addresses of a span that is not empty and that
// checkSize let pass.
func (s span) count() uint64 {
	_, lo := s.distance()
	return lo + 1
}

// after gives what is left of the span behind addr.
func (s span) after(addr netip.Addr) span {
	if addr.Compare(s.last) >= 0 {
		return span{}
	}
	return span{first: addr.Next(), last: s.last}
}

// distance is last - first as a 128-bit number.
func (s span) distance() (hi, lo uint64) {
	a, b := s.first.As16(), s.last.As16()
	lo, borrow := bits.Sub64(binary.BigEndian.Uint64(b[8:]), binary.BigEndian.Uint64(a[8:]), 0)
	hi, _ = bits.Sub64(binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(a[:8]), borrow)
	return hi, lo
}

// prefixSpan gives all addresses of a prefix, with those that a network calls
// its own and its broadcast address.
func prefixSpan(p netip.Prefix) span {
	first := p.Masked().Addr()
	raw := first.As16()
	free := first.BitLen() - p.Bits()
	for i := len(raw) - 1; free > 0; i-- {
		n := min(free, 8)
		raw[i] |= byte(1<<n - 1)
		free -= n
	}
	last := netip.AddrFrom16(raw)
	if first.Is4() {
		last = last.Unmap()
	}
	return span{first: first, last: last}
}

// parseCIDR reads the number behind the slash. Host bits may be set: they are
// cleared.
func parseCIDR(addr netip.Addr, text string) (span, error) {
	if addr.Zone() != "" {
		return span{}, fmt.Errorf("CIDR with the zone %.80q, expected an address without a zone", addr.Zone())
	}
	size, err := strconv.Atoi(text)
	if err != nil || size > addr.BitLen() || len(text) > 1 && text[0] == '0' {
		return span{}, fmt.Errorf("prefix length %.80q, expected 0 to %d, or a scheme in front where this is a path", text, addr.BitLen())
	}
	if addr.Is4In6() && size >= 96 {
		addr, size = addr.Unmap(), size-96
	}
	return prefixSpan(netip.PrefixFrom(addr, size)), nil
}

// parseRange reads first-last, or first-N with the last number of an IPv4
// address. Names such as 10.0.0.1-static.example are no ranges.
func parseRange(text string) (s span, isRange bool, err error) {
	left, right, ok := strings.Cut(text, "-")
	if !ok || !mayBeAddress(left) {
		return span{}, false, nil
	}
	first, err := netip.ParseAddr(left)
	if err != nil || first.Zone() != "" && strings.IndexByte(right, ':') < 0 { // as in fe80::1%eth-0
		return span{}, false, nil
	}
	if first.Is4() && strings.Trim(right, "0123456789.") != "" {
		return span{}, false, nil
	}
	first = first.Unmap()
	const want = "such as 10.0.0.1-10.0.0.9, 10.0.0.1-9 or 2001:db8::1-2001:db8::9"
	last, err := rangeEnd(first, right)
	if err != nil {
		return span{}, false, fmt.Errorf("range %.80q: %w, expected a range %s", text, err, want)
	}
	if first.Compare(last) > 0 {
		return span{}, false, fmt.Errorf("range %.80q ends before it begins, expected a range %s", text, want)
	}
	return span{first: first, last: last}, true, nil
}

func rangeEnd(first netip.Addr, text string) (netip.Addr, error) {
	if first.Is4() && strings.IndexByte(text, '.') < 0 {
		n, err := strconv.ParseUint(text, 10, 8)
		if err != nil {
			return netip.Addr{}, fmt.Errorf("%.80q is not a number from 0 to 255", text)
		}
		raw := first.As4()
		raw[3] = byte(n)
		return netip.AddrFrom4(raw), nil
	}
	last, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}, fmt.Errorf("%.80q is not an address", text)
	}
	last = last.Unmap()
	switch {
	case first.Zone() != "" || last.Zone() != "":
		return netip.Addr{}, fmt.Errorf("an address with a zone")
	case first.Is4() != last.Is4():
		return netip.Addr{}, fmt.Errorf("one IPv4 and one IPv6 address")
	}
	return last, nil
}
