package page

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// chartHeight is the height of a chart in its own units.
const chartHeight = 200

// chart is one curve or several over the time of the scan.
type chart struct {
	Title       string
	Top, Bottom string // the values at the edges
	Bars        string // the path of the first kind of chart
	Lines       []line // of the second
	Ticks       []string
	Columns     []string
	Rows        [][]string // the same in numbers
}

type line struct {
	Name, Class, Points string
}

// charts are requests and latency over time. A scan of which nothing ended has none.
func (p *Page) charts(end time.Time) []chart {
	c := &p.curve
	if len(c.slots) == 0 {
		return nil
	}
	if total := end.Sub(c.begin); total > 0 { // where nothing ended, that is worth seeing: to the end, as the hosts are shown
		for total/c.width >= maxSlots {
			c.fold()
		}
		for len(c.slots) <= int(total/c.width) {
			c.slots = append(c.slots, slot{})
		}
	}
	var ticks []string
	whole := c.width * time.Duration(len(c.slots))
	for i := range 5 {
		ticks = append(ticks, humanDuration(whole*time.Duration(i)/4))
	}
	all := []chart{c.requests(), c.latency()}
	for i := range all {
		all[i].Ticks = ticks
	}
	return all
}

func (c *curve) requests() chart {
	most := 0.0
	for i := range c.slots {
		most = max(most, c.rate(i))
	}
	ch := chart{
		Title: "Requests per second", Top: perSecond(most),
		Columns: []string{"time", "requests per second", "failed items"},
	}
	width := chartWidth / float64(len(c.slots))
	var path strings.Builder
	for i, s := range c.slots {
		if most > 0 && s.attempts > 0 {
			height := max(1, chartHeight*c.rate(i)/most)
			fmt.Fprintf(&path, "M%.1f %dv-%.1fh%.1fv%.1fz", float64(i)*width, chartHeight, height, width, height)
		}
		ch.Rows = append(ch.Rows, []string{c.at(i), perSecond(c.rate(i)), number(s.failed)})
	}
	ch.Bars = path.String()
	return ch
}

func (c *curve) at(i int) string { return humanDuration(c.width * time.Duration(i)) }

func (c *curve) latency() chart {
	shares := []struct {
		name, class string
		q           float64
	}{{"half", "p50", 0.5}, {"95 in 100", "p95", 0.95}, {"99 in 100", "p99", 0.99}}
	ch := chart{Title: "Time to an answer", Columns: []string{"time"}}
	var least, most time.Duration
	for i := range c.slots {
		low, high := percentile(c.slots[i].latency, 0.5), percentile(c.slots[i].latency, 0.99)
		if low > 0 && (least == 0 || low < least) {
			least = low
		}
		most = max(most, high)
		ch.Rows = append(ch.Rows, []string{c.at(i)})
	}
	// A logarithmic scale: what is common and what is rare lie a thousandfold apart.
	most = max(most, 2*least)
	ch.Top, ch.Bottom = humanDuration(most), humanDuration(least)+" (each step up is the same factor)"
	height := func(took time.Duration) float64 {
		return chartHeight * math.Log(float64(took)/float64(least)) / math.Log(float64(most)/float64(least))
	}
	width := chartWidth / float64(len(c.slots))
	for _, share := range shares {
		ch.Columns = append(ch.Columns, share.name)
		var points strings.Builder
		drawn := false // nothing is where nothing was answered
		for i, s := range c.slots {
			took := percentile(s.latency, share.q)
			text := ""
			if took > 0 {
				text = humanDuration(took)
				y := chartHeight - height(took)
				if !drawn { // from edge to edge of the column, so that one by itself is seen
					fmt.Fprintf(&points, "M%.1f %.1fh%.1f", float64(i)*width, y, width/2)
				} else {
					fmt.Fprintf(&points, "L%.1f %.1f", (float64(i)+0.5)*width, y)
				}
			}
			if drawn = took > 0; drawn && (i+1 == len(c.slots) || percentile(c.slots[i+1].latency, share.q) == 0) {
				fmt.Fprintf(&points, "h%.1f", width/2)
			}
			ch.Rows[i] = append(ch.Rows[i], text)
		}
		ch.Lines = append(ch.Lines, line{share.name + " of the answers", share.class, points.String()})
	}
	return ch
}
