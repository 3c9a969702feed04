package hosterrors_test

import (
	"fmt"
	"syscall"
	"time"

	"github.com/redialscan/redial/pkg/hosterrors"
)

func Example() {
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	breaker, err := hosterrors.NewWithConfig(hosterrors.Config{
		MaxHostError: 2,
		Cooldown:     30 * time.Second,
		Now:          func() time.Time { return now },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer breaker.Close()

	send := func(outcome error) {
		ticket, ok := breaker.Enter("host:443")
		if !ok {
			fmt.Println("not sent, try again in", breaker.NextAdmit("host:443", now).Sub(now))
			return
		}
		if outcome != nil {
			ticket.Fail(outcome, false)
		} else {
			ticket.Success()
		}
		fmt.Println("sent, the host is", breaker.State("host:443"))
	}

	send(syscall.ECONNREFUSED)
	send(syscall.ECONNREFUSED)
	send(nil)
	now = now.Add(30 * time.Second)
	send(nil)
	// Output:
	// sent, the host is closed
	// sent, the host is open
	// not sent, try again in 30s
	// sent, the host is closed
}
