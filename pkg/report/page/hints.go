package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// hint is what a person might change for the next scan, and why.
type hint struct {
	Why string
	Try []string // flags, one or the other; none when there is nothing to change
}

// evidence is what hints are drawn from.
type evidence struct {
	begin, end time.Time
	options    map[string]string // those of the scan
	tracks     []*track
	answered   func(host string) bool // did it ever finish an item
	throttled  int                    // hosts that asked for less
	pauses     int
	p99        time.Duration
}

// outcomes counts the hosts by what became of them, and the calls to them.
type outcomes struct {
	recovered, open, dead int // at the end
	lost                  int // dead, and had answered before
	flapping              int // recovered and went away again
	calls, callsAnswered  int
	callsToRecover        []int           // of each recovery
	dueAfter              []time.Duration // how long after the end open hosts would have been called
}

func (e *evidence) outcomes() outcomes {
	var o outcomes
	for _, t := range e.tracks {
		switch t.state() {
		case closed:
			o.recovered++
		case dead:
			o.dead++
			if e.answered(t.host) {
				o.lost++
			}
		default:
			o.open++
			if due := t.due(); due.After(e.end) {
				o.dueAfter = append(o.dueAfter, due.Sub(e.end))
			}
		}
		if t.opened() > 1 {
			o.flapping++
		}
		since := 0
		for _, c := range t.calls() {
			o.calls++
			since++
			if c.answered {
				o.callsAnswered++
				o.callsToRecover = append(o.callsToRecover, since)
				since = 0
			}
		}
	}
	slices.Sort(o.callsToRecover)
	slices.Sort(o.dueAfter)
	return o
}

// fewCalls is below which the calls of a scan say nothing of its network.
const fewCalls = 5

// hints says whether the settings suited the network.
func (e *evidence) hints() []hint {
	o := e.outcomes()
	var all []hint
	add := func(try []string, format string, args ...any) {
		all = append(all, hint{fmt.Sprintf(format, args...), try})
	}

	if len(e.tracks) == 0 {
		add(nil, "No host was quarantined: cooldown and trips had nothing to do.")
	}
	all = append(all, e.aboutCooldown(o)...)
	if o.open > 0 && o.callsAnswered > 0 && len(o.dueAfter) > 0 {
		most := o.dueAfter[len(o.dueAfter)-1]
		add([]string{"--linger " + rounded(e.option("linger")+most)}, "%s in quarantine when the scan ended, though %d of %d calls had been answered. All of them were due within %s.",
			are(o.open, "host", "was still", "were still"), o.callsAnswered, o.calls, rounded(most))
	}
	if o.lost > 0 {
		add([]string{"--max-trips " + strconv.Itoa(2*max(1, e.number("max-trips"))), "--max-cooldown " + rounded(2*e.option("max-cooldown"))},
			"%s before being given up for dead. Hosts that live may come back later.", are(o.lost, "host", "had answered", "had answered"))
	}
	if o.flapping > 0 {
		add(append(e.half("host-concurrency", 1), e.half("host-rate-limit", 1)...), "%s and went away again: the pace may be too much for them.", are(o.flapping, "host", "recovered", "recovered"))
	}
	if e.throttled > 0 {
		add(e.half("host-rate-limit", 1), "%s for fewer requests (429 or 503).", are(e.throttled, "host", "asked", "asked"))
	}
	if e.pauses > 0 {
		add(append(e.half("concurrency", 10), e.half("rate-limit", 10)...), "The scan held still %s because hosts that had answered failed together: the fault was on this side.", times(e.pauses))
	}
	if limit := e.option("timeout"); limit > 0 && e.p99 > limit*3/4 {
		add([]string{"--timeout " + rounded(2*limit)}, "One answer in a hundred took %s or longer, close to the timeout of %s.", rounded(e.p99), rounded(limit))
	}
	return all
}

// aboutCooldown judges the calls to quarantined hosts.
func (e *evidence) aboutCooldown(o outcomes) []hint {
	cooldown := e.option("cooldown")
	if o.callsAnswered == 0 {
		if o.calls < fewCalls {
			return nil
		}
		return []hint{{
			fmt.Sprintf("None of the %d calls to quarantined hosts was answered: those hosts are most likely gone. Calling them less costs nothing.", o.calls),
			[]string{"--max-trips 1 --linger 0", "--no-revisit"},
		}}
	}
	median := o.callsToRecover[len(o.callsToRecover)/2]
	slowest := o.callsToRecover[len(o.callsToRecover)-1]
	switch {
	case slowest == 1 && cooldown > 4*time.Second:
		return []hint{{
			fmt.Sprintf("Every host that recovered (%d) did so at its first call: a shorter cooldown may have them back sooner.", o.recovered),
			[]string{"--cooldown " + rounded(cooldown/2)},
		}}
	case median >= 3 && cooldown > 0:
		return []hint{{
			fmt.Sprintf("Hosts that recovered needed %d calls in the middle: a longer cooldown spares the calls before.", median),
			[]string{"--cooldown " + rounded(cooldown<<min(median-1, 6))},
		}}
	}
	return []hint{{
		fmt.Sprintf("%d of %d calls to quarantined hosts were answered, the slowest host recovered at call %d: the cooldown suits this network.",
			o.callsAnswered, o.calls, slowest), nil,
	}}
}

// option is a duration among the options of the scan, 0 when it is not there.
func (e *evidence) option(name string) time.Duration {
	d, err := time.ParseDuration(e.options[name])
	if err != nil {
		return 0
	}
	return d
}

func (e *evidence) number(name string) int {
	n, err := strconv.Atoi(e.options[name])
	if err != nil {
		return 0
	}
	return n
}

// half is the flag with half of what it was, nothing when it was less than that allows, or no limit at all.
func (e *evidence) half(name string, least float64) []string {
	v, err := strconv.ParseFloat(e.options[name], 64)
	if err != nil || v < 2*least {
		return nil
	}
	return []string{"--" + name + " " + strconv.FormatFloat(math.Floor(v/2), 'f', -1, 64)}
}

// rounded is a duration as one types it for a flag: whole seconds from two seconds on.
func rounded(d time.Duration) string {
	switch {
	case d >= 2*time.Second:
		return shortDuration((d + time.Second - 1).Truncate(time.Second))
	case d >= time.Millisecond:
		return shortDuration(d.Round(time.Millisecond))
	}
	return d.String()
}

func are(n int, noun, one, many string) string {
	if n == 1 {
		return "1 " + noun + " " + one
	}
	return strconv.Itoa(n) + " " + noun + "s " + many
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}
