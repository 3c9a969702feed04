package target

import (
	"strconv"
	"strings"

	"github.com/redialscan/redial/pkg/hostkey"
)

// Scheme says how a target is spoken to. The zero value is SchemeUnknown: the
// line named none, and the first item of the target settles it.
type Scheme uint8

// The schemes of a target.
const (
	SchemeUnknown Scheme = iota
	SchemeHTTP
	SchemeHTTPS
)

// String gives "http", "https", or "unknown".
func (s Scheme) String() string {
	switch s {
	case SchemeHTTP:
		return "http"
	case SchemeHTTPS:
		return "https"
	default:
		return "unknown"
	}
}

// Port gives the default port of the scheme, 0 for SchemeUnknown.
func (s Scheme) Port() uint16 {
	switch s {
	case SchemeHTTP:
		return 80
	case SchemeHTTPS:
		return 443
	default:
		return 0
	}
}

// Target is one thing to scan. It is a plain value: copy it freely, and use
// copies from several goroutines. The zero value is no target.
//
// On a plain line all strings are parts of Input, so that a held target costs
// one copy of its line.
type Target struct {
	// Input is the target as its line had it, without comment, surrounding
	// space and userinfo. For an address out of a CIDR or a range it is that
	// address.
	Input string
	// Host is canonical in the sense of hostkey.Host: IPv6 without brackets.
	Host string
	// Path is path and query as written, "" when there was none. Only bytes
	// above 0x7F are percent-encoded, because a request line has no place for
	// them. Invalid escapes such as "/%zz" stay as they are.
	Path string
	// User is "name:password", decoded, from userinfo; "" when there was none.
	// It is meant for the request alone: neither String nor URL shows it, and
	// encoding/json leaves it out.
	User string `json:"-"`
	// Port is 0 when neither the line nor --ports gave one.
	Port   uint16
	Scheme Scheme
}

// Settled reports whether the scheme is known, so that URL and Key are final.
func (t Target) Settled() bool {
	return t.Scheme != SchemeUnknown
}

// effectivePort is the port that will be dialed, 0 while that is open.
func (t *Target) effectivePort() uint16 {
	if t.Port != 0 {
		return t.Port
	}
	return t.Scheme.Port()
}

// Key gives the key of the target's host, host:port as hostkey.Join builds it.
// A target with neither scheme nor port has no port yet: its key is the bare
// host, an IPv6 address in brackets.
func (t Target) Key() string {
	if port := t.effectivePort(); port != 0 {
		if key := t.writtenKey(port); key != "" {
			return key
		}
		return hostkey.Join(t.Host, port)
	}
	if strings.IndexByte(t.Host, ':') < 0 {
		return t.Host
	}
	return "[" + t.Host + "]"
}

// writtenKey is the key as a part of Input, where it stands there: a key is kept for as long as its host is, and so it costs
// nothing beside the target. Otherwise it is empty.
func (t Target) writtenKey(port uint16) string {
	at := strings.Index(t.Input, t.Host)
	if at < 0 || t.Host == "" || strings.IndexByte(t.Host, ':') >= 0 {
		return ""
	}
	var buf [6]byte
	tail := strconv.AppendUint(append(buf[:0], ':'), uint64(port), 10)
	end := at + len(t.Host) + len(tail)
	if end > len(t.Input) || t.Input[at+len(t.Host):end] != string(tail) {
		return ""
	}
	if end < len(t.Input) && t.Input[end] >= '0' && t.Input[end] <= '9' {
		return ""
	}
	return t.Input[at:end]
}

// Candidates gives the settled targets to try, in order. Without a port that is
// https on 443, then http on 80; with one it is https, then http, on that port.
// A settled target is its own only candidate.
func (t Target) Candidates() []Target {
	if t.Settled() {
		return []Target{t}
	}
	https, http := t, t
	https.Scheme, http.Scheme = SchemeHTTPS, SchemeHTTP
	if t.Port == 0 {
		https.Port, http.Port = SchemeHTTPS.Port(), SchemeHTTP.Port()
	}
	return []Target{https, http}
}

// URL gives scheme://host[:port]path, without a port that is the default of the
// scheme and without userinfo. The zone of an IPv6 address stands behind %25
// (RFC 6874). A target that is not settled has no scheme to show: it is
// host[:port]path.
func (t Target) URL() string {
	var room [128]byte // of most URLs, so that there is one allocation
	buf := room[:0]
	if t.Settled() {
		buf = append(buf, t.Scheme.String()...)
		buf = append(buf, "://"...)
	}
	if i := strings.IndexByte(t.Host, '%'); i >= 0 && t.Settled() {
		buf = append(buf, '[')
		buf = append(buf, t.Host[:i]...)
		buf = append(buf, "%25"...)
		buf = append(buf, t.Host[i+1:]...)
		buf = append(buf, ']')
	} else {
		buf = hostkey.AppendHost(buf, t.Host)
	}
	if t.Port != 0 && t.Port != t.Scheme.Port() {
		buf = append(buf, ':')
		buf = strconv.AppendUint(buf, uint64(t.Port), 10)
	}
	return string(appendRequestPath(buf, t.Path))
}

// String is URL, so that a target in a message never shows its userinfo.
func (t Target) String() string {
	return t.URL()
}

// appendRequestPath appends path, with the slash before a query that stands
// right behind the host.
func appendRequestPath(buf []byte, path string) []byte {
	if path != "" && path[0] == '?' {
		buf = append(buf, '/')
	}
	return append(buf, path...)
}

// appendIdentity appends what makes two targets the same request: scheme, host,
// port, userinfo and path, however they were written.
func (t *Target) appendIdentity(buf []byte) []byte {
	port := t.effectivePort()
	buf = append(buf, byte(t.Scheme), byte(port>>8), byte(port))
	buf = append(buf, t.Host...)
	buf = append(buf, 0)
	buf = append(buf, t.User...)
	buf = append(buf, 0)
	if t.Path == "" {
		return append(buf, '/')
	}
	return appendRequestPath(buf, t.Path)
}
