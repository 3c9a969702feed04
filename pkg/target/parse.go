package target

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/redialscan/redial/pkg/hostkey"
)

// Parse reads one target: a URL, host, host:port, or address, without comments.
// Text that stands for several targets, a CIDR or a range, is an error here;
// only a Reader expands it.
func Parse(text string) (Target, error) {
	t, many, err := parse(strings.TrimSpace(text))
	if err != nil {
		return Target{}, err
	}
	if !many.empty() {
		return Target{}, fmt.Errorf("%.80q is more than one target, expected a single one", text)
	}
	return t, nil
}

// parse reads a trimmed text. A CIDR or a range gives a target without a host
// and its addresses.
func parse(text string) (Target, span, error) {
	if err := checkBytes(text); err != nil {
		return Target{}, span{}, err
	}
	t := Target{Input: text}
	rest, err := t.takeScheme(text)
	if err != nil {
		return Target{}, span{}, err
	}
	if i := strings.IndexByte(rest, '#'); i >= 0 {
		rest = rest[:i]
	}
	authority := rest
	for i := range len(rest) {
		if rest[i] == '/' || rest[i] == '?' {
			authority, t.Path = rest[:i], rest[i:]
			break
		}
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		t.User = decodeUser(authority[:i])
		t.Input = withoutUser(text)
		authority = authority[i+1:]
	}
	if addresses, isCIDR, err := t.takeCIDR(authority); isCIDR || err != nil {
		return t, addresses, err
	}
	host, err := t.takePort(authority)
	if err != nil {
		if t.User == "" && strings.IndexByte(text, '@') >= 0 {
			// What looks like a port may be half of a password: do not show it.
			err = errors.New("no port after the host, expected a number, or / ? # in a password percent-encoded")
		}
		return Target{}, span{}, err
	}
	if addresses, isRange, err := parseRange(host); isRange || err != nil {
		if err == nil && (t.Settled() || t.Path != "") {
			err = fmt.Errorf("range %.80q with a scheme or a path, expected the range alone or with a port", host)
		}
		return t, addresses, err
	}
	if t.Host, err = t.canonicalHost(host); err != nil {
		return Target{}, span{}, err
	}
	t.Path = encodePath(t.Path)
	return t, span{}, nil
}

// checkBytes refuses what can stand in no target. A space is refused rather
// than encoded: it most often parts two targets, and guessing would send
// requests that nobody wrote.
func checkBytes(text string) error {
	for i := range len(text) {
		c := text[i]
		if c > ' ' && c != 0x7f {
			continue
		}
		if c == ' ' || c == '\t' {
			return fmt.Errorf("a space inside a target, expected one target a line, with %%20 for a space in a path")
		}
		return fmt.Errorf("control character %q, expected one target a line, with %%%02X for this byte in a path", rune(c), c)
	}
	return nil
}

// takeScheme sets the scheme and gives the rest of the text.
func (t *Target) takeScheme(text string) (rest string, err error) {
	end := schemeEnd(text)
	if end == 0 {
		return text, nil
	}
	switch scheme := strings.TrimSuffix(text[:end], "://"); {
	case strings.EqualFold(scheme, "https"):
		t.Scheme = SchemeHTTPS
	case strings.EqualFold(scheme, "http"):
		t.Scheme = SchemeHTTP
	default:
		return "", fmt.Errorf("scheme %.80q, expected http or https", scheme)
	}
	return text[end:], nil
}

// schemeEnd is where the authority of a URL begins, 0 for a text without a
// scheme: a later "://" belongs to a path or a query.
func schemeEnd(text string) int {
	i := strings.Index(text, "://")
	if i < 0 || strings.ContainsAny(text[:i], "/?#@:") {
		return 0
	}
	return i + len("://")
}

// takeCIDR reads address/bits[:port] out of authority and path. A URL with a
// scheme is never a CIDR: http://10.0.0.1/24 has the path /24.
func (t *Target) takeCIDR(authority string) (span, bool, error) {
	if t.Settled() || len(t.Path) < 2 || t.Path[0] != '/' || !isDigit(t.Path[1]) || !mayBeAddress(authority) {
		return span{}, false, nil
	}
	bits, port, hasPort := strings.Cut(t.Path[1:], ":")
	for i := range len(bits) {
		if !isDigit(bits[i]) {
			return span{}, false, nil
		}
	}
	addr, err := netip.ParseAddr(authority)
	if err != nil {
		return span{}, false, nil
	}
	addresses, err := parseCIDR(addr, bits)
	if err != nil {
		return span{}, false, err
	}
	if hasPort {
		if t.Port, err = hostkey.Port(port); err != nil {
			return span{}, false, err
		}
	}
	t.Path = ""
	return addresses, true, nil
}

// takePort sets the port and gives the host as written.
func (t *Target) takePort(authority string) (host string, err error) {
	if !t.Settled() && strings.HasSuffix(authority, ":") && !strings.HasSuffix(authority, "::") {
		// "http:/example.com" would otherwise be the host "http".
		return "", fmt.Errorf("nothing after the colon of %.80q, expected host:port, or scheme://host", authority)
	}
	host, t.Port, err = hostkey.Split(authority)
	return host, err
}

// canonicalHost undoes the escapes that a host may have in a URL and makes the
// result canonical.
func (t *Target) canonicalHost(host string) (string, error) {
	if strings.IndexByte(host, '%') >= 0 {
		if strings.IndexByte(host, ':') < 0 {
			plain, err := url.PathUnescape(host)
			if err != nil {
				return "", fmt.Errorf("host %.80q: expected two hexadecimal digits after a percent sign: %w", host, err)
			}
			host = plain
		} else if t.Settled() {
			host = strings.Replace(host, "%25", "%", 1)
		}
	}
	return hostkey.Host(host)
}

// decodeUser gives name:password. An escape that cannot be decoded stays as it
// is written.
func decodeUser(userinfo string) string {
	if userinfo == "" {
		return ""
	}
	if plain, err := url.PathUnescape(userinfo); err == nil {
		userinfo = plain
	}
	if strings.IndexByte(userinfo, ':') < 0 {
		userinfo += ":"
	}
	return userinfo
}

// withoutUser cuts the userinfo out of a target as written.
func withoutUser(text string) string {
	start := schemeEnd(text)
	authority := text[start:]
	if i := strings.IndexAny(authority, "/?#"); i >= 0 {
		authority = authority[:i]
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		return text[:start] + authority[i+1:] + text[start+len(authority):]
	}
	return text
}

// encodePath percent-encodes the bytes above 0x7F.
func encodePath(path string) string {
	const hex = "0123456789ABCDEF"
	for i := range len(path) {
		if path[i] < 0x80 {
			continue
		}
		buf := append(make([]byte, 0, 3*len(path)), path[:i]...)
		for _, c := range []byte(path[i:]) {
			if c < 0x80 {
				buf = append(buf, c)
			} else {
				buf = append(buf, '%', hex[c>>4], hex[c&15])
			}
		}
		return string(buf)
	}
	return path
}

func isDigit(c byte) bool {
	return '0' <= c && c <= '9'
}

// mayBeAddress is a cheap look before netip.ParseAddr, whose errors allocate.
func mayBeAddress(text string) bool {
	return text != "" && (isDigit(text[0]) || strings.IndexByte(text, ':') >= 0)
}
