package lab

// Kind names what is wrong with a host, or that nothing is.
type Kind string

// The kinds of hosts. Unless it says otherwise, a kind answers like Healthy
// apart from its fault.
const (
	// Healthy answers every request at once: pages on a few known paths, 404 elsewhere.
	Healthy Kind = "healthy"
	// Refusing has nothing that listens; [Host.Up] turns it into a healthy host.
	Refusing Kind = "refusing"
	// Silent accepts connections and reads what comes, but never answers.
	Silent Kind = "silent"
	// BlackHole swallows SYNs, so that a connect times out. Linux only.
	BlackHole Kind = "black-hole"
	// Flaky goes down and comes back by its schedule.
	Flaky Kind = "flaky"
	// Slow waits before each answer.
	Slow Kind = "slow"
	// Throttling answers 429 above its rate.
	Throttling Kind = "throttling"
	// Unavailable answers a number of requests, then a number of them with 503, and so on.
	Unavailable Kind = "unavailable"
	// Resetting resets the connection once it has read a request.
	Resetting Kind = "resetting"
	// ResetOnAccept resets the connection as soon as it is accepted.
	ResetOnAccept Kind = "reset-on-accept"
	// Mute reads a request and closes the connection without a byte.
	Mute Kind = "mute"
	// Garbage answers a request with bytes that are not HTTP, and closes.
	Garbage Kind = "garbage"
	// CutBody announces a body and closes in the middle of it.
	CutBody Kind = "cut-body"
	// StalledBody announces a body, sends half of it and nothing more.
	StalledBody Kind = "stalled-body"
	// LyingLength sends more bytes than its Content-Length says and keeps the connection open.
	LyingLength Kind = "lying-length"
	// EndlessBody sends a chunked body that has no end.
	EndlessBody Kind = "endless-body"
	// GzipBomb answers with a small gzip body that unpacks to 64 MiB.
	GzipBomb Kind = "gzip-bomb"
	// Redirecting sends every request on to another place.
	Redirecting Kind = "redirecting"
	// Firewall resets the connection of a request whose target holds its marker.
	Firewall Kind = "firewall"
	// OneInFive answers the first of every five requests and resets the other four; each on a connection of its own.
	OneInFive Kind = "one-in-five"
	// Mail speaks as a mail server: it greets at once, and answers each line.
	Mail Kind = "mail"
	// TLS serves HTTPS with a self-signed certificate for its own address.
	TLS Kind = "tls"
	// ExpiredTLS is TLS with a certificate that has run out.
	ExpiredTLS Kind = "tls-expired"
	// WrongNameTLS is TLS with a certificate for another name.
	WrongNameTLS Kind = "tls-wrong-name"
	// BadTLS is TLS with a certificate that has run out and is for another name.
	BadTLS Kind = "tls-bad"
)

// Kinds returns every kind, in the order in which a lab lists its hosts.
func Kinds() []Kind {
	return []Kind{
		Healthy, Flaky, Slow, Throttling, Unavailable, Redirecting, Firewall, OneInFive,
		Refusing, Silent, BlackHole, Resetting, ResetOnAccept, Mute, Garbage,
		CutBody, StalledBody, LyingLength, EndlessBody, GzipBomb,
		Mail, TLS, ExpiredTLS, WrongNameTLS, BadTLS,
	}
}

// overTLS says whether hosts of the kind speak HTTPS.
func (k Kind) overTLS() bool {
	switch k {
	case TLS, ExpiredTLS, WrongNameTLS, BadTLS:
		return true
	}
	return false
}

// startsDown says whether nothing listens when the lab starts; spec decides for Flaky.
func (s Spec) startsDown() bool {
	switch s.Kind {
	case Refusing:
		return true
	case Flaky:
		return len(s.Schedule) == 0 || s.Schedule[0] > 0
	}
	return false
}
