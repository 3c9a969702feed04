package retry_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redialscan/redial/pkg/retry"
)

// The scan's own loop: no goroutine waits, the item goes back to its backlog.
func ExamplePolicy_Next() {
	policy := retry.Policy{
		Attempts: 3,
		Plan:     retry.Plan{Base: 2 * time.Second, Max: 10 * time.Second, Jitter: retry.NoJitter},
		Deadline: 6 * time.Second,
	}
	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	now := began
	failure := retry.Failure{Kind: retry.Temporary, Repeatable: retry.MayRepeat("GET", false)}
	for attempt := 1; ; attempt++ {
		d := policy.Next(retry.State{Attempt: attempt, Started: began}, failure, now)
		fmt.Printf("attempt=%d again=%v wait=%v stop=%v\n", d.Attempt, d.Again, d.Wait, d.Stop)
		if !d.Again {
			return
		}
		now = d.At
	}
	// Output:
	// attempt=1 again=true wait=2s stop=none
	// attempt=2 again=false wait=4s stop=deadline
}

func ExampleLoop() {
	busy := errors.New("busy")
	loop := retry.Loop{
		Policy: retry.Policy{Attempts: 3, Plan: retry.Plan{Base: time.Millisecond, Max: time.Second}},
		Judge: func(err error) retry.Failure {
			if errors.Is(err, busy) {
				return retry.Failure{Kind: retry.Temporary, Repeatable: true}
			}
			return retry.Failure{}
		},
	}
	result := loop.Do(context.Background(), func(_ context.Context, attempt int) error {
		if attempt < 3 {
			return busy
		}
		return nil
	})
	fmt.Println(result.Attempts, result.Stop, result.Err)
	// Output: 3 none <nil>
}

func ExampleWaits() {
	fmt.Println(retry.Waits(3, 3, 10, []uint64{0, 1, 9}))
	fmt.Println(retry.Waits(3, 3, 10, []uint64{0}))
	// Output:
	// [3 7 10] <nil>
	// [3] bad retry policy: no wait 2: its jitter value is missing, want one a wait
}

func ExampleRetryAfter() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, value := range []string{"7", "99999999999", "Sun, 01 Mar 2026 12:00:30 GMT", "-5", "soon"} {
		fmt.Println(retry.RetryAfter(value, now, retry.DefaultMaxRetryAfter))
	}
	// Output:
	// 7s true
	// 1m0s true
	// 30s true
	// 0s false
	// 0s false
}

func ExampleBudget() {
	budget, err := retry.NewBudget(retry.DefaultBudgetPercent, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 20 {
		budget.Sent()
	}
	fmt.Println(budget.Take(), budget.Take(), budget.Take())
	// Output: true true false
}
