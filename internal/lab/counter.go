package lab

import (
	"slices"
	"sync"
	"time"
)

// OtherPaths is the entry of Host.Paths that gathers what came after the
// first 20,000 distinct paths of a host.
const OtherPaths = "(other)"

const maxPaths = 20000

// HostStats is what arrived at one host. Its JSON is what `redial lab` writes.
type HostStats struct {
	Host string `json:"host"` // address and port
	Kind Kind   `json:"kind"`
	// Requests that arrived whole, answered or not.
	Requests int64 `json:"requests"`
	// Refused is how many of them a Throttling or Unavailable host has answered with 429 or 503.
	Refused int64 `json:"refused,omitempty"`
	// Connections that were accepted.
	Connections int64 `json:"connections"`
	// Broken counts connections whose bytes were no request: cut off, no HTTP, a failed handshake.
	Broken int64 `json:"broken"`
	// InFlight is how many requests wait for an answer now, and MaxInFlight the
	// most that ever did at one time. A request waits until its answer starts to
	// leave or its connection ends.
	InFlight    int64 `json:"in_flight"`
	MaxInFlight int64 `json:"max_in_flight"`
	// MaxOpen is the most connections open at one time, as the host saw it: it
	// may see a new one before the end of the last.
	MaxOpen int64 `json:"max_open"`
	// First and Last are the times of the first and the last request; zero when there was none.
	First time.Time `json:"first,omitzero"`
	Last  time.Time `json:"last,omitzero"`
}

// counter holds what arrived at one host. One lock for all of it keeps the
// counts of one request together; at tens of thousands a second it is idle
// nearly all the time.
type counter struct {
	start     time.Time // of the lab; its monotonic reading makes the others
	keepTimes bool
	keepPaths bool
	keepRaw   int

	mu          sync.Mutex
	connections int64
	open        int64
	maxOpen     int64
	requests    int64
	refused     int64
	broken      int64
	inFlight    int64
	maxInFlight int64
	first, last time.Duration
	paths       map[string]*int64
	other       int64
	times       []time.Duration
	raw         [][]byte
}

// opened counts an accepted connection.
func (c *counter) opened() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.connections++
	c.open++
	c.maxOpen = max(c.maxOpen, c.open)
}

// closed counts the end of a connection with the requests that it left unanswered.
func (c *counter) closed(unanswered int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
	c.inFlight -= unanswered
}

// spoiled counts a connection whose bytes were no request.
func (c *counter) spoiled() {
	c.mu.Lock()
	c.broken++
	c.mu.Unlock()
}

// refuse counts a request that is turned away.
func (c *counter) refuse() {
	c.mu.Lock()
	c.refused++
	c.mu.Unlock()
}

// begin counts a request that has arrived whole.
func (c *counter) begin(r *request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Since(c.start) // inside the lock, so that the times are in order
	if c.requests == 0 {
		c.first = now
	}
	c.last = now
	c.requests++
	c.inFlight++
	c.maxInFlight = max(c.maxInFlight, c.inFlight)
	if c.keepTimes {
		c.times = append(c.times, now)
	}
	if c.keepRaw > 0 {
		if len(c.raw) == c.keepRaw {
			c.raw = slices.Delete(c.raw, 0, 1)
		}
		c.raw = append(c.raw, slices.Clone(r.raw))
	}
	if c.keepPaths {
		c.countPathLocked(r.target)
	}
}

func (c *counter) countPathLocked(path []byte) {
	if n := c.paths[string(path)]; n != nil { // the conversion in a look-up costs nothing
		*n++
		return
	}
	if len(c.paths) >= maxPaths {
		c.other++
		return
	}
	if c.paths == nil {
		c.paths = make(map[string]*int64)
	}
	one := int64(1)
	c.paths[string(path)] = &one
}

// end takes a request out of flight. It is called before the answer leaves: a
// client that has its answer may send again at once and must not find it still counted.
func (c *counter) end() {
	c.mu.Lock()
	c.inFlight--
	c.mu.Unlock()
}

func (c *counter) stats() HostStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := HostStats{
		Requests:    c.requests,
		Refused:     c.refused,
		Connections: c.connections,
		Broken:      c.broken,
		InFlight:    c.inFlight,
		MaxInFlight: c.maxInFlight,
		MaxOpen:     c.maxOpen,
	}
	if c.requests > 0 {
		s.First, s.Last = c.start.Add(c.first), c.start.Add(c.last)
	}
	return s
}

func (c *counter) pathCounts() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts := make(map[string]int64, len(c.paths))
	for path, n := range c.paths {
		counts[path] = *n
	}
	if c.other > 0 {
		counts[OtherPaths] = c.other
	}
	return counts
}

// moments returns the recorded times in order.
func (c *counter) moments() []time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := make([]time.Time, len(c.times))
	for i, d := range c.times {
		at[i] = c.start.Add(d)
	}
	return at
}

func (c *counter) lastRaw() [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.raw)
}
