package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// chartWidth is the width of a timeline and of a chart in units of their own; the page stretches them.
const chartWidth = 1000

// stretch is all that a host did in one state, as one path: a page of thousands of hosts opens the sooner the fewer
// elements it has.
type stretch struct {
	Class string // of the style sheet
	Path  string
}

// strips are where the states lie in a timeline 24 units high: the more is wrong, the higher, so that colour is not all
// that tells them apart.
var strips = []struct {
	state, class string
	top, height  float64
}{{closed, "closed", 17, 5}, {open, "open", 8, 14}, {halfOpen, "half", 4, 18}, {dead, "dead", 2, 20}}

// viewTracks makes the rows of the hosts, the worst first.
func (p *Page) viewTracks(v *view, begin, end time.Time) {
	for _, t := range p.tracks {
		t.sort()
		if last := t.moves[len(t.moves)-1].At; last.After(end) { // a summary may be a moment older than what it ends
			end = last
		}
	}
	worst := slices.Clone(p.tracks)
	slices.SortStableFunc(worst, func(a, b *track) int {
		return cmp.Or(
			cmp.Compare(rank(a.state()), rank(b.state())),
			cmp.Compare(p.overview.Host(b.host).Skipped, p.overview.Host(a.host).Skipped),
			cmp.Compare(b.away(begin, end), a.away(begin, end)),
			cmp.Compare(a.host, b.host),
		)
	})
	var rows []hostRow
	for _, t := range worst[:min(len(worst), shownHosts)] {
		rows = append(rows, p.hostRow(t, begin, end))
	}
	v.Tracks = fold(rows, openHosts, shownHosts, v.Tripped)
	for i := range 5 {
		v.Ticks = append(v.Ticks, humanDuration(end.Sub(begin)*time.Duration(i)/4))
	}
}

func rank(state string) int {
	switch state {
	case dead:
		return 0
	case closed:
		return 2
	}
	return 1
}

func (p *Page) hostRow(t *track, begin, end time.Time) hostRow {
	n := p.overview.Host(t.host)
	row := hostRow{
		Host: clean(t.host), State: clean(t.state()), Away: humanDuration(t.away(begin, end)), Error: clean(t.lastError()), Trips: t.trips(),
		Done: n.Done, Failed: n.Failed, Skipped: n.Skipped,
	}
	x := func(at time.Time) float64 {
		if !end.After(begin) {
			return 0
		}
		return chartWidth * float64(clamp(at, begin, end).Sub(begin)) / float64(end.Sub(begin))
	}
	row.Line = stretches(t, begin, end, x)
	row.Story = story(t, begin)
	return row
}

// stretches draws the states, and over them the calls.
func stretches(t *track, begin, end time.Time, x func(time.Time) float64) []stretch {
	var all []stretch
	add := func(class string, path *strings.Builder) {
		if path.Len() > 0 {
			all = append(all, stretch{class, path.String()})
		}
	}
	spans := t.spans(begin, end)
	for _, strip := range strips {
		var path strings.Builder
		for _, s := range spans {
			if s.state == strip.state {
				// What is too short to be seen is half a unit wide all the same.
				width := max(0.5, x(s.to)-x(s.from))
				fmt.Fprintf(&path, "M%.1f %gh%.1fv%gh-%.1fz", x(s.from), strip.top, width, strip.height, width)
			}
		}
		add(strip.class, &path)
	}
	for _, answered := range []bool{false, true} {
		var path strings.Builder
		for _, c := range t.calls() {
			if c.answered == answered {
				fmt.Fprintf(&path, "M%.1f 1v22", x(c.at))
			}
		}
		class := "call"
		if answered {
			class = "back"
		}
		add(class, &path)
	}
	return all
}

// storyMoves is how many changes are told in words.
const storyMoves = 12

// story is a timeline in words, for those who hear it.
func story(t *track, begin time.Time) string {
	var parts []string
	for i, m := range t.moves {
		if i == storyMoves {
			parts = append(parts, fmt.Sprintf("and %d more changes", len(t.moves)-i))
			break
		}
		at := humanDuration(max(0, m.At.Sub(begin)))
		switch m.To {
		case open:
			if m.From == halfOpen {
				parts = append(parts, at+": no answer")
			} else {
				parts = append(parts, at+": quarantined")
			}
		case halfOpen:
			parts = append(parts, at+": called")
		case closed:
			parts = append(parts, at+": recovered")
		case dead:
			parts = append(parts, at+": given up")
		}
	}
	return strings.Join(parts, "; ")
}
