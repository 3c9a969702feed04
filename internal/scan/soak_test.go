package scan

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/redialscan/redial/internal/lab"
)

// BenchmarkSoak scans a mixed list over and over, in one process; -benchtime 5m is a soak. What is left after a scan
// must not grow with their number: each scan ends with as many goroutines and descriptors as the first one, and the
// heap is told after the first and after the last.
func BenchmarkSoak(b *testing.B) {
	var first, last remains
	for n := 0; b.Loop(); n++ {
		soakOnce(b)
		last = remaining(b)
		if n == 0 {
			first = last
		}
		if last.goroutines > first.goroutines || last.descriptors > first.descriptors {
			b.Fatalf("got %d goroutines and %d descriptors after scan %d, %d and %d after the first",
				last.goroutines, last.descriptors, n+1, first.goroutines, first.descriptors)
		}
	}
	b.ReportMetric(float64(first.heap)/(1<<20), "MiB-first")
	b.ReportMetric(float64(last.heap)/(1<<20), "MiB-last")
	b.ReportMetric(float64(last.goroutines), "goroutines")
	b.ReportMetric(float64(last.descriptors), "descriptors")
}

// soakOnce scans hosts of which a part is down for good or for a while.
func soakOnce(b *testing.B) {
	b.Helper()
	l, err := lab.Start(lab.Config{
		Counts:    map[lab.Kind]int{lab.Healthy: 100, lab.Flaky: 20, lab.Refusing: 40, lab.Silent: 20, lab.Resetting: 20},
		FlakyDown: time.Second, Seed: 1,
	})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	opt := base()
	opt.Requester.Timeout, opt.Requester.DialTimeout = 500*time.Millisecond, 500*time.Millisecond
	opt.Breaker.Cooldown, opt.Breaker.MaxCooldown = time.Second, time.Second
	opt.Concurrency, opt.Linger = 150, 3*time.Second
	opt.Probe = probeOf(b, 50)
	ending, err := scanList(b, opt, urls(l))
	if err != nil || ending.Done < 120*50 || ending.Missing() != 0 {
		b.Fatalf("got %+v, %v, want all items of 120 hosts done", ending.Summary, err)
	}
}

// remains is what a process holds.
type remains struct {
	goroutines, descriptors int
	heap                    uint64
}

// remaining looks once all that has ended is collected.
func remaining(b *testing.B) remains {
	b.Helper()
	for range 2 { // what a finalizer frees is seen by the second one
		runtime.GC()
	}
	r := remains{goroutines: runtime.NumGoroutine()}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil { // Linux tells
		r.descriptors = len(open)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	r.heap = m.HeapAlloc
	return r
}
