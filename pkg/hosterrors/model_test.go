package hosterrors

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// modelHost is one host as the state table reads, with nothing clever: a ticket knows by itself whether it
// still counts, and every change of state takes that from all tickets of the host.
type modelHost struct {
	state    State
	count    int
	trips    int
	cooldown time.Duration
	openedAt time.Time
	probe    *modelTicket
	probeAt  time.Time
	held     time.Duration
	ever     bool
	lastErr  error
	tickets  []*modelTicket
	lapses   []modelLapse // since it last answered
}

// modelLapse is what a host error has changed.
type modelLapse struct {
	at           time.Time
	count, trips int
	cooldown     time.Duration
	lastErr      error
	held         time.Duration
}

// lapse notes how the host stands before an error. The clock of lapses never goes back.
func (r *modelRun) lapse(h *modelHost) {
	if !r.answered {
		return
	}
	if now := r.clock.Now(); now.After(r.latest) {
		r.latest = now
	}
	held := h.held
	if d := r.latest.Sub(h.openedAt); h.state != StateClosed && d > 0 {
		held += d
	}
	h.lapses = append(h.lapses, modelLapse{r.latest, h.count, h.trips, h.cooldown, h.lastErr, held})
}

func (r *modelRun) undo(t *rapid.T) {
	since := r.clock.Now().Add(-time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "since")))
	if rapid.Bool().Draw(t, "since a lapse") {
		if _, h := r.pick(t); len(h.lapses) > 0 {
			since = rapid.SampledFrom(h.lapses).Draw(t, "lapse").at.Add(rapid.SampledFrom([]time.Duration{0, 1}).Draw(t, "just after"))
		}
	}
	want := 0
	for _, h := range r.hosts {
		for _, l := range h.lapses {
			if l.at.Before(since) || r.latest.Sub(l.at) > r.cfg.UndoWindow {
				continue
			}
			if h.state != StateClosed {
				want++
				h.become(StateClosed)
			}
			h.count, h.trips, h.cooldown, h.lastErr, h.held = l.count, l.trips, l.cooldown, l.lastErr, l.held
			break
		}
		h.lapses = nil
	}
	if got := r.cache.Undo(since); got != want {
		t.Fatalf("undo closed %d hosts, want %d", got, want)
	}
}

type modelTicket struct {
	Ticket
	counts bool
}

func (h *modelHost) become(s State) {
	h.state = s
	h.probe = nil
	for _, ticket := range h.tickets {
		ticket.counts = false
	}
}

func (h *modelHost) silent(now time.Time, cfg Config) bool {
	return h.probe == nil || now.Sub(h.probeAt) >= cfg.ProbeTTL
}

func (h *modelHost) admits(now time.Time, cfg Config) bool {
	switch h.state {
	case StateClosed:
		return true
	case StateOpen:
		return now.Sub(h.openedAt) >= h.cooldown
	case StateHalfOpen:
		return h.silent(now, cfg)
	}
	return false
}

func (h *modelHost) admit(now time.Time, cfg Config, ticket *modelTicket) bool {
	if !h.admits(now, cfg) {
		return false
	}
	if h.state != StateClosed {
		h.become(StateHalfOpen)
		h.probe, h.probeAt = ticket, now
	}
	ticket.counts = true
	h.tickets = append(h.tickets, ticket)
	return true
}

func (h *modelHost) open(now time.Time, cooldown time.Duration, err error) {
	h.become(StateOpen)
	h.openedAt, h.cooldown, h.ever, h.lastErr = now, cooldown, true, err
}

func (h *modelHost) segment(now time.Time) {
	if d := now.Sub(h.openedAt); d > 0 {
		h.held += d
	}
}

func (h *modelHost) outcome(now time.Time, cfg Config, what effect, err error) {
	if what == succeeded && (h.state == StateClosed || h.state == StateHalfOpen) {
		h.lapses = nil
	}
	switch {
	case h.state == StateClosed && what == succeeded:
		h.count = 0
		if !h.ever {
			h.lastErr = nil
		}
	case h.state == StateClosed && what == failed:
		h.count++
		h.lastErr = err
		if h.count >= cfg.MaxHostError {
			h.open(now, h.cooldown, err)
		}
	case h.state == StateHalfOpen && what == succeeded:
		h.segment(now)
		h.become(StateClosed)
		h.count, h.trips, h.cooldown = 0, 0, cfg.Cooldown
	case h.state == StateHalfOpen && what == failed:
		h.segment(now)
		h.count++
		h.trips++
		h.open(now, min(2*h.cooldown, cfg.MaxCooldown), err)
		if cfg.MaxTrips > 0 && h.trips >= cfg.MaxTrips {
			h.state = StateDead
		}
	case h.state == StateHalfOpen:
		if h.probe != nil {
			h.become(StateHalfOpen)
		}
	}
}

func (h *modelHost) nextAdmit(now time.Time, cfg Config) time.Time {
	switch {
	case h.state == StateOpen:
		return h.openedAt.Add(h.cooldown)
	case h.state == StateHalfOpen && h.probe != nil:
		return h.probeAt.Add(cfg.ProbeTTL)
	case h.state == StateDead:
		return Never()
	}
	return now
}

// TestBreakerAgreesWithTheTable drives breaker and model through the same lives: lost, late and doubled
// outcomes, keyed calls between the tickets, and a clock that steps to both sides.
func TestBreakerAgreesWithTheTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := Config{
			MaxHostError: rapid.IntRange(1, 3).Draw(t, "limit"),
			Cooldown:     10 * time.Second,
			MaxCooldown:  35 * time.Second,
			MaxTrips:     rapid.SampledFrom([]int{-1, 1, 3}).Draw(t, "max trips"),
			ProbeTTL:     4 * time.Second,
			UndoWindow:   time.Minute,
		}
		run := &modelRun{cfg: cfg, clock: newHandClock(), hosts: map[string]*modelHost{}}
		run.latest = run.clock.Now()
		for _, key := range modelKeys {
			run.hosts[key] = &modelHost{cooldown: cfg.Cooldown}
		}
		cfg.Now = run.clock.Now
		var err error
		if run.cache, err = NewWithConfig(cfg); err != nil {
			t.Fatal(err)
		}
		t.Repeat(map[string]func(*rapid.T){
			"enter":  run.enter,
			"admit":  run.admit,
			"ticket": run.ticketOutcome,
			"keyed":  run.keyedOutcome,
			"trip":   run.trip,
			"undo":   run.undo,
			"clock":  run.stepClock,
			"":       run.compare,
		})
	})
}
