package check

import (
	"context"
	"strings"
	"testing"
)

// A self-contained check names the host that it asks, before the scan.
func TestSelfContained(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"path", "http:\n  - path: ['http://api.example:8080/v1']", "http://api.example:8080 /v1"},
		{"of a block", "http:\n  - self-contained: true\n    path: ['https://api.example/v1']", "https://api.example:443 /v1"},
		{"raw", "http:\n  - raw: [\"GET /v1 HTTP/1.1\\nHost: api.example\\n\\n\"]", "https://api.example:443 /v1"},
		{"raw URL", "http:\n  - raw: [\"GET http://api.example/v1 HTTP/1.1\\nHost: other.example\\n\\n\"]", "http://api.example:80 /v1"},
		{"annotation", "http:\n  - raw: [\"@Host: http://api.example:81\\nGET /v1 HTTP/1.1\\nHost: other.example\\n\\n\"]", "http://api.example:81 /v1"},
		{"variable", "variables: {name: api}\nhttp:\n  - path: ['http://{{name}}.example/{{token}}']", "http://api.example:80 /t1"},
		{"payload", "http:\n  - path: ['http://{{p}}.example/']\n    payloads: {p: [api, other]}", "http://api.example:80 /"},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := template(row.text + ending)
			if !strings.Contains(text, "self-contained") {
				text = strings.Replace(text, "http:", "self-contained: true\nhttp:", 1)
			}
			given := map[string]string{"token": "t1"}
			c, problems := parse([]byte(text), source{file: "a.yaml", root: ".", vars: given})
			if len(problems) > 0 {
				t.Fatal(problems[0])
			}
			var r recorder
			if out, err := c.Run(context.Background(), Job{Target: c.Home(), Send: &r, Vars: given}); err != nil || out.Sent == 0 {
				t.Fatal(out, err)
			}
			home := c.Home()
			if got := home.Scheme.String() + "://" + home.Key() + " " + r.sent[0].Target; !c.SelfContained() || got != row.want || r.sent[0].Host != home.Host {
				t.Errorf("goes to %s, want %s", got, row.want)
			}
		})
	}
	for text, want := range map[string]string{
		"http:\n  - path: ['http://{{name}}/']":        "self-contained: expected a first request whose host is known before the scan",
		"http:\n  - path: ['/v1']":                     `expected a URL, got "/v1"`,
		"http:\n  - path: ['{{BaseURL}}/v1']":          "known before the scan",
		"http:\n  - raw: [\"GET /v1 HTTP/1.1\\n\\n\"]": "known before the scan",
	} {
		names := "    extractors: [{type: regex, name: name, internal: true, regex: [a]}]"
		_, problems := parse([]byte(template("self-contained: true\n"+text+"\n"+names+ending)), source{file: "a.yaml", root: "."})
		if len(problems) != 1 || !strings.Contains(problems[0].Error(), want) || problems[0].Line != 3 {
			t.Errorf("%s: %v, want %s", text, problems, want)
		}
	}
	if home := mustParse(t, template("http:\n  - path: ['{{BaseURL}}/']"+ending)).Home(); home.Host != "" {
		t.Errorf("a check of targets has the home %+v", home)
	}
}
