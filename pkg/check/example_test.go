package check_test

import (
	"context"
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

func ExampleLoad() {
	set, err := check.Load(context.Background(), check.LoadOptions{
		Paths:  []string{"../../testdata/templates"},
		Select: check.Selection{Tags: []string{"panel"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	host, err := target.Parse("http://example.com")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range set.Checks {
		out, err := c.Run(context.Background(), check.Job{Target: host, Send: answers{}})
		for _, f := range out.Findings {
			fmt.Println(c.ID(), c.Info().Severity, f.MatchedAt, f.Extracted, err)
		}
	}
	// Output:
	// lab-sign-in info http://example.com/login [example] <nil>
}

// answers stands for a requester.Client.
type answers struct{}

func (answers) Do(_ context.Context, req *requester.Request, _ requester.Turn) (*requester.Response, error) {
	return &requester.Response{
		Status: 200, Proto: "HTTP/1.1", Header: []requester.Field{{Name: "Server", Value: "example"}},
		Body: []byte("<title>Sign in</title>"),
	}, nil
}
