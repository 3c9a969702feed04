package check

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/itchyny/gojq"
	"go.yaml.in/yaml/v3"

	"github.com/redialscan/redial/pkg/check/dsl"
)

// queryTime bounds a query: the language has loops, and the document is a stranger's.
const queryTime = 2 * time.Second

// query compiles a json extractor's expression, which is one of jq.
func (t *templateReader) query(n *yaml.Node, field string) *gojq.Code {
	src, ok := t.text(n, field)
	if !ok {
		return nil
	}
	parsed, err := gojq.Parse(src)
	if err != nil {
		t.problem(n, field, KindExpression, "expected a jq query: %v", err)
		return nil
	}
	code, err := gojq.Compile(parsed)
	if err != nil {
		t.problem(n, field, KindExpression, "expected a jq query: %v", err)
	}
	return code
}

// runQueries asks a document, which is none when it is not JSON.
func runQueries(queries []*gojq.Code, document string, into *values) {
	dec := json.NewDecoder(strings.NewReader(document))
	var root any
	if dec.Decode(&root) != nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), queryTime)
	defer stop()
	for _, q := range queries {
		results := q.RunWithContext(ctx, root)
		for range maxExtracted {
			v, ok := results.Next()
			if _, failed := v.(error); !ok || failed {
				break
			}
			into.add(jsonText(v))
		}
	}
}

// jsonText is text without its quotes, and anything else as JSON.
func jsonText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string, float64, bool:
		return dsl.String(v)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}
