package hosterrors

import (
	"fmt"
	"strings"
)

// Blame says whom an outcome speaks about. The zero value is BlameNobody.
type Blame uint8

const (
	// BlameNobody is neutral: the outcome tells nothing about the host.
	BlameNobody Blame = iota
	// BlameHost is a host error.
	BlameHost
	// BlameAlive shows that the host answered: a success, whatever became of the request.
	BlameAlive
)

// String gives nobody, host or alive.
func (b Blame) String() string {
	switch b {
	case BlameNobody:
		return "nobody"
	case BlameHost:
		return "host"
	case BlameAlive:
		return "alive"
	}
	return fmt.Sprintf("blame %d", uint8(b))
}

// Verdict is what an outcome means. The zero value is neutral and final.
type Verdict struct {
	Blame  Blame
	Repeat bool // the request may be sent again, within its attempts
	Pause  bool // only after a pause of at least a second
}

// Judge decides what err means for the host and for the request: by type wherever a type says it, by text only
// for errors of foreign libraries that have none. An error that nothing is known of is neutral and final; nil
// shows the host alive.
//
// A context's deadline is taken for the caller's, and neutral. Whoever sets limits of their own returns a
// TimeoutError for them, and looks at the caller's context first.
func Judge(err error) Verdict { return causeOf(err).verdict() }

// Judge is the package's Judge with TrackError on top: an error whose text contains one of its entries is a
// host error. That does not reach what is our own doing: skipped, cancelled, starved and unbuilt requests.
func (c *Cache) Judge(err error) Verdict {
	cause := causeOf(err)
	v := cause.verdict()
	if c.tracked(cause, err) {
		v.Blame, v.Pause = BlameHost, false
	}
	return v
}

func (c *Cache) tracked(cause cause, err error) bool {
	if err == nil || len(c.TrackError) == 0 || cause.ours() {
		return false
	}
	text := err.Error()
	for _, part := range c.TrackError {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// effectOf is the judgement as the state machine takes it. A failure without an error must not pass for a
// success, so here nil is neutral. TrackError is the user's explicit wish and outranks ignoreTimeout.
func (c *Cache) effectOf(err error, ignoreTimeout bool) effect {
	cause := causeOf(err)
	switch {
	case err == nil:
		return neutral
	case c.tracked(cause, err):
		return failed
	case ignoreTimeout && cause == causeHeadTimeout:
		return neutral
	}
	switch cause.verdict().Blame {
	case BlameHost:
		return failed
	case BlameAlive:
		return succeeded
	}
	return neutral
}

// cause is why a request ended, as fine as the verdicts need it.
type cause uint8

const (
	causeUnknown     cause = iota
	causeAnswered          // an answer, if not the one that was asked for
	causeCut               // the answer broke off after its head
	causeAbsent            // refused, unreachable, or no such name: the host says, or others say, that it is not there
	causeLost              // reset, aborted, never connected, closed without a byte
	causeHeadTimeout       // nothing came in time; the one host error that ignoreTimeout forgives
	causeIdleClosed        // a kept-alive connection that the server had closed
	causeStarved           // our own process did not get to run
	causeOutage            // nothing got through to any host
	causeCancelled         // ended by us or by the caller's deadline
	causeShortage          // something on our side is missing for now: descriptors, ports, link, resolver, proxy
	causeBarred            // something on our side forbids it for good: no route, no permission, excluded
	causeUnbuilt           // the request could not be built
	causeSkipped           // the breaker itself did not admit it
)

// verdict is the table of what follows from a cause.
func (c cause) verdict() Verdict {
	switch c {
	case causeAnswered:
		return Verdict{Blame: BlameAlive}
	case causeCut:
		return Verdict{Blame: BlameAlive, Repeat: true}
	case causeAbsent:
		return Verdict{Blame: BlameHost}
	case causeLost, causeHeadTimeout:
		return Verdict{Blame: BlameHost, Repeat: true}
	case causeIdleClosed, causeStarved:
		return Verdict{Repeat: true}
	case causeCancelled, causeShortage, causeOutage:
		return Verdict{Repeat: true, Pause: true}
	}
	return Verdict{}
}

// ours tells the causes that lie in what we do, where the text of an error says nothing about the host.
func (c cause) ours() bool {
	switch c {
	case causeStarved, causeOutage, causeCancelled, causeUnbuilt, causeSkipped:
		return true
	}
	return false
}
