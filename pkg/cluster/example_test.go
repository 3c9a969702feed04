package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/redialscan/redial/pkg/cluster"
	"github.com/redialscan/redial/pkg/report"
)

// hosts is an input: one target of each of a few hosts.
type hosts struct{ next int64 }

func (h *hosts) Next() (cluster.Target, error) {
	if h.next == 5 {
		return cluster.Target{}, io.EOF
	}
	h.next++
	key := fmt.Sprintf("host%d.example:80", h.next)
	return cluster.Target{Index: h.next - 1, Key: key, Line: json.RawMessage(`"http://` + key + `"`)}, nil
}

// greeter answers for every host. A real one scans.
type greeter struct{}

func (greeter) Run(_ context.Context, r cluster.Run) (cluster.Outcome, error) {
	for _, t := range r.Batch.Targets {
		r.Emit(&report.Result{Target: t.Index, Host: t.Key, Attempts: 1, Title: "welcome"})
	}
	return cluster.Outcome{Sent: int64(len(r.Batch.Targets))}, nil
}

func (greeter) Pace() cluster.Pace { return nil }

// A coordinator with an embedded server, and a worker that joins it.
func Example() {
	dir, err := os.MkdirTemp("", "cluster")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	server, err := cluster.Embed(cluster.EmbedConfig{Dir: dir, Listen: "127.0.0.1:0", Token: "of a file"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	ctx := context.Background()
	own, err := server.Dial(ctx, cluster.Access{Name: "coordinator"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer own.Close()
	coordinator, err := cluster.NewCoordinator(cluster.Config{
		Conn: own, Spec: cluster.Spec{Version: "v1", Items: 1}, Targets: &hosts{},
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	var worker sync.WaitGroup
	worker.Go(func() { // on another machine
		conn, err := cluster.Dial(ctx, cluster.Access{URL: server.URL(), Token: "of a file"})
		if err != nil {
			fmt.Println(err)
			return
		}
		defer conn.Close()
		if err := cluster.Join(ctx, cluster.WorkerConfig{
			Conn: conn, Version: "v1",
			NewRunner: func(context.Context, cluster.Spec, string) (cluster.Runner, error) { return greeter{}, nil },
		}); err != nil {
			fmt.Println(err)
		}
	})
	ending, err := coordinator.Serve(ctx)
	worker.Wait()
	fmt.Println(ending.Items, "items,", ending.Sent, "requests, error:", err)
	// Output: 5 items, 5 requests, error: <nil>
}
