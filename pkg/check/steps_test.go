package check

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// login gives a token at /login, and the page to who sends token and cookie.
func login(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/login":
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: "s1", Path: "/"})
		io.WriteString(w, `<input name="csrf" value="t0k">`)
	case "/go":
		cookie, err := r.Cookie("sid")
		if err == nil && r.FormValue("csrf") == "t0k" {
			fmt.Fprintf(w, "welcome with %s", cookie.Value)
			return
		}
		w.WriteHeader(403)
	default:
		w.WriteHeader(404)
	}
}

const steps = `
http:
  - raw:
      - |
        GET /login HTTP/1.1
        Host: {{Hostname}}

      - |
        POST /go HTTP/1.1
        Host: {{Hostname}}
        Content-Type: application/x-www-form-urlencoded
        Content-Length: 4

        csrf={{csrf}}
`

func TestSteps(t *testing.T) {
	extractor := "    extractors: [{type: regex, name: csrf, internal: true, group: 1, regex: ['value=\"(\\w+)\"']}]\n"
	for _, row := range []struct{ name, text, want, asked string }{
		{
			"token and cookie", template(steps + extractor + "    matchers: [{type: word, words: ['welcome with s1']}]"),
			"/go", "GET /login\nPOST /go csrf=t0k",
		},
		{
			"without cookies", template(steps + "    disable-cookie: true\n" + extractor + "    matchers: [{type: dsl, dsl: ['status_code_2 == 403']}]"),
			"/go", "GET /login\nPOST /go csrf=t0k",
		},
		{
			"conditions across answers", template(steps + extractor + "    matchers: [{type: dsl, dsl: ['contains(body_1, \"csrf\") && status_code_1 == 200 && contains(body_2, \"welcome\")']}]"),
			"/go", "GET /login\nPOST /go csrf=t0k",
		},
		{
			"nothing extracted", template(steps + strings.Replace(extractor, "value", "valeu", 1) + "    matchers: [{type: word, words: [welcome]}]"),
			"", "GET /login",
		},
		{
			"sent as written", template(steps + "    skip-variables-check: true\n" + strings.Replace(extractor, "value", "valeu", 1) + "    matchers: [{type: dsl, dsl: ['status_code_2 == 403']}]"),
			"/go", "GET /login\nPOST /go csrf={{csrf}}",
		},
		{
			"stop at the first match", template("http:\n  - path: ['{{BaseURL}}/a', '{{BaseURL}}/b']\n    stop-at-first-match: true\n    matchers: [{type: status, status: [404]}]"),
			"/a", "GET /a",
		},
		{
			"all matches", template("http:\n  - path: ['{{BaseURL}}/a', '{{BaseURL}}/b']\n    matchers: [{type: status, status: [404]}]"),
			"/a\n/b", "GET /a\nGET /b",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := host(t, login)
			out := h.run(t, row.text)
			if got := told(h, out); got != row.want {
				t.Errorf("findings %q, want %q", got, row.want)
			}
			if got := h.requests(); got != row.asked {
				t.Errorf("asked\n%s\nwant\n%s", got, row.asked)
			}
		})
	}
}

func TestFlow(t *testing.T) {
	block := func(id, path, word string) string {
		return fmt.Sprintf("  - id: %s\n    path: ['{{BaseURL}}%s']\n    matchers: [{type: word, words: ['%s']}]\n", id, path, word)
	}
	blocks := "http:\n" + block("one", "/login", "csrf") + block("two", "/none", "csrf") + block("three", "/login?3", "csrf")
	for _, row := range []struct{ flow, asked string }{
		{"", "/login /none /login?3"},
		{"http(1) && http(3)", "/login /login?3"},
		{"http(2) && http(3)", "/none"},
		{"http(2) || http(3)", "/none /login?3"},
		{"http(1) || http(3)", "/login"},
		{"!http(2) && http('three')", "/none /login?3"},
		{"(http(1) && http(2)) || http(3)", "/login /none /login?3"},
		{"http()", "/login /none /login?3"},
		{`http("two", 3) && http(1)`, "/none /login?3 /login"},
	} {
		t.Run(row.flow, func(t *testing.T) {
			h := host(t, login)
			text := blocks
			if row.flow != "" {
				text = "flow: " + strings.ReplaceAll(fmt.Sprintf("%q", row.flow), `\\`, `\`) + "\n" + blocks
			}
			h.run(t, template(text))
			if got := strings.ReplaceAll(strings.ReplaceAll(h.requests(), "GET ", ""), "\n", " "); got != row.asked {
				t.Errorf("asked %s, want %s", got, row.asked)
			}
		})
	}
}

// What one block extracts is there in the next, and a block whose matchers are internal makes no finding.
func TestBlocksShareWhatTheyExtract(t *testing.T) {
	h := host(t, login)
	out := h.run(t, template(`
flow: http(1) && http(2)
http:
  - path: ["{{BaseURL}}/login"]
    extractors: [{type: regex, name: csrf, internal: true, group: 1, regex: ['value="(\w+)"']}]
    matchers: [{type: status, internal: true, status: [200]}]
  - method: POST
    path: ["{{BaseURL}}/go"]
    headers: {Content-Type: application/x-www-form-urlencoded}
    body: "csrf={{csrf}}"
    matchers: [{type: word, words: [welcome]}]
`))
	if got := told(h, out); got != "/go" {
		t.Errorf("findings %q, asked %s", got, h.requests())
	}
}

func TestPayloads(t *testing.T) {
	for _, row := range []struct{ name, fields, asked string }{
		{"one list", "payloads: {a: [1, 2]}", "/1- /2-"},
		{"a file", "payloads: {a: words.txt}", "/x- /y-"},
		{"lines", `payloads: {a: "1\n2\n"}`, "/1- /2-"},
		{"batteringram", "attack: batteringram\n    payloads: {a: [1, 2], b: [3]}", "/1- /2- /-3"},
		{"pitchfork", "attack: pitchfork\n    payloads: {a: [1, 2], b: [3, 4, 5]}", "/1-3 /2-4"},
		{"clusterbomb", "attack: clusterbomb\n    payloads: {a: [1, 2], b: [3, 4]}", "/1-3 /1-4 /2-3 /2-4"},
		{"with a variable", "payloads: {a: ['{{Scheme}}', '{{nosuch(1)}}']}", "/http- /{{nosuch(1)}}-"},
	} {
		t.Run(row.name, func(t *testing.T) {
			root := t.TempDir()
			if err := os.WriteFile(filepath.Join(root, "words.txt"), []byte("x\r\n\ny\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			text := template("http:\n  - path: ['{{BaseURL}}/{{a}}-{{b}}']\n    skip-variables-check: true\n    " + row.fields + ending)
			if !strings.Contains(row.fields, "b:") {
				text = strings.Replace(text, "{{b}}", "", 1)
			}
			c, problems := parse([]byte(text), source{file: filepath.Join(root, "sub", "a.yaml"), root: root})
			if len(problems) > 0 {
				t.Fatal(problems[0])
			}
			h := host(t, login)
			out, err := c.Run(context.Background(), Job{Target: h.target, Send: h.client})
			if err != nil || out.Sent != c.Requests() {
				t.Errorf("%d of %d sent, %v", out.Sent, c.Requests(), err)
			}
			got := strings.NewReplacer("GET ", "", "\n", " ", "%7B%7B", "{{", "%7D%7D", "}}", "{{a}}", "", "{{b}}", "").Replace(h.requests())
			if got != row.asked {
				t.Errorf("asked %s, want %s", got, row.asked)
			}
		})
	}
}

// Where a block asks for it a request is sent for each value that was found.
func TestIterateAll(t *testing.T) {
	h := host(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/list" {
			io.WriteString(w, `["/a","/b","/c"]`)
			return
		}
		io.WriteString(w, "page "+r.URL.Path)
	})
	text := template(`
http:
  - path: ["{{BaseURL}}/list", "{{BaseURL}}{{path}}"]
    iterate-all: true
    extractors: [{type: json, name: path, internal: true, json: [".[]"]}]
    matchers: [{type: regex, regex: ["^page /[bc]"]}]
`)
	if got := told(h, h.run(t, text)); got != "/b\n/c" {
		t.Errorf("findings %q, asked %s", got, h.requests())
	}
	if got := told(h, h.run(t, strings.Replace(text, "iterate-all: true", "iterate-all: true\n    stop-at-first-match: true", 1))); got != "/b" {
		t.Errorf("findings %q with a stop at the first match", got)
	}
	if got := told(h, h.run(t, strings.Replace(text, "iterate-all: true", "", 1))); got != "" {
		t.Errorf("findings %q of the first value alone", got)
	}
}

func TestNamesOfOtherBlocks(t *testing.T) {
	h := host(t, login)
	out := h.run(t, template(`
http:
  - path: ["{{BaseURL}}/login"]
  - path: ["{{BaseURL}}/none"]
    matchers: [{type: dsl, condition: and, dsl: ["status_code == 404", "contains(http_1_body, 'csrf')", "http_1_status_code == 200", "http_status_code == 404"]}]
`))
	if got := told(h, out); got != "/none" {
		t.Errorf("findings %q", got)
	}
}

// A block without matchers serves those that come after it.
func TestABlockThatOnlyAsks(t *testing.T) {
	h := host(t, login)
	out := h.run(t, template("flow: http(1) && http(2)\nhttp:\n  - path: ['{{BaseURL}}/login']\n  - method: POST\n    path: ['{{BaseURL}}/go']\n    headers: {Content-Type: application/x-www-form-urlencoded}\n    body: csrf=t0k\n    matchers: [{type: word, words: [welcome with s1]}]"))
	if got := told(h, out); got != "/go" || h.requests() != "GET /login\nPOST /go csrf=t0k" {
		t.Errorf("findings %q, asked %s", got, h.requests())
	}
}

// A request that is marked so is sent with the first payload only.
func TestOnce(t *testing.T) {
	h := host(t, login)
	h.run(t, template("http:\n  - raw:\n      - |\n        @once\n        GET /login HTTP/1.1\n\n      - |\n        GET /{{a}} HTTP/1.1\n\n    payloads: {a: [1, 2]}"+ending))
	if got := h.requests(); got != "GET /login\nGET /1\nGET /2" {
		t.Errorf("asked %s", got)
	}
}

func TestVariables(t *testing.T) {
	h := host(t, login)
	c := mustParse(t, template(`
variables:
  second: "{{first}}-{{to_upper(first)}}"
  first: "{{rand_text_alpha(4)}}"
  user: nobody
http:
  - path: ["{{BaseURL}}/{{first}}/{{second}}/{{randstr}}/{{randstr_1}}", "{{BaseURL}}/{{first}}/{{second}}/{{randstr}}/{{randstr_1}}", "{{RootURL}}/{{Scheme}}/{{Host}}/{{Port}}/{{user}}"]
`+ending))
	if _, err := c.Run(context.Background(), Job{Target: h.target, Send: h.client, Vars: map[string]string{"user": "ann"}}); err != nil {
		t.Fatal(err)
	}
	asked := strings.Split(h.requests(), "\n")
	parts := strings.Split(asked[0], "/")
	if len(asked) != 3 || asked[0] != asked[1] || parts[2] != parts[1]+"-"+strings.ToUpper(parts[1]) || parts[3] == parts[4] || len(parts[3]) != 27 {
		t.Errorf("asked %q, want values that stay the same in a run", asked)
	}
	if want := fmt.Sprintf("GET /http/127.0.0.1/%d/ann", h.target.Port); len(asked) != 3 || asked[2] != want {
		t.Errorf("asked %q, want %s", asked, want)
	}
}

// Constants are variables, and one that stands for itself is there to be given.
func TestGivenVariables(t *testing.T) {
	text := template("constants: {fixed: f1}\nvariables: {user: '{{user}}'}\nhttp:\n  - path: ['{{BaseURL}}/{{fixed}}/{{user}}']" + ending)
	given := map[string]string{"user": "ann"}
	c, problems := parse([]byte(text), source{file: "a.yaml", root: ".", vars: given})
	if len(problems) > 0 {
		t.Fatal(problems[0])
	}
	var r recorder
	if _, err := c.Run(context.Background(), Job{Target: mustTarget(t, "http://h"), Send: &r, Vars: given}); err != nil || r.sent[0].Target != "/f1/ann" {
		t.Errorf("asked %s, %v", r.sent[0].Target, err)
	}
	_, problems = parse([]byte(text), source{file: "a.yaml", root: "."})
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), "variables.user: the variable needs itself, expected a value of its own, or one by --var") {
		t.Errorf("without a value: %v", problems)
	}
}
