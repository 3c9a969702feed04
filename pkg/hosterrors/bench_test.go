package hosterrors

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

const benchKeys = 10_000

// healthyCalls are the calls of a healthy host while another one is tripped, beside the hit of a bare
// sync.Map that they are measured by. Each loads with keys[i].
func healthyCalls(b *testing.B) (keys []string, calls []namedCall) {
	c, err := NewWithConfig(Config{MaxHostError: 3})
	if err != nil {
		b.Fatal(err)
	}
	c.Trip("other:443", hostError)
	var bare sync.Map
	keys = make([]string, benchKeys)
	for i := range keys {
		keys[i] = fmt.Sprintf("10.0.%d.%d:443", i>>8, i&255)
		bare.Store(keys[i], new(record))
	}
	return keys, []namedCall{
		{"bare", func(key string) bool { _, ok := bare.Load(key); return ok }},
		{"Quarantined", func(key string) bool { return !c.Quarantined(key) }},
		{"Admit", c.Admit},
		{"MarkSuccess", func(key string) bool { c.MarkSuccess(key); return true }},
		{"ticket", func(key string) bool { ticket, ok := c.Enter(key); ticket.Success(); return ok }},
	}
}

type namedCall struct {
	name string
	call func(key string) bool
}

func BenchmarkHealthy(b *testing.B) {
	keys, calls := healthyCalls(b)
	for _, call := range calls {
		b.Run(call.name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if !call.call(keys[i]) {
					b.Fatal("a healthy host is refused")
				}
				if i++; i == len(keys) {
					i = 0
				}
			}
		})
	}
}

// BenchmarkHealthyParallel is for -cpu 1,2: the second should do at least 1.6 times the work.
func BenchmarkHealthyParallel(b *testing.B) {
	keys, calls := healthyCalls(b)
	for _, call := range calls {
		b.Run(call.name, func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				i := 0
				for pb.Next() {
					if !call.call(keys[i]) {
						b.Error("a healthy host is refused")
					}
					if i++; i == len(keys) {
						i = 0
					}
				}
			})
		})
	}
}

// BenchmarkTrip also tells what a million tripped hosts weigh.
func BenchmarkTrip(b *testing.B) {
	const hosts = 1_000_000
	for b.Loop() {
		before := heapInUse()
		c, err := NewWithConfig(Config{MaxHostError: 1})
		if err != nil {
			b.Fatal(err)
		}
		for i := range hosts {
			c.MarkFailed(fmt.Sprintf("10.%03d.%03d.%03d:1", i>>16, i>>8&255, i&255), hostError, false)
		}
		b.ReportMetric(float64(heapInUse()-before)/hosts, "B/host")
		c.Close()
	}
}

// BenchmarkAmongTripped is the cost of a ticket of a healthy host, and of the question when a dead one may be called, while
// so many are quarantined: no call may walk through them.
func BenchmarkAmongTripped(b *testing.B) {
	for _, tripped := range []int{0, 1000, 10_000, 100_000} {
		c, err := NewWithConfig(Config{MaxHostError: 1})
		if err != nil {
			b.Fatal(err)
		}
		for i := range tripped {
			c.Trip(fmt.Sprintf("dead-%d:80", i), hostError)
		}
		b.Run(fmt.Sprintf("ticket/%d", tripped), func(b *testing.B) {
			for b.Loop() {
				ticket, _ := c.Enter("healthy:80")
				ticket.Success()
			}
		})
		b.Run(fmt.Sprintf("question/%d", tripped), func(b *testing.B) {
			now := time.Now()
			for b.Loop() {
				if c.Quarantined("dead-0:80") {
					c.NextAdmit("dead-0:80", now)
				}
			}
		})
		c.Close()
	}
}
