package executor_test

import (
	"context"
	"fmt"
	"io"

	"github.com/redialscan/redial/pkg/executor"
)

// Two checks against each of two hosts, of which one does not answer.
func Example() {
	targets := []string{"good.example", "gone.example"}
	e, err := executor.New(executor.Config[string]{
		Concurrency: 1,
		Checks:      2,
		Host:        func(target string) string { return target },
		Run: func(_ context.Context, item executor.Item[string], _ *executor.Turn) executor.Outcome[string] {
			if item.Target == "gone.example" {
				return executor.Outcome[string]{Kind: executor.HostError, Err: io.ErrUnexpectedEOF}
			}
			return executor.Outcome[string]{Kind: executor.Done}
		},
		Failed: func(f executor.Failure[string]) {
			fmt.Printf("%s, check %d: %v\n", f.Item.Target, f.Item.Check, f.Err)
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	tally, err := e.Run(context.Background(), func() (string, error) {
		if len(targets) == 0 {
			return "", io.EOF
		}
		next := targets[0]
		targets = targets[1:]
		return next, nil
	})
	fmt.Println(tally.Done, "done,", tally.Failed, "failed,", tally.Items, "items, error:", err)
	// Output:
	// gone.example, check 0: unexpected EOF
	// gone.example, check 1: unexpected EOF
	// 2 done, 2 failed, 4 items, error: <nil>
}
