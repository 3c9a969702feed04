package requester

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redialscan/redial/pkg/hosterrors"
)

func TestLagIsTheWorstSinceAMoment(t *testing.T) {
	start := time.Unix(1000, 0)
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	var m lagMeter
	if got := m.worst(start, at(5000)); got != 0 {
		t.Errorf("lag %v before anything was measured, want 0", got)
	}
	m.note(at(0), at(0))
	m.note(at(1000), at(1400)) // 400 ms late
	m.note(at(5000), at(5001))
	m.note(at(9000), at(9000))
	for _, test := range []struct {
		from, now int
		want      time.Duration
	}{
		{0, 9000, 400 * time.Millisecond},
		{1900, 9000, 400 * time.Millisecond}, // of the same second
		{2000, 9000, time.Millisecond},
		{6000, 9000, 0},
		{6000, 9050, 0},
		{6000, 9051, time.Millisecond}, // it goes on
		{6000, 12000, 2950 * time.Millisecond},
	} {
		if got := m.worst(at(test.from), at(test.now)); got != test.want {
			t.Errorf("from %d to %d ms: lag %v, want %v", test.from, test.now, got, test.want)
		}
	}
}

func TestALongLagCountsInAllItsSeconds(t *testing.T) {
	start := time.Unix(1000, 0)
	var m lagMeter
	m.note(start, start)
	m.note(start.Add(time.Second), start.Add(4*time.Second))
	m.note(start.Add(9*time.Second), start.Add(9*time.Second))
	for s := 1; s <= 4; s++ {
		if got := m.worst(start.Add(time.Duration(s)*time.Second), start.Add(9*time.Second)); got != 3*time.Second {
			t.Errorf("from second %d on: lag %v, want 3 s", s, got)
		}
	}
}

func TestLagIsForgotten(t *testing.T) {
	start := time.Unix(1000, 0)
	var m lagMeter
	m.note(start, start)
	m.note(start, start.Add(time.Second))
	now := start.Add(2 * lagSlots * time.Second)
	m.note(now, now)
	if got := m.worst(start, now); got != 0 {
		t.Errorf("lag %v after two minutes, want 0", got)
	}
}

// silent is a network in which everything is accepted and nothing answered.
func silent(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	go func() { _, _ = io.Copy(io.Discard, far) }()
	return near, nil
}

// A time limit that passes while this process does not get to run blames nobody; a tenth of the limit is what it takes.
func TestStarvedTimeoutsBlameNobody(t *testing.T) {
	for _, lag := range []time.Duration{0, 99 * time.Millisecond, 100 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			b, err := hosterrors.NewWithConfig(hosterrors.Config{MaxHostError: 1})
			if err != nil {
				t.Fatal(err)
			}
			var strained error
			c, err := New(Config{Breaker: b, Timeout: time.Second, Dial: silent, Strained: func(err error) { strained = err }})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			measuring, stop := context.WithCancel(t.Context())
			defer stop()
			go c.MeasureLag(measuring) // finds none, since a bubble's clock waits for everybody
			now := time.Now()
			c.lag.note(now.Add(-lag), now)
			_, err = c.Do(t.Context(), &Request{Scheme: "http", Host: "host.test", Port: 80}, nil)
			starved, ok := errors.AsType[*hosterrors.StarvedError](err)
			if want := lag >= 100*time.Millisecond; ok != want || b.AnyTripped() == want || (strained != nil) != want {
				t.Errorf("lag %v: got %v, tripped %v, told of %v; want starved %v", lag, err, b.AnyTripped(), strained, want)
			}
			if ok && starved.Lag != lag {
				t.Errorf("lag %v, want %v", starved.Lag, lag)
			}
		})
	}
}
