package failurewindow_test

import (
	"fmt"
	"time"

	"github.com/redialscan/redial/pkg/failurewindow"
)

func Example() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	window, err := failurewindow.New(failurewindow.Config{
		Limit:  2,
		Length: time.Minute,
		Now:    func() time.Time { return now },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	const host = "app.example.com:443"
	for range 4 {
		if wait, ok := window.Admit(host); !ok {
			fmt.Println("held for", wait)
			now = now.Add(wait)
			continue
		}
		window.Record(host) // the request failed
		fmt.Println("failed")
		now = now.Add(10 * time.Second)
	}
	// Output:
	// failed
	// failed
	// held for 40s
	// failed
}
