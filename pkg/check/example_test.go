package check_test

import (
	"fmt"

	"github.com/redialscan/redial/pkg/check"
	"github.com/redialscan/redial/pkg/requester"
	"github.com/redialscan/redial/pkg/target"
)

func Example() {
	paths, err := check.ParsePaths("/login,/admin")
	if err != nil {
		fmt.Println(err)
		return
	}
	probe, err := check.NewProbe(check.ProbeOptions{
		Paths:  paths,
		Filter: check.FilterOptions{FilterString: []string{"under construction"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	host, err := target.Parse("https://example.com/app")
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range probe.Len() {
		request, err := probe.Request(host, i)
		if err != nil {
			fmt.Println(err)
			return
		}
		response := answer(request) // in a scan: client.Do(ctx, request, turn)
		page := check.ReadPage(response)
		fmt.Println(request.Target, page.Status, page.Title, probe.Match(&page, response))
	}
	// Output:
	// /app/login 200 Sign in & go true
	// /app/admin 404 Not here false
}

func answer(r *requester.Request) *requester.Response {
	if r.Target == "/app/login" {
		return &requester.Response{Status: 200, Body: []byte("<title>Sign in &amp;\n go</title>")}
	}
	return &requester.Response{Status: 404, Body: []byte("<title>Not here</title>")}
}

func ExampleNewFilter() {
	_, err := check.NewFilter(check.FilterOptions{MatchStatus: []string{"200,4xx"}})
	fmt.Println(err)
	// Output:
	// --match-status "200,4xx": bad number "4xx", expected a number from 100 to 999, a range such as 200-299, or one side as in >300
}
