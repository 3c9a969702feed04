package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// template is a check around requests and what follows them, with four lines before them.
func template(requests string) string {
	return "id: made-up\ninfo: {name: Made up, severity: low, author: redial, tags: test}\n" + strings.TrimLeft(requests, "\n")
}

// mustParse gives the check of a template.
func mustParse(t testing.TB, text string) *Check {
	t.Helper()
	c, problems := parse([]byte(text), source{file: "made-up.yaml", root: "."})
	for _, p := range problems {
		t.Errorf("%v", p)
	}
	if len(problems) > 0 {
		t.FailNow()
	}
	return c
}

const ending = `
    matchers:
      - type: status
        status: [200]
`

// What cannot be run is named with its place and what was expected there.
func TestRefused(t *testing.T) {
	get := "http:\n  - path: ['{{BaseURL}}/']\n"
	for _, row := range []struct{ name, text, want, cause string }{
		{"empty", "", "expected a template, got an empty file", "not a template"},
		{"a list", "- a\n", "1:1: expected a template with id", "not a template"},
		{"no YAML", "a: [", "did not find expected node content", "not YAML"},
		{"two documents", "a: b\n---\na: c\n", "expected one document, got several", "not YAML"},
		{"two documents without a line", "a: b\n...\na: c\n", "expected one document, got several", "not YAML"},
		{"no id", "info: {name: a}\n" + get + ending, `1:1: id: expected letters and digits`, "not a template"},
		{"no info", "id: a\n" + get + ending, "info: expected the section info", "not a template"},
		{"no name", "id: a\ninfo: {severity: low}\n" + get + ending, "2:7: info.name: expected a name", "unexpected value"},
		{"severity", "id: a\ninfo: {name: a, severity: grave}\n" + get + ending, `2:27: info.severity: expected info, low, medium, high, critical or unknown, got "grave"`, "unexpected value"},
		{"no requests", template(""), "expected requests, got none", "not a template"},
		{"both names", template(get + ending + "requests: []\n"), "requests: http and requests are one section", "unexpected value"},
		{"requests are fields", template("http: {path: [a]}"), "3:7: http: expected a list of requests, got fields", "unexpected value"},
		{"unknown field", template(get + "    pathes: [a]\n" + ending), "5:5: http[0].pathes: unknown field", "unknown field: pathes"},
		{"unknown field above", template("workflow: x\n" + get + ending), "3:1: workflow: unknown field", "unknown field: workflow"},
		{"given twice", template(get + "    path: [a]\n" + ending), "5:5: http[0].path: the field is given twice", "unexpected value"},
		{"given twice among many", template(get + "    headers: {" + manyFields() + ", h3: a}" + ending), "http[0].headers.h3: the field is given twice", "unexpected value"},
		{"other protocol", template("whois:\n  - server: a\n"), "4:3: whois: whois is not supported", "not supported: whois"},
		{"race", template(get + "    race: true\n    race_count: 1001" + ending), "6:17: http[0].race_count: expected at most 1000, got 1001", "unexpected value"},
		{"program", template("flow: |\n  http(1);\n  http(2)\n" + get + ending), "3:7: flow: expected a condition such as http(1) && http(2)", "not supported: flow with a program"},
		{"flow without its block", template("flow: http(2)\n" + get + ending), "there is no http(2)", "not supported: flow with a program"},
		{"no path", template("http:\n  - method: GET" + ending), "4:5: http[0]: expected path or raw", "unexpected value"},
		{"path and raw", template(get + "    raw: [GET / HTTP/1.1]" + ending), "expected path or raw, got both", "unexpected value"},
		{"nothing to match", template(get), "1:1: expected matchers or extractors, got neither", "unexpected value"},
		{"method", template(get + "    method: 'G T'" + ending), `http[0].method: expected a method such as GET, got "G T"`, "unexpected value"},
		{"bool", template(get + "    redirects: maybe" + ending), `http[0].redirects: expected true or false, got "maybe"`, "unexpected value"},
		{"number", template(get + "    max-redirects: many" + ending), `http[0].max-redirects: expected a number of at least 0, got "many"`, "unexpected value"},
		{"unsafe without raw", template(get + "    unsafe: true" + ending), "expected raw requests with unsafe", "unexpected value"},
		{"annotation", template("http:\n  - raw: [\"@proxy: a\\nGET / HTTP/1.1\"]" + ending), "http[0].raw[0]: annotation @proxy is not supported", "not supported: annotation of a raw request"},
		{"timeout", template("http:\n  - raw: [\"@timeout: soon\\nGET / HTTP/1.1\"]" + ending), "expected a duration such as 20s in @timeout", "not supported: annotation of a raw request"},
		{"matcher type", template(get + "    matchers: [{type: wrod, words: [a]}]"), `expected word, regex, status, size, binary, dsl, xpath, got "wrod"`, "unexpected value"},
		{"no matcher type", template(get + "    matchers: [{words: [a]}]"), "5:16: http[0].matchers[0].type: expected the type of the matcher", "unexpected value"},
		{"other list", template(get + "    matchers: [{type: word, regex: [a]}]"), "http[0].matchers[0].regex: expected words with type word", "unexpected value"},
		{"no words", template(get + "    matchers: [{type: word, words: []}]"), "http[0].matchers[0].words: expected a list, got nothing", "unexpected value"},
		{"condition", template(get + "    matchers: [{type: word, words: [a], condition: xor}]"), `expected or, and, got "xor"`, "unexpected value"},
		{"case of a regex", template(get + "    matchers: [{type: regex, case-insensitive: true, regex: [a]}]"), "matchers[0].case-insensitive: expected it with type word alone, got regex", "unexpected value"},
		{"case of an extractor", template(get + "    extractors: [{type: regex, case-insensitive: true, regex: [a]}]"), "extractors[0].case-insensitive: expected it with type kval alone, got regex", "unexpected value"},
		{"regex", template(get + "    matchers: [{type: regex, regex: ['a(?!b)']}]"), "5:38: http[0].matchers[0].regex[0]: invalid or unsupported Perl syntax", "regular expression"},
		{"binary", template(get + "    matchers: [{type: binary, binary: [xyz]}]"), "expected bytes in hexadecimal", "unexpected value"},
		{"status", template(get + "    matchers: [{type: status, status: [ok]}]"), "expected a number of at least 0", "unexpected value"},
		{"dsl", template(get + "    matchers: [{type: dsl, dsl: ['len(body) >']}]"), "5:34: http[0].matchers[0].dsl[0]: expected a value at the end", "expression"},
		{"function", template(get + "    matchers: [{type: dsl, dsl: ['cuont(body)']}]"), "unknown function cuont", "not supported: function cuont"},
		{"function of others", template(get + "    matchers: [{type: dsl, dsl: ['contains(jarm(Host), 1)']}]"), "function jarm is not supported", "not supported: function jarm"},
		{"arguments", template(get + "    matchers: [{type: dsl, dsl: ['contains(body, 1, 2)']}]"), "contains: unexpected arguments: expected 2 (contains_all and contains_any take more), got 3", "expression"},
		{"xpath", template(get + "    matchers: [{type: xpath, xpath: ['//[']}]"), "expected an XPath", "expression"},
		{"out of band", template(get + "    matchers: [{type: word, part: interactsh_protocol, words: [dns]}]"), "out-of-band interaction is not supported", "not supported: out-of-band interaction"},
		{"out of band in a request", template("http:\n  - path: ['{{BaseURL}}/?u={{interactsh-url}}']\n" + ending), "out-of-band interaction is not supported", "not supported: out-of-band interaction"},
		{"extractor type", template(get + "    extractors: [{type: csv}]"), "expected regex, kval, dsl, json, xpath", "unexpected value"},
		{"no extractor type", template(get + "    extractors: [{regex: [a]}]"), "expected the type of the extractor", "unexpected value"},
		{"no queries", template(get + "    extractors: [{type: json}]"), "extractors[0].json: expected a list, got nothing", "unexpected value"},
		{"other extractor list", template(get + "    extractors: [{type: json, json: [.a], kval: [b]}]"), "extractors[0].kval: expected json with type json", "unexpected value"},
		{"jq", template(get + "    extractors: [{type: json, json: ['.a[']}]"), "expected a jq query", "expression"},
		{"undefined", template("http:\n  - path: ['{{BaseURL}}/{{tokn}}']\n" + ending), "4:12: http[0].path[0]: variable tokn is defined nowhere", "undefined variable: tokn"},
		{"cycle", template("variables:\n  a: '{{b}}'\n  b: '{{a}}'\n" + get + ending), "variables.a: the variable needs itself", "undefined variable"},
		{"no payload", template(get + "    payloads: {a: []}" + ending), "http[0].payloads.a: expected at least one value", "payload file"},
		{"no payload file", template(get + "    payloads: {a: none.txt}" + ending), "5:19: http[0].payloads.a: payload file none.txt does not exist below .", "payload file"},
		{"outside", template(get + "    payloads: {a: ../../none.txt}" + ending), "payload file ../../none.txt is not below .", "payload file"},
		{"absolute", template(get + "    payloads: {a: /etc/hostname}" + ending), "payload file /etc/hostname is not below .", "payload file"},
		{"attack", template(get + "    attack: sniper" + ending), "expected batteringram, pitchfork, clusterbomb", "unexpected value"},
		{"a bomb", bomb(get), "expected at most 1000 uses of aliases", "not YAML"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, problems := parse([]byte(row.text), source{file: "made-up.yaml", root: "."})
			if len(problems) == 0 {
				t.Fatalf("no problem, want %s", row.want)
			}
			var all []string
			for _, p := range problems {
				all = append(all, p.Error())
				if strings.Contains(p.Error(), row.want) && p.Cause() == row.cause {
					return
				}
			}
			t.Errorf("%s (%s), want %s (%s)", strings.Join(all, "\n"), problems[0].Cause(), row.want, row.cause)
		})
	}
}

// manyFields are h0 to h29.
func manyFields() string {
	all := make([]string, 30)
	for i := range all {
		all[i] = fmt.Sprintf("h%d: x", i)
	}
	return strings.Join(all, ", ")
}

// bomb is a template whose few lines stand for 9^9 fields.
func bomb(get string) string {
	var b strings.Builder
	b.WriteString("id: bomb\ninfo:\n  name: bomb\n  metadata:\n    b0: &b0 {x: 1}\n")
	for i := range 9 {
		fmt.Fprintf(&b, "    b%d: &b%d {", i+1, i+1)
		for j := range 9 {
			fmt.Fprintf(&b, "x%d: *b%d, ", j, i)
		}
		b.WriteString("}\n")
	}
	return b.String() + get + ending
}

// All problems of a template are told, not the first alone.
func TestAllProblems(t *testing.T) {
	_, problems := parse([]byte(template("http:\n  - pth: [a]\n    matchers: [{type: wrod}, {type: dsl, dsl: ['(']}]\n")), source{file: "made-up.yaml"})
	if len(problems) < 4 {
		t.Errorf("%d problems %v, want those of the field, of both matchers and of the missing path", len(problems), problems)
	}
}

func TestWhatACheckSaysOfItself(t *testing.T) {
	c := mustParse(t, `
id: sign-in_panel.v2
info:
  name: " Sign-in panel "
  author: ann,bob
  severity: HIGH
  description: |
    Shows a panel.
  reference: https://example.com/a
  tags: Panel, login
  remediation: Hide it.
  metadata: {verified: true, max-request: 2, query: [a, b]}
  classification: {cve-id: cve-2020-1, cwe-id: CWE-1, cvss-score: 7.5, cvss-metrics: "CVSS:3.1/AV:N"}
http:
  - path: ["{{BaseURL}}/a", "{{BaseURL}}/b"]
    payloads: {x: [1, 2, 3]}
`+ending)
	i := c.Info()
	if c.ID() != "sign-in_panel.v2" || i.Name != "Sign-in panel" || i.Severity != SeverityHigh || i.Description != "Shows a panel." ||
		strings.Join(i.Authors, " ") != "ann bob" || strings.Join(i.Tags, " ") != "panel login" || c.Requests() != 6 ||
		i.Score() != 7.5 || i.Vector() != "CVSS:3.1/AV:N" || strings.Join(i.Class("cve-id"), " ") != "CVE-2020-1" || c.Protocol() != "http" {
		t.Errorf("%+v of %s with %d requests", i, c.ID(), c.Requests())
	}
}

func FuzzTemplate(f *testing.F) {
	f.Add(template("http:\n  - path: ['{{BaseURL}}/{{x}}']\n    payloads: {x: [1]}\n" + ending))
	f.Add(template("flow: http(1) && !http(2)\nvariables: {a: '{{rand_base(5)}}'}\nhttp:\n  - raw: [\"@Host: a\\nGET / HTTP/1.1\\nHost: {{Hostname}}\\n\\nx\"]" + ending))
	f.Add(bomb("http:\n"))
	examples, err := filepath.Glob("../../testdata/templates/*.yaml")
	if err != nil || len(examples) == 0 {
		f.Fatalf("%d examples, %v", len(examples), err)
	}
	for _, name := range examples {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, problems := parse([]byte(text), source{file: "made-up.yaml", root: "testdata"})
		if len(problems) == 0 && (c == nil || c.ID() == "" || c.Requests() == 0 || len(c.blocks) == 0) {
			t.Fatalf("%q is a check without requests", text)
		}
		for _, p := range problems {
			if p.Want == "" || p.Kind == "" {
				t.Fatalf("a problem that says nothing: %+v", p)
			}
		}
	})
}
