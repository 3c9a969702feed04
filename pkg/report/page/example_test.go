package page_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/redialscan/redial/pkg/report"
	"github.com/redialscan/redial/pkg/report/page"
)

// What a host has sent is text in the page.
func Example() {
	p := page.New()
	p.Add(&report.Result{Matched: true, URL: "http://127.0.0.1:8080/", StatusCode: 200, Title: "<script>alert(1)</script>"})
	var html bytes.Buffer
	err := p.Write(&html)
	fmt.Println(err, strings.Contains(html.String(), "&lt;script&gt;alert(1)"))
	// Output: <nil> true
}
