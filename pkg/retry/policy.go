package retry

import "time"

// Policy holds the rules for the attempts at one piece of work. It is read only
// and may be shared by everything that goes by the same rules, from many
// goroutines. The zero value allows no call at all.
type Policy struct {
	Attempts int           // most calls, the first one included; 0 or less allows none
	Plan     Plan          // how long to wait between them
	Deadline time.Duration // from State.Started; attempts at or after it are not made; 0 or less is none
	Budget   *Budget       // shared by the scan; nil never refuses
}

// State is what one piece of work remembers between its attempts.
type State struct {
	Attempt int       // attempts that were spent so far, the failed one included
	Started time.Time // when the first one began; zero counts the deadline from now
}

// Decision is the answer to one question. Attempt and Wait are meant to be
// separate fields of a log line; neither holds anything of the request.
type Decision struct {
	Again   bool          // make another attempt, at At or later
	At      time.Time     // when Again: the time from which
	Wait    time.Duration // the planned wait; kept when deadline or scan budget forbade it, else 0
	Attempt int           // attempts spent so far
	Stop    Stop          // why not, when not Again
	Err     error         // the *PolicyError of StopBadPolicy
}

// Start answers whether an attempt may begin at now: before the first one, and
// again when the time of an earlier Decision has come, because work that stood
// in a queue may have missed its deadline there. It takes nothing from Budget.
func (p Policy) Start(st State, now time.Time) Decision {
	d := Decision{Attempt: st.Attempt}
	switch {
	case st.Attempt >= p.Attempts:
		d.Stop = StopExhausted
	case p.late(st, now, now):
		d.Stop = StopDeadline
	default:
		d.Again, d.At = true, now
	}
	return d
}

// Next answers what follows the failure of attempt st.Attempt, seen at now. The
// rules are asked in the order of the package's drawing and the first that says
// no is named. It is pure but for the jitter and for Budget, from which a
// positive answer takes one retry.
func (p Policy) Next(st State, f Failure, now time.Time) Decision {
	d := Decision{Attempt: st.Attempt}
	switch {
	case f.Kind == Cancelled:
		d.Stop = StopCancelled
	case f.Kind != Temporary || !f.Repeatable:
		d.Stop = StopPermanent
	case st.Attempt >= p.Attempts:
		d.Stop = StopExhausted
	}
	if d.Stop != StopNone {
		return d
	}
	wait, err := p.Plan.Wait(st.Attempt)
	if err != nil {
		d.Stop, d.Err = StopBadPolicy, err
		return d
	}
	d.Wait = max(wait, f.Pause)
	at := now.Add(d.Wait)
	switch {
	case p.late(st, now, at):
		d.Stop = StopDeadline
	case !p.Budget.Take():
		d.Stop = StopScanBudget
	default:
		d.Again, d.At = true, at
	}
	return d
}

// late reports whether an attempt at that moment would miss the deadline.
func (p Policy) late(st State, now, at time.Time) bool {
	if p.Deadline <= 0 {
		return false
	}
	started := st.Started
	if started.IsZero() {
		started = now
	}
	return at.Sub(started) >= p.Deadline
}
