package lab

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestCountsAreExact(t *testing.T) {
	const clients, rounds = 20, 25
	before := time.Now()
	l := startLab(t, Config{Counts: map[Kind]int{Healthy: 3}, RecordTimes: true})
	var sending sync.WaitGroup
	for i := range clients {
		sending.Go(func() {
			client := newClient(t)
			for n := range rounds {
				for _, h := range l.Hosts() {
					resp, err := client.Get(h.URL() + fmt.Sprintf("p%d?c=%d", n, i%4))
					if err != nil {
						t.Error(err)
						return
					}
					_, _ = io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
			}
		})
	}
	sending.Wait()
	for _, h := range l.Hosts() {
		s, paths := h.Stats(), h.Paths()
		if s.Requests != clients*rounds || s.InFlight != 0 || s.Broken != 0 {
			t.Errorf("%s: %d requests, %d in flight, %d broken; want %d, 0, 0", s.Host, s.Requests, s.InFlight, s.Broken, clients*rounds)
		}
		if s.MaxInFlight < 1 || s.MaxInFlight > clients || s.MaxOpen > s.Connections {
			t.Errorf("%s: at most %d in flight and %d open of %d clients and %d connections", s.Host, s.MaxInFlight, s.MaxOpen, clients, s.Connections)
		}
		if len(paths) != rounds*4 {
			t.Errorf("%s: %d paths, want %d", s.Host, len(paths), rounds*4)
		}
		for path, n := range paths {
			if n != clients/4 {
				t.Errorf("%s%s: %d requests, want %d", s.Host, path, n, clients/4)
			}
		}
		if s.First.Before(before) || s.Last.Before(s.First) || time.Now().Before(s.Last) {
			t.Errorf("%s: first %v, last %v; the test began %v", s.Host, s.First, s.Last, before)
		}
	}
	for _, h := range l.Hosts() {
		at := h.Times()
		if len(at) != clients*rounds || !slices.IsSortedFunc(at, time.Time.Compare) {
			t.Errorf("%d times, want %d in order", len(at), clients*rounds)
		}
		if s := h.Stats(); !at[0].Equal(s.First) || !at[len(at)-1].Equal(s.Last) {
			t.Errorf("times from %v to %v, want %v to %v", at[0], at[len(at)-1], s.First, s.Last)
		}
		if n := l.Requests(h.Addr); n != clients*rounds {
			t.Errorf("Requests(%s) = %d", h.Addr, n)
		}
	}
}

func TestPathsAreBounded(t *testing.T) {
	c := counter{keepPaths: true}
	r := request{}
	for i := range maxPaths + 7 {
		r.target = fmt.Appendf(nil, "/%d", i)
		c.begin(&r)
	}
	paths := c.pathCounts()
	if len(paths) != maxPaths+1 || paths[OtherPaths] != 7 {
		t.Errorf("%d paths and %d others, want %d and 7", len(paths), paths[OtherPaths], maxPaths+1)
	}
}

func TestRawKeepsTheLastRequests(t *testing.T) {
	l := startLab(t, Config{Counts: map[Kind]int{Healthy: 1}, RecordRaw: 2})
	h := l.Hosts()[0]
	c := dial(t, h.Addr)
	sent := []string{
		"GET /1 HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /2 HTTP/1.1\r\nx-B: 2\r\nX-a:1\r\nContent-Length: 5\r\n\r\nhello",
		"PUT /3 HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3;x=y\r\nabc\r\n0\r\nT: 1\r\n\r\n",
	}
	if _, err := io.WriteString(c, strings.Join(sent, "")); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(c)
	if n := bytes.Count(got, []byte("HTTP/1.1 404")); n != 3 || err != nil {
		t.Errorf("%d answers (%v), want 3", n, err)
	}
	raw := h.Raw()
	if len(raw) != 2 || string(raw[0]) != sent[1] || string(raw[1]) != sent[2] {
		t.Errorf("kept %q, want %q", raw, sent[1:])
	}
}

func TestStatsJSON(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	got, err := json.Marshal([]HostStats{
		{Host: "127.9.9.1:80", Kind: Healthy, Requests: 3, Connections: 1, First: at, Last: at},
		{Host: "127.9.9.2:80", Kind: Refusing},
	})
	want := `[{"host":"127.9.9.1:80","kind":"healthy","requests":3,"connections":1,"broken":0,"in_flight":0,"max_in_flight":0,` +
		`"max_open":0,"first":"2026-01-02T03:04:05Z","last":"2026-01-02T03:04:05Z"},` +
		`{"host":"127.9.9.2:80","kind":"refusing","requests":0,"connections":0,"broken":0,"in_flight":0,"max_in_flight":0,"max_open":0}]`
	if err != nil || string(got) != want {
		t.Errorf("got %s (%v)\nwant %s", got, err, want)
	}
}
