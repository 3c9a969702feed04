package journal_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/redialscan/redial/pkg/journal"
	"github.com/redialscan/redial/pkg/report"
)

// The findings of an earlier run as text.
func Example() {
	events := strings.NewReader(`{"type":"started","time":"2026-03-01T12:00:00Z","format":1,"version":"1.2.3"}
{"type":"result","target":0,"index":0,"matched":true,"url":"http://127.0.0.1:8080/","status_code":200,"title":"Home"}
{"type":"result","target":0,"ind`)
	text := report.NewText(report.NewOutput("standard output", os.Stdout, false), report.TextOptions{})
	err := journal.Replay(context.Background(), events, text, func(bad *report.LineError) { fmt.Println(bad) })
	fmt.Println(err)
	// Output:
	// line 3: last line is cut short, expected a whole JSON object and a line end
	// http://127.0.0.1:8080/ [200] [0] [Home]
	// <nil>
}
