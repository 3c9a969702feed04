package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/redialscan/redial/pkg/requester"
)

// BenchmarkLoad loads 1,000 templates of three kinds from a folder.
func BenchmarkLoad(b *testing.B) {
	root := b.TempDir()
	examples, err := filepath.Glob("../../testdata/templates/*/*.yaml")
	if err != nil || len(examples) == 0 {
		b.Fatal(examples, err)
	}
	if err := os.WriteFile(filepath.Join(root, "words.txt"), []byte("none\nadmin\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	for i := range 1000 {
		text, err := os.ReadFile(examples[i%len(examples)])
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, fmt.Sprintf("%d.yaml", i)), text, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	var set *Set
	for b.Loop() {
		if set, err = Load(context.Background(), LoadOptions{Paths: []string{root}}); err != nil || len(set.Checks) != 1000 {
			b.Fatal(len(set.Checks), err)
		}
	}
	var after runtime.MemStats
	runtime.GC()
	runtime.GC() // what the one before has swept
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(set)
	b.ReportMetric(float64(after.HeapAlloc)/1000, "B/check") // with the little else that lives here
}

// A template costs no more to read than its parts: what is looked up for each field, and regular expressions that may never be
// wanted, are not made beforehand.
func TestParseAllocates(t *testing.T) {
	text := []byte(template("http:\n  - method: GET\n    path: ['{{BaseURL}}/login', '{{BaseURL}}/admin']\n    matchers-condition: and\n    matchers:\n" +
		"      - {type: word, part: body, words: ['Sign in', 'Example'], condition: and}\n      - {type: regex, regex: ['v[0-9]+\\.[0-9]+(\\.[0-9]+)?']}\n" +
		"      - {type: status, status: [200]}\n    extractors: [{type: regex, group: 1, regex: ['version ([0-9.]+)']}]\n"))
	const most = 480
	got := testing.AllocsPerRun(20, func() {
		if _, problems := parse(text, source{file: "a.yaml", root: "."}); len(problems) > 0 {
			t.Fatal(problems[0])
		}
	})
	if got > most {
		t.Errorf("%.0f allocations, want %d at most", got, most)
	}
}

// fixed gives every request one answer.
type fixed struct{ resp *requester.Response }

func (f fixed) Do(context.Context, *requester.Request, requester.Turn) (*requester.Response, error) {
	return f.resp, nil
}

// BenchmarkRun runs a check that finds nothing on a page of 8 KiB.
func BenchmarkRun(b *testing.B) {
	body := make([]byte, 8<<10)
	for i := range body {
		body[i] = "abc <p>"[i%7]
	}
	resp := &requester.Response{Status: 200, Proto: "HTTP/1.1", Body: body, Header: []requester.Field{{Name: "Server", Value: "nginx"}, {Name: "Date", Value: "now"}}}
	for _, row := range []struct{ name, matchers string }{
		{"word", "[{type: word, words: [Jenkins]}]"},
		{"header", "[{type: word, part: header, words: [X-Jenkins]}]"},
		{"fold", "[{type: word, case-insensitive: true, words: [jenkins]}]"},
		{"regex", "[{type: regex, regex: ['Jenkins-[0-9]+']}]"},
		{"dsl", "[{type: dsl, dsl: ['status_code == 200 && contains(body, \"Jenkins\")']}]"},
	} {
		b.Run(row.name, func(b *testing.B) {
			c := mustParse(b, template("http:\n  - path: ['{{BaseURL}}/x']\n    matchers: "+row.matchers))
			job := Job{Target: mustTarget(b, "http://127.0.0.1:8080"), Send: fixed{resp}}
			b.ReportAllocs()
			for b.Loop() {
				if out, err := c.Run(context.Background(), job); err != nil || len(out.Findings) > 0 {
					b.Fatal(out, err)
				}
			}
		})
	}
}
