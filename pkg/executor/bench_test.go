package executor

import (
	"context"
	"fmt"
	"io"
	"testing"
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
