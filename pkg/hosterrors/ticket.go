package hosterrors

// Ticket is the right to send one request to one host, and remembers the host's generation at that moment.
// It takes one outcome: Success, Fail or Release. An outcome that arrives after the host has moved on (it
// tripped, or another probe took the place of this one) is ignored, and so is a second outcome of a probe.
// A second outcome of an ordinary request counts twice while the host stays closed: do not book one.
//
// A ticket that is lost blocks nobody for longer than Config.ProbeTTL. It is a small value, to be copied
// freely, and safe for concurrent use. The zero value belongs to no host, and its outcomes do nothing.
type Ticket struct {
	cache *Cache
	key   string
	gen   uint32
}

// Enter admits exactly as Admit does. The ticket is the zero value when the answer is false.
func (c *Cache) Enter(key string) (Ticket, bool) {
	gen, ok := c.admit(key)
	if !ok {
		return Ticket{}, false
	}
	return Ticket{cache: c, key: key, gen: gen}, true
}

// Success books that the host answered.
func (t Ticket) Success() {
	if t.cache != nil {
		t.cache.settle(t.key, bearerOf(t.gen), succeeded, nil)
	}
}

// Fail books the error as MarkFailed does: what is no host error is a success or neutral, as Judge says.
func (t Ticket) Fail(err error, ignoreTimeout bool) {
	if t.cache != nil {
		t.cache.settle(t.key, bearerOf(t.gen), t.cache.effectOf(err, ignoreTimeout), err)
	}
}

// Release gives the ticket back without an outcome for the host: the request was cancelled, was never sent,
// or failed by our own fault.
func (t Ticket) Release() {
	if t.cache != nil {
		t.cache.settle(t.key, bearerOf(t.gen), neutral, nil)
	}
}

// bearer is who brings an outcome: a ticket of one generation, or anybody.
type bearer struct {
	ticket bool
	gen    uint32
}

var anybody = bearer{}

func bearerOf(gen uint32) bearer { return bearer{ticket: true, gen: gen} }

// late tells that the host, now in generation gen, has moved on since the bearer was admitted.
func (b bearer) late(gen uint32) bool { return b.ticket && b.gen != gen }
