package lab

import (
	"errors"
	"fmt"
	"time"
)

// Host is one host of a running lab. The zero value is none. Its methods are
// safe for concurrent use and, but for Up and Down, work after Close too.
type Host struct {
	Kind   Kind
	Addr   string // address and port
	server *server
}

// URL returns the base URL of the host, with a slash at its end.
func (h Host) URL() string {
	if h.Kind.overTLS() {
		return "https://" + h.Addr + "/"
	}
	return "http://" + h.Addr + "/"
}

// Requests returns how many requests have arrived whole.
func (h Host) Requests() int64 { return h.Stats().Requests }

// Stats returns what has arrived.
func (h Host) Stats() HostStats {
	s := h.server.count.stats()
	s.Host, s.Kind = h.Addr, h.Kind
	return s
}

// Paths returns the requests of each path, query included; see OtherPaths. It is empty without Config.RecordPaths.
func (h Host) Paths() map[string]int64 { return h.server.count.pathCounts() }

// Times returns the moment of every request, in order; empty without Config.RecordTimes.
func (h Host) Times() []time.Time { return h.server.count.moments() }

// Raw returns the bytes of the last requests, head and body as they arrived,
// the oldest first; empty without Config.RecordRaw.
func (h Host) Raw() [][]byte { return h.server.count.lastRaw() }

// Down stops listening and closes all connections. It returns when the port
// refuses and the connections have ended; a host that is down stays so. A
// schedule goes on and may bring it back.
func (h Host) Down() error { return h.turn(false) }

// Up starts to listen again and returns when it does; a host that is up stays
// so. A Refusing host is healthy from then on.
func (h Host) Up() error { return h.turn(true) }

func (h Host) turn(up bool) error {
	if h.Kind == BlackHole {
		return fmt.Errorf("lab: a black hole cannot change: %w", errors.ErrUnsupported)
	}
	return h.server.turn(up)
}

// RedirectTo points a Redirecting host at a place: the value of Location as it
// stands, and a status code of the 300s. Other kinds ignore it.
func (h Host) RedirectTo(location string, code int) {
	h.server.redirect.Store(newRedirect(code, location))
}
