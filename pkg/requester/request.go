package requester

import "time"

// Field is one header field, with the case of its name kept.
type Field struct{ Name, Value string }

// Request is one request to one host. Its zero value is not sendable: Scheme, Host and Port are required.
// A Request is only read by the client, so one may be shared by concurrent calls.
type Request struct {
	Method string // "" = GET
	Scheme string // http or https; tcp, or tls for TLS, with a Talk
	Host   string // canonical (see package hostkey), IPv6 without brackets
	Port   uint16
	// Target is path and query, sent as written, but for a space, which would end the request line and goes as %20.
	// "" = "/".
	Target string
	Header []Field // order and case are kept on HTTP/1.1; a field named Host or User-Agent replaces the automatic one
	Body   []byte
	Raw    []byte // the exact bytes to send, over HTTP/1.1; nothing is added, and a redirect is followed by a plain GET
	User   string // "name:password" for basic authentication

	// ServerName is told in the handshake in place of the host's name. Such a request goes over HTTP/1.1, and has a connection of its
	// own. "" = the host's name.
	ServerName string

	// Handshake makes the request one for a TLS handshake alone: Scheme is https, and nothing is sent after it. nil = a request.
	Handshake *Handshake
	// Talk makes it a conversation over TCP.
	Talk *Talk
	// Query makes it a question to DNS servers, which has no Scheme, Host or Port.
	Query *Query

	WantBody          bool          // keep the body
	Timeout           time.Duration // as Config.Timeout, for this request; 0 = that
	IgnoreTimeout     bool          // a slow answer is expected: a timeout of the response head is no host error
	Redirects         int           // hops to follow at most
	SameHostRedirects bool          // follow only hops to the same host name
	WantHops          bool          // the answers on the way are wanted too, see Response.Before

	foreign bool // a hop to a host that may not see what the user keeps for the first one
}
