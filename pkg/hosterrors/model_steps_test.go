package hosterrors

import (
	"io"
	"syscall"
	"time"

	"pgregory.net/rapid"
)

var modelKeys = []string{"a:80", "b:80"}

// modelRun is one life of a breaker beside its model.
type modelRun struct {
	cfg   Config
	cache *Cache
	clock *handClock
	hosts map[string]*modelHost

	answered bool      // some host has, once
	latest   time.Time // moment of the last lapse
}

// book takes an outcome that the breaker gets. Of those that count for nothing only a success is noticed at all.
func (r *modelRun) book(h *modelHost, what effect, err error, counts bool) {
	r.answered = r.answered || what == succeeded
	if !counts {
		return
	}
	if what == failed && (h.state == StateClosed || h.state == StateHalfOpen) {
		r.lapse(h)
	}
	h.outcome(r.clock.Now(), r.cfg, what, err)
}

func (r *modelRun) pick(t *rapid.T) (string, *modelHost) {
	key := rapid.SampledFrom(modelKeys).Draw(t, "key")
	return key, r.hosts[key]
}

// pickOutcome also draws an error that has this effect.
func pickOutcome(t *rapid.T) (effect, error) {
	switch what := rapid.SampledFrom([]effect{neutral, succeeded, failed, failed}).Draw(t, "effect"); what {
	case succeeded:
		return what, &ProtocolError{Err: io.EOF}
	case failed:
		return what, rapid.SampledFrom([]error{syscall.ECONNREFUSED, syscall.ECONNRESET}).Draw(t, "error")
	default:
		return what, &StarvedError{}
	}
}

func (r *modelRun) enter(t *rapid.T) {
	key, h := r.pick(t)
	ticket, ok := r.cache.Enter(key)
	if want := h.admit(r.clock.Now(), r.cfg, &modelTicket{Ticket: ticket}); ok != want {
		t.Fatalf("%s: enter is %t, want %t", key, ok, want)
	}
}

// admit is a request whose outcome is lost, or comes by a keyed call.
func (r *modelRun) admit(t *rapid.T) {
	key, h := r.pick(t)
	ok := r.cache.Admit(key)
	if want := h.admit(r.clock.Now(), r.cfg, &modelTicket{}); ok != want {
		t.Fatalf("%s: admit is %t, want %t", key, ok, want)
	}
}

// ticketOutcome books on any ticket ever given, so outcomes come late and more than once.
func (r *modelRun) ticketOutcome(t *rapid.T) {
	_, h := r.pick(t)
	if len(h.tickets) == 0 {
		return
	}
	ticket := rapid.SampledFrom(h.tickets).Draw(t, "ticket")
	what, err := pickOutcome(t)
	switch {
	case what == succeeded && rapid.Bool().Draw(t, "by Success"):
		ticket.Success()
	case what == neutral && rapid.Bool().Draw(t, "by Release"):
		ticket.Release()
	default:
		ticket.Fail(err, false)
	}
	if ticket.cache != nil {
		r.book(h, what, err, ticket.counts)
	}
}

func (r *modelRun) keyedOutcome(t *rapid.T) {
	key, h := r.pick(t)
	what, err := pickOutcome(t)
	if what == succeeded && rapid.Bool().Draw(t, "by MarkSuccess") {
		r.cache.MarkSuccess(key)
	} else {
		r.cache.MarkFailed(key, err, false)
	}
	r.book(h, what, err, true)
}

func (r *modelRun) trip(t *rapid.T) {
	key, h := r.pick(t)
	r.cache.Trip(key, io.EOF)
	if h.state == StateClosed {
		r.lapse(h)
		h.open(r.clock.Now(), h.cooldown, io.EOF)
	}
}

// stepClock prefers the places where something changes: onto a host's next moment, or a nanosecond before.
func (r *modelRun) stepClock(t *rapid.T) {
	_, h := r.pick(t)
	switch rapid.IntRange(0, 3).Draw(t, "kind of step") {
	case 0, 1:
		next := h.nextAdmit(r.clock.Now(), r.cfg)
		if next.Equal(Never()) {
			return
		}
		r.clock.advance(next.Sub(r.clock.Now()) - rapid.SampledFrom([]time.Duration{0, 1}).Draw(t, "short by"))
	case 2:
		r.clock.advance(time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "forward")))
	case 3:
		r.clock.advance(-time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "back")))
	}
}

func (r *modelRun) compare(t *rapid.T) {
	now := r.clock.Now()
	shown := map[string]Host{}
	for h := range r.cache.Hosts() {
		shown[h.Key] = h
	}
	count, probing, ever := 0, 0, false
	for key, h := range r.hosts {
		if got := r.cache.State(key); got != h.state {
			t.Fatalf("%s: state is %v, want %v", key, got, h.state)
		}
		if got, want := r.cache.Quarantined(key), !h.admits(now, r.cfg); got != want {
			t.Fatalf("%s: quarantined is %t while %v, want %t", key, got, h.state, want)
		}
		if got, want := r.cache.NextAdmit(key, now), h.nextAdmit(now, r.cfg); !got.Equal(want) {
			t.Fatalf("%s: next at %v while %v, want %v", key, got, h.state, want)
		}
		if got := r.cache.LastError(key); got != h.lastErr {
			t.Fatalf("%s: last error is %v, want %v", key, got, h.lastErr)
		}
		got, listed := shown[key]
		if want := h.describe(key, now); listed != h.ever || listed && got != want {
			t.Fatalf("listed as %+v (%t), want %+v (%t)", got, listed, want, h.ever)
		}
		if h.state != StateClosed {
			count++
		}
		if h.state == StateHalfOpen {
			probing++
		}
		ever = ever || h.ever
	}
	if got := r.cache.QuarantinedCount(); got != count {
		t.Fatalf("%d quarantined, want %d", got, count)
	}
	if got := r.cache.HalfOpenCount(); got != probing {
		t.Fatalf("%d half-open, want %d", got, probing)
	}
	if got := r.cache.AnyTripped(); got != ever {
		t.Fatalf("any tripped is %t, want %t", got, ever)
	}
}

func (h *modelHost) describe(key string, now time.Time) Host {
	held := h.held
	if d := now.Sub(h.openedAt); h.state != StateClosed && d > 0 {
		held += d
	}
	return Host{
		Key: key, State: h.state, Errors: int32(h.count), Trips: int32(h.trips), Cooldown: h.cooldown,
		OpenedAt: h.openedAt, Quarantined: held, LastError: h.lastErr,
	}
}
