package requester_test

import (
	"testing"

	"github.com/redialscan/redial/internal/lab"
	"github.com/redialscan/redial/pkg/flow"
	"github.com/redialscan/redial/pkg/requester"
)

// allocs is what a healthy request with a small body may allocate: response, fields, the text of the head and the body.
const allocs = 4

func healthy(tb testing.TB) (*requester.Client, *requester.Request) {
	host := startLab(tb, lab.Spec{Kind: lab.Healthy})[0]
	c := newClient(tb, requester.Config{
		Breaker: newBreaker(tb, 30),
		Scan:    flow.Rule{Rate: 1e9}, Host: flow.Rule{Rate: 1e9},
	})
	req := to(host.Addr, "/")
	req.WantBody = true
	return c, req
}

func TestHealthyRequestAllocatesLittle(t *testing.T) {
	c, req := healthy(t)
	got := testing.AllocsPerRun(200, func() {
		if _, err := c.Do(t.Context(), req, nil); err != nil {
			t.Fatal(err)
		}
	})
	// The host runs in this process: what it allocates is counted as well, and a collection may empty the pool of buffers.
	if got > allocs+1 && !underRace {
		t.Errorf("got %v allocations per request, want %d", got, allocs)
	}
}

func BenchmarkHealthy(b *testing.B) {
	c, req := healthy(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Do(b.Context(), req, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHealthyParallel(b *testing.B) {
	c, req := healthy(b)
	b.ReportAllocs()
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := c.Do(b.Context(), req, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkRefused is what a dead host costs: most of a wide list is dead.
func BenchmarkRefused(b *testing.B) {
	host := startLab(b, lab.Spec{Kind: lab.Refusing})[0]
	c := newClient(b, requester.Config{})
	req := to(host.Addr, "/")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Do(b.Context(), req, nil); err == nil {
			b.Fatal("got an answer")
		}
	}
}
