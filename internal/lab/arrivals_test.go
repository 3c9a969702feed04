package lab

import (
	"reflect"
	"testing"
	"time"
)

func TestArrivalsBySecond(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var at []time.Time
	for _, ms := range []int{600, 700, 999, 1000, 1599, 1600, 4000} {
		at = append(at, start.Add(time.Duration(ms)*time.Millisecond))
	}
	second := func(n, requests int) Second { return Second{start.Add(time.Duration(n) * time.Second), requests} }
	want := Arrivals{
		Requests: 7, Most: 5, // from 600 to 1599, and from 700 to 1600
		Seconds: []Second{second(0, 3), second(1, 3), second(2, 0), second(3, 0), second(4, 1)},
	}
	if got := arrivalsOf(at); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := arrivalsOf(nil); !reflect.DeepEqual(got, Arrivals{}) {
		t.Errorf("of none: got %+v", got)
	}
}

func TestArrivalsOfALab(t *testing.T) {
	l := startLab(t, Config{Counts: map[Kind]int{Healthy: 2}, RecordTimes: true})
	for _, h := range l.Hosts() {
		for range 3 {
			resp, err := newClient(t).Get(h.URL())
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
	}
	a, sum := l.Arrivals(), 0
	for _, s := range a.Seconds {
		sum += s.Requests
	}
	if a.Requests != 6 || sum != 6 || a.Most < 1 || a.Most > 6 {
		t.Errorf("got %+v, want 6 requests", a)
	}
}
