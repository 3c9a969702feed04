package requester

import (
	"time"

	"github.com/redialscan/redial/pkg/failurewindow"
	"github.com/redialscan/redial/pkg/flow"
)

// Memory is what a client remembers of how a host is to be paced, for another client to go on from. All times are relative to
// the moment at which it was told. The zero value is nothing.
type Memory struct {
	Held     time.Duration   `json:"held,omitempty"`     // it is at the limit of its failure window for so long
	Failures []time.Duration `json:"failures,omitempty"` // in the window, how long ago
	Answered bool            `json:"answered,omitempty"` // it was seen to answer other than by asking for less
	Throttle *Throttle       `json:"throttle,omitempty"` // it has asked for less
	Pace     *flow.Memory    `json:"pace,omitempty"`     // under the rule for hosts
}

// Throttle is what is remembered of a host that asked for less: rates per second, times until (Left, Next) or since (the others).
type Throttle struct {
	Rate   float64       `json:"rate,omitempty"`
	Top    float64       `json:"top,omitempty"`
	Goal   float64       `json:"goal,omitempty"`
	Stride float64       `json:"stride,omitempty"`
	Slow   bool          `json:"slow,omitempty"`
	Quiet  time.Duration `json:"quiet,omitempty"`
	Left   time.Duration `json:"left,omitempty"`
	Next   time.Duration `json:"next,omitempty"`
	Cut    time.Duration `json:"cut,omitempty"`
	Beg    time.Duration `json:"beg,omitempty"`
	Moved  time.Duration `json:"moved,omitempty"`
}

// IsZero says that nothing is remembered.
func (m *Memory) IsZero() bool {
	return m.Held == 0 && len(m.Failures) == 0 && !m.Answered && m.Throttle == nil && m.Pace == nil
}

// Wait is for how long nothing may be sent to the host at all; 0 = it may be sent to.
func (m *Memory) Wait() time.Duration {
	if m.Throttle != nil {
		return max(m.Held, m.Throttle.Left)
	}
	return m.Held
}

// Aged is the memory as it is some time after it was told.
func (m *Memory) Aged(by time.Duration) Memory {
	old := *m
	by = max(0, by)
	old.Held = max(0, m.Held-by)
	old.Failures = make([]time.Duration, len(m.Failures))
	for i, age := range m.Failures {
		old.Failures[i] = age + by
	}
	if m.Throttle != nil {
		t := *m.Throttle
		t.Left, t.Next = max(0, t.Left-by), max(0, t.Next-by)
		t.Cut, t.Beg, t.Moved = t.Cut+by, t.Beg+by, t.Moved+by
		old.Throttle = &t
	}
	if m.Pace != nil {
		p := *m.Pace
		p.Next -= by
		old.Pace = &p
	}
	return old
}

const (
	// maxFailuresTold of a host are told, the newest.
	maxFailuresTold = 1000
	// soonIdle: a pace that has forgotten a host by then is not worth telling of.
	soonIdle = 10 * time.Millisecond
)

// Memories tells what is remembered of hosts, by key; most have nothing. A host that only answers is not among them.
func (c *Client) Memories(now time.Time) map[string]Memory {
	all := map[string]Memory{}
	for i := range c.gates.shards {
		s := &c.gates.shards[i]
		s.mu.Lock()
		for key, g := range s.m {
			if m, ok := g.memory(now); ok {
				all[key] = m
			}
		}
		s.mu.Unlock()
	}
	if c.cfg.Window == nil {
		return all
	}
	for _, f := range c.cfg.Window.Failures() {
		m := all[f.Key]
		if m.Failures = append(m.Failures, f.Age); len(m.Failures) > maxFailuresTold {
			m.Failures = m.Failures[1:]
		}
		all[f.Key] = m
	}
	return all
}

// Recall goes on from what another client has told. It is for a client that has sent nothing yet.
func (c *Client) Recall(all map[string]Memory, now time.Time) error {
	if c.cfg.Window != nil {
		var failures []failurewindow.Failure
		for key, m := range all {
			for _, age := range m.Failures {
				failures = append(failures, failurewindow.Failure{Key: key, Age: age})
			}
		}
		c.cfg.Window.Recall(failures)
	}
	for key, m := range all {
		g, err := c.gates.enter([]byte(key), now, func() error { return nil })
		if err != nil {
			return err
		}
		g.recall(m, now, c)
		c.gates.leave(g, now)
	}
	return nil
}

func (g *gate) memory(now time.Time) (m Memory, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held.After(now) {
		m.Held, ok = g.held.Sub(now), true
	}
	if g.slow != nil && !g.slow.idle(now) {
		m.Throttle, ok = g.slow.memory(now), true
	}
	if g.pace != nil && !g.pace.Idle(now.Add(soonIdle)) {
		if pace, remembers := g.pace.Memory(now); remembers {
			m.Pace, ok = &pace, true
		}
	}
	m.Answered = ok && !g.served.idle(now)
	return m, ok
}

func (g *gate) recall(m Memory, now time.Time, c *Client) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.cfg.Window != nil && m.Held > 0 {
		g.held = later(g.held, now.Add(min(m.Held, c.cfg.Window.Length())))
	}
	if m.Throttle != nil {
		g.slow = m.Throttle.recall(now, c.top, c.cfg.MaxRetryAfter)
	}
	if m.Pace != nil && g.pace != nil {
		g.pace.Recall(*m.Pace, now)
	}
	if m.Answered {
		g.served.add(now)
	}
}

func (t *throttle) memory(now time.Time) *Throttle {
	since := func(at time.Time) time.Duration {
		if at.IsZero() {
			return longestQuiet
		}
		return max(0, now.Sub(at))
	}
	return &Throttle{
		Rate: t.rate, Top: t.top, Goal: t.goal, Stride: t.stride, Slow: t.slow, Quiet: t.quiet,
		Left: max(0, t.until.Sub(now)), Next: max(0, t.next.Sub(now)),
		Cut: since(t.cut), Beg: since(t.beg), Moved: since(t.moved),
	}
}

// recall makes a throttle that goes on from what was told, brought into the bounds of this client.
func (m *Throttle) recall(now time.Time, top float64, maxWait time.Duration) *throttle {
	ago := func(d time.Duration) time.Time { return now.Add(-min(max(0, d), longestQuiet)) }
	t := &throttle{
		until: now.Add(min(max(0, m.Left), maxWait)), cut: ago(m.Cut), beg: ago(m.Beg), moved: ago(m.Moved), used: now,
	}
	if !(m.Rate > 0) {
		return t
	}
	t.rate = min(max(slowest, m.Rate), top)
	t.top = min(max(t.rate, m.Top), top)
	t.goal = min(max(slowest, m.Goal), t.top)
	t.stride = max(m.Stride, weakStride)
	t.slow, t.quiet = m.Slow, min(max(weakQuiet, m.Quiet), longestQuiet)
	t.next = now.Add(min(max(0, m.Next), 2*maxSlotWait))
	return t
}
