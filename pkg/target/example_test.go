package target_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/redialscan/redial/pkg/target"
)

func Example() {
	const list = `
# what we run
HTTPS://Example.com./login
https://example.com:443/login  # the port is given
10.0.0.0/30
ftp://example.com
`
	exclude, err := target.NewExclusion([]string{"10.0.0.0", "10.0.0.3"})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := target.NewReader(target.Config{
		Sources: []target.Source{target.Stream("standard input", strings.NewReader(list))},
		Ports:   []uint16{80, 8080},
		Exclude: exclude,
		OnBad:   func(e *target.LineError) { fmt.Println("skipped", e) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	for {
		t, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(t.Key(), t)
	}
	fmt.Println(r.Targets(), "targets,", r.Duplicates(), "duplicate,", r.Excluded(), "excluded")
	// Output:
	// example.com:80 https://example.com:80/login
	// example.com:8080 https://example.com:8080/login
	// example.com:443 https://example.com/login
	// 10.0.0.1:80 10.0.0.1:80
	// 10.0.0.1:8080 10.0.0.1:8080
	// 10.0.0.2:80 10.0.0.2:80
	// 10.0.0.2:8080 10.0.0.2:8080
	// skipped standard input:6: scheme "ftp", expected http or https
	// 7 targets, 0 duplicate, 4 excluded
}

func ExampleTarget_Candidates() {
	t, err := target.Parse("example.com")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Settled(), t.Key())
	for _, c := range t.Candidates() {
		fmt.Println(c.Settled(), c.Key(), c.URL())
	}
	// Output:
	// false example.com
	// true example.com:443 https://example.com
	// true example.com:80 http://example.com
}

func ExampleExclusion() {
	x, err := target.NewExclusion([]string{"10.0.0.0/8,*.example.com", "example.org:8080"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.Match("10.1.2.3"), x.Match("www.example.com"), x.Match("example.com"))
	fmt.Println(x.MatchPort("example.org", 8080), x.MatchPort("example.org", 80))
	// Output:
	// true true false
	// true false
}
