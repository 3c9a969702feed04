package lab

import (
	"slices"
	"time"
)

// Arrivals says how many requests came when, over all hosts. Its JSON is what `redial lab` writes.
type Arrivals struct {
	Requests int `json:"requests"`
	// Most is the most that came within any one second, wherever it begins.
	Most    int      `json:"most_in_a_second"`
	Seconds []Second `json:"seconds,omitempty"` // of the clock, from the first request to the last
}

// Second is one second of the clock, in which so many requests came.
type Second struct {
	Begins   time.Time `json:"begins"`
	Requests int       `json:"requests"`
}

// Arrivals counts the requests of all hosts by the time at which they came. It needs Config.RecordTimes, or it has none.
func (l *Lab) Arrivals() Arrivals {
	var all []time.Time
	for _, h := range l.hosts {
		all = append(all, h.Times()...)
	}
	slices.SortFunc(all, time.Time.Compare)
	return arrivalsOf(all)
}

// arrivalsOf counts times that ascend.
func arrivalsOf(at []time.Time) Arrivals {
	a := Arrivals{Requests: len(at)}
	from := 0 // the first of the second that ends with i
	for i, t := range at {
		for t.Sub(at[from]) >= time.Second {
			from++
		}
		a.Most = max(a.Most, i-from+1)
		begins := t.Round(0).Truncate(time.Second).UTC()
		for n := len(a.Seconds); n > 0 && a.Seconds[n-1].Begins.Before(begins.Add(-time.Second)); n++ {
			a.Seconds = append(a.Seconds, Second{Begins: a.Seconds[n-1].Begins.Add(time.Second)})
		}
		if n := len(a.Seconds); n == 0 || a.Seconds[n-1].Begins.Before(begins) {
			a.Seconds = append(a.Seconds, Second{Begins: begins})
		}
		a.Seconds[len(a.Seconds)-1].Requests++
	}
	return a
}
