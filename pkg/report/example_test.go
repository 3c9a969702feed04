package report_test

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/redialscan/redial/pkg/report"
)

// Two goroutines of a scan report what they found; the findings go to standard output.
func Example() {
	tally := report.NewTally(2)
	text := report.NewText(report.NewOutput("standard output", os.Stdout, false), report.TextOptions{})

	err := report.Run(context.Background(), report.NewMulti(nil, text, tally),
		func(ctx context.Context, emit func(report.Event)) error {
			var wg sync.WaitGroup
			wg.Go(func() {
				emit(&report.Result{
					URL: "http://127.0.0.1:8080/admin", Matched: true, Host: "127.0.0.1", Port: "8080",
					StatusCode: 200, ContentLength: 1234, Title: "Admin\x1b[2J", WebServer: "nginx",
				})
			})
			wg.Go(func() {
				emit(&report.Skipped{Host: "127.0.0.2:80", Reason: "dead", From: 1, To: 50})
			})
			wg.Wait()
			return nil
		}, nil)

	fmt.Println(err)
	fmt.Printf("%+v\n", tally.Counts())
	// Output:
	// http://127.0.0.1:8080/admin [200] [1234] [Admin\x1b[2J] [nginx]
	// <nil>
	// {Done:1 Failed:0 Skipped:49 Findings:1}
}
