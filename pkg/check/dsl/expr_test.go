package dsl

import (
	"errors"
	"strings"
	"testing"
)

// page is what an answer looks like to an expression.
var page = Map{
	"body": `<title>Sign in</title> it's "quoted" \d 42`, "status_code": 200, "duration": 1.5, "version": "2.4.10",
	"token": "s3cret", "csrf-token": "abc", "yes": true, "list": []string{"a", "b"}, "empty": "",
}

func TestEval(t *testing.T) {
	for _, row := range []struct {
		src  string
		want any
	}{
		{`status_code == 200 && contains(body, "Sign in")`, true},
		{`status_code==404||contains(body,'Sign')`, true},
		{`!(status_code == 200)`, false},
		{`!contains(body, "nothing")`, true},
		{`1 + 2 * 3 - 4 / 2`, 5.0},
		{`(1 + 2) * 3 % 4`, 1.0},
		{`2 ** 3 ** 1`, 8.0},
		{`-2 + -(3)`, -5.0},
		{`1 << 4 | 1`, 17.0},
		{`6 & 3 ^ 1`, 3.0},
		{`~0`, -1.0},
		{`"a" + 1 + true`, "a1true"},
		{`"a" < "b"`, true},
		{`"1" == 1`, false},
		{`duration >= 1.5`, true},
		{`status_code in (200, 301)`, true},
		{`"x" in ("a", "b")`, false},
		{`body =~ "(?i)SIGN"`, true},
		{`body !~ 'nothing'`, true},
		{`body =~ token`, false},
		{`status_code == 200 ? "up" : "down"`, "up"},
		{`status_code == 404 ? "up" : version`, "2.4.10"},
		{`missing ?? "none"`, "none"},
		{`'it\'s'`, "it's"},
		{`"\d"`, "d"},
		{`"\\d"`, `\d`},
		{`"a{{token}}b"`, "as3cretb"},
		{`{{1 + 1}} == 2`, true},
		{`md5({{token}})`, "33e1b232a4e6fa0028a6670753749a17"},
		{`[csrf-token]`, "abc"},
		{`yes && true`, true},
		{`len(list)`, 2.0},
		{`list`, []any{"a", "b"}},
		{`version, 1 + 1`, []any{"2.4.10", 2.0}},
		{`false && missing`, false},
		{`true || missing`, true},
	} {
		e, err := Compile(row.src)
		if err != nil {
			t.Errorf("%s: %v", row.src, err)
			continue
		}
		if got, err := e.Eval(page); err != nil || !same(got, row.want) {
			t.Errorf("%s = %#v, %v; want %#v", row.src, got, err, row.want)
		}
	}
}

func TestCompileSaysWhereAndWhat(t *testing.T) {
	for _, row := range []struct{ src, want string }{
		{``, "expected a value at the end"},
		{`1 +`, "expected a value at the end"},
		{`(1`, "expected a comma or a closing parenthesis at the end"},
		{`()`, "expected a value between the parentheses"},
		{`"open`, `expected the closing quote of the string that begins at character 1, got "\"open"`},
		{`1 1`, `expected an operator or the end at character 3, got "1"`},
		{`a $ b`, `expected a value or an operator at character 3, got "$ b"`},
		{`1.2.3`, "expected a number at character 1"},
		{`[]`, "expected a name in brackets"},
		{`nosuch(1)`, "unknown function nosuch"},
		{`len()`, "expected 1, got 0"},
		{`contains("a", "b", "c")`, "expected 2 (contains_all and contains_any take more), got 3"},
		{`generate_java_gadget("dns", "a", "raw")`, "function generate_java_gadget is not supported"},
		{`wait_for()`, "expected 1, got 0"},
		{`substr("a")`, "expected 2 to 3, got 1"},
		{`containsany("a")`, "expected 2 or more, got 1"},
		{`regex("(", body)`, "missing closing )"},
		{`body =~ "["`, "missing closing ]"},
		{strings.Repeat("(", 500) + "1" + strings.Repeat(")", 500), "expected less nesting"},
		{strings.Repeat("!", 500) + "true", "expected less nesting"},
	} {
		_, err := Compile(row.src)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%.40s: %v, want %q", row.src, err, row.want)
		}
	}
}

// A variable that has no value is told apart from what is wrong with an expression.
func TestMissing(t *testing.T) {
	for _, row := range []struct {
		src     string
		missing string
	}{
		{`missing == 1`, "missing"},
		{`contains(body, other)`, "other"},
		{`"a" < 1`, ""},
		{`!"a"`, ""},
		{`1 && true`, ""},
		{`1 in 2`, ""},
		{`substr("abc", 2, 1)`, ""},
		{`status_code == 404 ? 1`, ""},
	} {
		e, err := Compile(row.src)
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Eval(page)
		missing, ok := errors.AsType[*MissingError](err)
		if err == nil || ok != (row.missing != "") || ok && missing.Name != row.missing {
			t.Errorf("%s: %v, want a missing variable %q", row.src, err, row.missing)
		}
	}
}

func TestNamesOfAnExpression(t *testing.T) {
	e, err := Compile(`contains(body_2, "{{token}}") && status_code > 1 || body_2 == "" && true`)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(e.Names(), " "); got != "body_2 status_code token" {
		t.Errorf("names %s", got)
	}
}

func TestText(t *testing.T) {
	for _, row := range []struct{ src, want string }{
		{"", ""},
		{"/plain?a=b", "/plain?a=b"},
		{"/{{token}}/x", "/s3cret/x"},
		{"{{ token }}{{token}}", "s3crets3cret"},
		{"{{csrf-token}}", "abc"},
		{"{{base64(token + ':x')}}", "czNjcmV0Ong="},
		{"{{md5({{token}})}}", "33e1b232a4e6fa0028a6670753749a17"},
		{`{{to_upper("{{token}}")}}`, "S3CRET"},
		{"{{status_code}}", "200"},
		{"{{7*7}}", "{{7*7}}"},
		{"{{ a.b | c }}", "{{ a.b | c }}"},
		{"{{", "{{"},
		{"}}{{token", "}}{{token"},
		{"{{}}", "{{}}"},
		{"{{constructor.constructor('x')()}}", "{{constructor.constructor('x')()}}"},
		{"{{{token}}}", "{{{token}}}"},
		{"{{x {{token}} y", "{{x s3cret y"},
	} {
		text, err := CompileText(row.src)
		if err != nil {
			t.Errorf("%s: %v", row.src, err)
			continue
		}
		if got, err := text.Expand(page); err != nil || got != row.want {
			t.Errorf("%s = %q, %v; want %q", row.src, got, err, row.want)
		}
	}
	if _, err := CompileText("{{nosuch(1)}}"); err == nil || err.Error() != "unknown function nosuch" {
		t.Errorf("an unknown function gives %v", err)
	}
}

func TestTextWithoutAValue(t *testing.T) {
	text, err := CompileText("a{{missing}}b{{token}}")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := text.Expand(page); err == nil || err.Error() != "variable missing has no value" {
		t.Errorf("Expand: %v", err)
	}
	if got, err := text.ExpandKnown(page); err != nil || got != "a{{missing}}bs3cret" {
		t.Errorf("ExpandKnown: %q, %v", got, err)
	}
}

// No expression makes a value that fills the memory.
func TestValuesAreBounded(t *testing.T) {
	for _, src := range []string{
		`repeat("0123456789", 10000000)`,
		`repeat(repeat("0123456789", 1000000), 1000000)`,
		`len(repeat("a", 16000000) + repeat("b", 16000000))`,
		`concat(repeat("a", 16000000), repeat("b", 16000000))`,
		`rand_base(100000000)`,
		`padding("a", "b", 1000000000, "prefix")`,
	} {
		e, err := Compile(src)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Eval(nil); err == nil {
			t.Errorf("%s has a value", src)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, src := range []string{
		`status_code == 200 && contains_any(to_lower(body), "a", 'b')`, `"{{x}}" + {{y}}`, `[a-b] ?? 1`, `a ? b : c`, `1 in (1,2)`,
		`"\\d" =~ '[' `, `((((`, `regex("(a|", b)`, `-!~1`,
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		e, err := Compile(src)
		if err != nil {
			return
		}
		v, err := e.Eval(page)
		if err != nil {
			return
		}
		switch v.(type) {
		case string, float64, bool, []any:
		default:
			t.Fatalf("%q gives a %T", src, v)
		}
	})
}

func FuzzText(f *testing.F) {
	for _, src := range []string{"{{a}}", "{{md5({{token}})}}", "{{{{}}}}", "}}{{", "{{7*7}}", `{{"{{"}}`, "{{token}}{{"} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		text, err := CompileText(src)
		if err != nil {
			return
		}
		if fixed, ok := text.Fixed(); ok && fixed != src {
			t.Fatalf("%q without expressions is %q", src, fixed)
		}
		if _, err := text.ExpandKnown(Map{}); err == nil {
			return
		}
	})
}
