package flow_test

import (
	"fmt"
	"time"

	"github.com/redialscan/redial/pkg/flow"
)

func ExampleTakeBoth() {
	scan, err := flow.New(flow.Rule{Rate: 100, Mode: flow.Queue, MaxQueueWait: time.Minute})
	if err != nil {
		fmt.Println(err)
		return
	}
	host, err := flow.New(flow.Rule{Rate: 0.5, Mode: flow.Queue, MaxQueueWait: 3 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Now()
	for range 2 {
		g := flow.TakeBoth(scan, host, now)
		fmt.Println("goes:", g.OK, "after", g.Wait)
	}
	g := flow.TakeBoth(scan, host, now)
	fmt.Println("goes:", g.OK, "ask again after", g.Wait)
	fmt.Println("another host:", scan.NextAdmit(now).Sub(now))
	// Output:
	// goes: true after 0s
	// goes: true after 2s
	// goes: false ask again after 1s
	// another host: 20ms
}

func ExampleGrant_Cancel() {
	l, err := flow.New(flow.Rule{Rate: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Now()
	l.Take(now)
	second, third := l.Take(now), l.Take(now)
	fmt.Println(second.Wait, third.Wait)
	second.Cancel(now)
	again, fourth := l.Take(now), l.Take(now)
	fmt.Println(again.Wait, fourth.Wait)
	// Output:
	// 500ms 1s
	// 500ms 1.5s
}

// Somebody else keeps the pace, and has given this process four moments of it.
func ExampleTakeLeased() {
	var pace flow.Leased
	now := time.Now()
	pace.Ready(now, 0)
	fmt.Println("wanted:", pace.Wanted(now))
	pace.Add(now.Add(10*time.Millisecond), 10*time.Millisecond, 4)
	for range 2 {
		g := flow.TakeLeased(&pace, nil, now, now)
		fmt.Println("goes:", g.OK, "after", g.Wait)
	}
	now = now.Add(time.Second)
	g := flow.TakeLeased(&pace, nil, now, now)
	fmt.Println("goes:", g.OK, "since the others have gone by")
	// Output:
	// wanted: 1
	// goes: true after 10ms
	// goes: true after 20ms
	// goes: false since the others have gone by
}
