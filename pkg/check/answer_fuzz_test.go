package check

import (
	"context"
	"strings"
	"testing"

	"github.com/redialscan/redial/pkg/requester"
)

// hostile answers whatever the fuzzer wants.
type hostile struct{ head, body string }

func (h hostile) Do(_ context.Context, req *requester.Request, _ requester.Turn) (*requester.Response, error) {
	resp := &requester.Response{Status: len(h.body)%500 + 100, Proto: "HTTP/1.1", Body: []byte(h.body), Length: int64(len(h.body))}
	for line := range strings.Lines(h.head) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		resp.Header = append(resp.Header, requester.Field{Name: name, Value: value})
	}
	return resp, nil
}

// FuzzAnswer holds every kind of matcher and extractor against answers that no host in its right mind gives.
func FuzzAnswer(f *testing.F) {
	c := mustParse(f, template(`
http:
  - path: ["{{BaseURL}}/", "{{BaseURL}}/{{found}}"]
    skip-variables-check: true
    extractors:
      - {type: regex, name: found, internal: true, group: 1, regex: ['a(.*)b']}
      - {type: regex, regex: ['(?i)<title>(.*?)</title>']}
      - {type: kval, kval: [server, set_cookie, sid]}
      - {type: json, json: ['.. | strings', '.a[0]', 'keys']}
      - {type: xpath, xpath: ['//a/@href', '//*[contains(text(), "x")]']}
      - {type: xpath, attribute: href, xpath: ['//a']}
      - {type: dsl, dsl: ['to_upper(body)', 'mmh3(base64_py(body))', 'hex_encode(header)', 'substr(body, 3, 9)', 'json_minify(body)', 'gzip_decode(body)']}
    matchers:
      - {type: word, name: w, case-insensitive: true, words: ["sign in"]}
      - {type: binary, name: b, binary: ["00ff"]}
      - {type: regex, name: r, part: all, regex: ['^HTTP|(\w+\s*)+$']}
      - {type: status, name: s, negative: true, status: [200]}
      - {type: size, name: z, size: [0, 1]}
      - {type: xpath, name: x, xpath: ['//form[@action]']}
      - {type: dsl, name: d, dsl: ['contains_any(to_lower(header), "a", "b")', 'body_1 == body_2', 'compare_versions(found, "> 1.0")']}
`))
	where := mustTarget(f, "http://h")
	f.Add("Server: a\r\nSet-Cookie: sid=1; Path=/", "<title>Sign in</title><a href='x'>x</a>")
	f.Add("Set-Cookie: \x00=\xff;;;\nX", `{"a":["b",{"c":1e999}]}`)
	f.Add(":\n: \n", "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>")
	f.Add("", "\x1f\x8b\x08a1.2b\x00\xff\ufffd")
	f.Fuzz(func(t *testing.T, head, body string) {
		out, err := c.Run(context.Background(), Job{Target: where, Send: hostile{head, body}, KeepRaw: true})
		if out.Sent == 0 && err == nil {
			t.Fatal("nothing was sent")
		}
		for _, finding := range out.Findings {
			if finding.MatchedAt == "" || len(finding.Response) > maxRaw+len(head)+1024 {
				t.Fatalf("finding %+v", finding)
			}
		}
	})
}
