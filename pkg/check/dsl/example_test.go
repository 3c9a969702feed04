package dsl_test

import (
	"fmt"

	"github.com/redialscan/redial/pkg/check/dsl"
)

func Example() {
	answer := dsl.Map{"status_code": 200, "body": "Welcome to Example 2.4.1"}
	e, err := dsl.Compile(`status_code == 200 && regex("Example 2\\.[0-4]\\.", body)`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.True(answer))

	path, err := dsl.CompileText("/search?q={{base64(to_upper('a'))}}")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(path.Expand(answer))

	_, err = dsl.Compile(`contians(body, "x")`)
	fmt.Println(err)
	// Output:
	// true <nil>
	// /search?q=QQ== <nil>
	// unknown function contians
}
