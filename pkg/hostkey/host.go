package hostkey

import (
	"fmt"
	"net/netip"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const (
	maxName  = 253 // RFC 1035, 2.3.4, in the textual form without the last dot
	maxLabel = 63
)

const wantHost = "a name such as example.com, an IPv4 or an IPv6 address"

// lookup maps names as UTS 46 asks of a program that looks them up. Hyphens and
// characters are left to checkName, because real names have underscores and
// hyphens where the standard has none.
var lookup = idna.New(
	idna.MapForLookup(),
	idna.BidiRule(),
	idna.Transitional(false),
	idna.StrictDomainName(false),
	idna.CheckHyphens(false),
	idna.VerifyDNSLength(false),
)

// Host gives the canonical form of a host name or address: lower case, IDNA in
// ASCII, no trailing dot, an IPv6 address in its shortest form (RFC 5952)
// without brackets and with its zone. An IPv4 address mapped into IPv6 is the
// IPv4 address, since that is where the packets go. Brackets around an IPv6
// address are accepted. The canonical form maps to itself.
//
// A name whose last label is a number must be an IPv4 address of four decimal
// numbers: 10.0.0.256 or 127.1 would otherwise be sent to a resolver as a name.
func Host(raw string) (string, error) {
	host := raw
	if n := len(raw); n >= 2 && raw[0] == '[' && raw[n-1] == ']' {
		host = raw[1 : n-1]
		if strings.IndexByte(host, ':') < 0 {
			return "", refuse(raw, "brackets without an IPv6 address", wantHost)
		}
	}
	if strings.IndexByte(host, ':') >= 0 {
		return ipv6(raw, host)
	}
	if n := len(host); n > 0 && isDigit(host[0]) && isDigit(host[n-1]) {
		// Most lists are addresses: look for one before all else.
		if addr, err := netip.ParseAddr(host); err == nil && addr.Is4() {
			return host, nil
		}
	}
	var seen byte
	for i := range len(host) {
		seen |= host[i]
	}
	if seen >= utf8.RuneSelf {
		if !utf8.ValidString(host) {
			return "", refuse(raw, "bytes that are not UTF-8", wantHost)
		}
		mapped, err := lookup.ToASCII(host)
		if err != nil {
			return "", fmt.Errorf("host %.80q: no valid international name, expected %s: %w", raw, wantHost, err)
		}
		host = mapped
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if problem := checkName(host); problem != "" {
		return "", refuse(raw, problem, wantHost)
	}
	if endsInNumber(host) {
		if addr, err := netip.ParseAddr(host); err != nil || !addr.Is4() {
			return "", refuse(raw, "the last part is a number", "an IPv4 address of four numbers from 0 to 255, without leading zeros")
		}
	}
	return host, nil
}

func refuse(raw, problem, want string) error {
	return fmt.Errorf("host %.80q: %s, expected %s", raw, problem, want)
}

func ipv6(raw, host string) (string, error) {
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return "", fmt.Errorf("host %.80q: no IPv6 address, expected %s", raw, wantHost)
	}
	for _, c := range []byte(addr.Zone()) {
		// What RFC 6874 lets stand in a URL unescaped; interface names need no more.
		if !isNameByte(c) && !('A' <= c && c <= 'Z') && c != '.' && c != '~' {
			return "", refuse(raw, fmt.Sprintf("character %q in the zone", c), "the name or number of a network interface")
		}
	}
	var buf [64]byte
	text := addr.Unmap().AppendTo(buf[:0])
	if string(text) == host {
		return host, nil
	}
	return string(text), nil
}

// checkName says what is wrong with a lower-case name, "" when nothing is.
func checkName(host string) string {
	switch {
	case host == "":
		return "nothing there"
	case len(host) > maxName:
		return fmt.Sprintf("%d bytes, a name has at most %d", len(host), maxName)
	}
	label := 0
	for i := range len(host) {
		c := host[i]
		switch {
		case isNameByte(c):
			label++
			if label > maxLabel {
				return fmt.Sprintf("a part longer than %d bytes", maxLabel)
			}
		case c != '.':
			return fmt.Sprintf("character %q", rune(c))
		case label == 0:
			return "a dot too many"
		default:
			label = 0
		}
	}
	if label == 0 {
		return "a dot too many"
	}
	return ""
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || isDigit(c) || c == '-' || c == '_'
}

func isDigit(c byte) bool {
	return '0' <= c && c <= '9'
}

// endsInNumber reports whether the last label is a decimal or 0x number, the
// test by which the WHATWG URL standard tells an address from a name.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	digits, hex := last, false
	if strings.HasPrefix(last, "0x") {
		digits, hex = last[2:], true
	}
	for i := range len(digits) {
		c := digits[i]
		if !isDigit(c) && !(hex && 'a' <= c && c <= 'f') {
			return false
		}
	}
	return true
}
