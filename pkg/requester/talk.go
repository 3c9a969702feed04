package requester

import (
	"fmt"
	"time"

	"github.com/redialscan/redial/pkg/hosterrors"
)

const (
	// talkSilence is how long a host is waited for that says nothing: most wait for their turn, and none comes.
	talkSilence = 5 * time.Second
	// talkPause is how long after its last byte a host is taken to be done with a line.
	talkPause = time.Second
)

// Talk is a conversation with a host over a connection of its own, in place of HTTP. It is used by one call of [Client.Do].
type Talk struct {
	// Next gives the next line; false ends the conversation. It is called on the goroutine of Do, for the first line with nil and then
	// with what was heard after each, which it may keep. After a line that cannot be sent there is no next one.
	Next func(heard []byte) (Line, bool)
}

// Line is what is said at once, and how much is waited for after it. The zero value is nothing of both.
type Line struct {
	Say []byte
	// Hear is how many bytes are waited for: until so many are there, the host has ended or pauses, or the time is over. All that a
	// conversation hears is at most Config.MaxBody.
	Hear int
}

// silence is the conversation of the canary: that there is a connection is enough.
var silence = Talk{Next: func([]byte) (Line, bool) { return Line{}, false }}

// talking is a conversation under way.
type talking struct {
	conn  *conn
	room  []byte
	heard []byte // all of it
	ended bool   // the host will say no more
	slow  bool   // it was waited for in vain
}

// converse holds a conversation. A host that accepts the connection and says nothing, or ends it, is no failure: not everybody speaks the
// language. It is no sign of life either, which a first byte is.
func (s *sending) converse() (*Response, error) {
	c, _, err := s.reach()
	if err != nil {
		return nil, err
	}
	defer c.shut()
	start := time.Now()
	if c.secure {
		s.booking.success()
	} else if err := c.begin(s.ctx, s.deadline); err != nil && !isCutOff(err) { // an end is heard as one
		return nil, trouble{phase: hosterrors.PhaseHead, fresh: true}.explain(s.ctx, err)
	}
	t := talking{conn: c, room: make([]byte, readBuffer)}
	s.talk(&t)
	now := time.Now()
	s.took += now.Sub(start)
	if own := callerEnded(s.ctx); own != nil {
		return nil, fmt.Errorf("talking: %w", own)
	}
	if !s.client.permitted() { // what was not said had no answer
		return nil, errWithdrawn
	}
	slow := &hosterrors.TimeoutError{Phase: hosterrors.PhaseHead, After: min(talkSilence, s.timeout())}
	if t.slow && len(t.heard) == 0 && s.client.lag.worst(start, now) >= slow.After/starvedShare {
		return nil, slow // by our own doing, see Client.strained
	}
	return &Response{Body: t.heard, Length: int64(len(t.heard)), IP: c.ip, TLS: c.tls, Took: s.took}, nil
}

func (s *sending) talk(t *talking) {
	var heard []byte
	for {
		line, more := s.req.Talk.Next(heard)
		if !more {
			return
		}
		if len(line.Say) > 0 {
			if s.client.cfg.KeepSent {
				s.copied = append(s.copied, line.Say...)
			}
			if _, err := t.conn.Write(line.Say); err != nil {
				return
			}
		}
		patience := talkSilence
		if len(line.Say) == 0 && len(t.heard) > 0 {
			patience = talkPause // it has had its turn, and goes on by itself or not at all
		}
		heard = s.hear(t, line.Hear, patience)
	}
}

// hear reads up to n bytes, and waits so long for the first one.
func (s *sending) hear(t *talking, n int, patience time.Duration) []byte {
	n = min(n, s.client.cfg.MaxBody-len(t.heard))
	from := len(t.heard)
	until := time.Now().Add(patience)
	for !t.ended && len(t.heard)-from < n {
		if until.After(s.deadline) {
			until = s.deadline
		}
		// The context's end sets a deadline too: it is looked at after ours is set, so that one of both is met.
		if err := t.conn.SetReadDeadline(until); err != nil || s.ctx.Err() != nil {
			t.ended = true
			break
		}
		got, err := t.conn.Read(t.room[:min(len(t.room), n-(len(t.heard)-from))])
		t.heard = append(t.heard, t.room[:got]...)
		if got > 0 {
			s.booking.success()
			until = time.Now().Add(talkPause)
		}
		if err != nil {
			t.slow = isTimeout(err)
			t.ended = !t.slow
			break
		}
	}
	return t.heard[from:len(t.heard):len(t.heard)]
}
