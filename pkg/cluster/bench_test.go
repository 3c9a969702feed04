package cluster

import (
	"context"
	"fmt"
	"testing"

	"github.com/redialscan/redial/pkg/report"
)

// BenchmarkItems is what the fabric costs for each item, from the input to the handlers, with one worker and nothing to wait for.
func BenchmarkItems(b *testing.B) {
	for _, shape := range []struct{ targets, hosts, items int }{{200, 200, 500}, {50_000, 50_000, 1}} {
		b.Run(fmt.Sprintf("%d hosts of %d items", shape.hosts, shape.items), func(b *testing.B) {
			server, err := Embed(EmbedConfig{Dir: b.TempDir(), Listen: "127.0.0.1:0"})
			if err != nil {
				b.Fatal(err)
			}
			defer server.Close()
			own, err := server.Dial(b.Context(), Access{})
			if err != nil {
				b.Fatal(err)
			}
			defer own.Close()
			conn, err := Dial(b.Context(), Access{URL: server.URL()})
			if err != nil {
				b.Fatal(err)
			}
			defer conn.Close()
			ctx, stop := context.WithCancel(b.Context())
			ended := make(chan error, 1)
			go func() {
				ended <- Join(ctx, WorkerConfig{
					Conn: conn, Version: "v1", Stay: true,
					NewRunner: func(context.Context, Spec, string) (Runner, error) { return answering(shape.items), nil },
				})
			}()
			for b.Loop() {
				c, err := NewCoordinator(Config{
					Conn: own, Spec: Spec{Version: "v1", Items: shape.items}, Targets: listOf(shape.targets, shape.hosts),
					Handlers: []report.Handler{newBook()},
				})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := c.Serve(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*float64(shape.targets*shape.items)/b.Elapsed().Seconds(), "items/s")
			stop()
			if err := <-ended; err != nil {
				b.Fatal(err)
			}
		})
	}
}
