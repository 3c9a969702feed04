package executor

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// What the executor itself costs per item: 200 hosts that answer at once, 150 workers.
func BenchmarkItem(b *testing.B) {
	const nHosts = 200
	cfg := Config[string]{
		Concurrency: 150, HostConcurrency: 10, Checks: max(1, b.N/nHosts),
		Host:        hostOf,
		Quarantined: func(string) bool { return false },
		Run:         func(context.Context, Item[string], *Turn) Outcome[string] { return Outcome[string]{} },
	}
	e, err := New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	i := 0
	if _, err := e.Run(b.Context(), func() (string, error) {
		if i++; i > nHosts {
			return "", io.EOF
		}
		return fmt.Sprint("h", i), nil
	}); err != nil {
		b.Fatal(err)
	}
}

// growth runs a pool over hosts that answer at once: so many targets, each a host of its own, with so many checks.
func growth(b *testing.B, cfg Config[int], targets, checks int, name func(int) string) {
	b.Helper()
	cfg.Concurrency, cfg.HostConcurrency, cfg.Checks, cfg.Host = 150, 10, checks, name
	if cfg.Run == nil {
		cfg.Run = func(context.Context, Item[int], *Turn) Outcome[int] { return Outcome[int]{} }
	}
	e, err := New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	i := 0
	tally, err := e.Run(b.Context(), func() (int, error) {
		if i++; i > targets {
			return 0, io.EOF
		}
		return i, nil
	})
	if err != nil || tally.Done != int64(targets*checks) {
		b.Fatalf("got %+v, %v, want %d done", tally, err, targets*checks)
	}
}

func numbered(i int) string { return "host-" + strconv.Itoa(i) }

// BenchmarkTarget is the cost of a target among b.N: it stays the same from -benchtime 10000x to 10000000x.
func BenchmarkTarget(b *testing.B) {
	b.ReportAllocs()
	growth(b, Config[int]{}, b.N, 1, numbered)
}

// BenchmarkChecks is the cost of an item where each host has so many.
func BenchmarkChecks(b *testing.B) {
	for _, checks := range []int{1, 10, 100, 1000, 10_000} {
		b.Run(strconv.Itoa(checks), func(b *testing.B) {
			b.ReportAllocs()
			growth(b, Config[int]{}, max(1, b.N/checks), checks, numbered)
		})
	}
}

// BenchmarkAmongParked is the cost of an item of a host that answers, while so many others are parked.
func BenchmarkAmongParked(b *testing.B) {
	const living = 200
	for _, parked := range []int{0, 1000, 10_000, 100_000} {
		b.Run(strconv.Itoa(parked), func(b *testing.B) {
			far := time.Now().Add(time.Hour)
			isParked := func(host string) bool { return host[0] == 'p' }
			checks := max(1, b.N/living)
			var done atomic.Int64
			e, err := New(Config[int]{
				Concurrency: 150, HostConcurrency: 10, Checks: checks,
				Host: func(i int) string {
					if i <= parked {
						return "parked-" + strconv.Itoa(i)
					}
					return numbered(i)
				},
				Quarantined: isParked,
				NextAdmit: func(host string, now time.Time) time.Time {
					if isParked(host) {
						return far
					}
					return now
				},
				Run: func(context.Context, Item[int], *Turn) Outcome[int] {
					if done.Add(1) == int64(living*checks) {
						b.StopTimer() // what giving up the parked ones costs is not asked
					}
					return Outcome[int]{}
				},
			})
			if err != nil {
				b.Fatal(err)
			}
			i := 0
			b.ReportAllocs()
			_, err = e.Run(b.Context(), func() (int, error) {
				if i++; i == parked+1 {
					for e.Tally().Parked < parked {
						runtime.Gosched()
					}
					b.ResetTimer()
				}
				if i > parked+living {
					return 0, io.EOF
				}
				return i, nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
