package check

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/redialscan/redial/pkg/requester"
)

func TestFilterMatch(t *testing.T) {
	resp := response(403, "text/html", "<title>Denied</title>\nGo Away, ÄRGER\nbuild=42\n")
	resp.Header = append(resp.Header, requester.Field{Name: "Server", Value: "Apache/2.4"}, requester.Field{Name: "X-Id", Value: "a, b"})
	one := func(values ...string) []string { return values }
	for name, row := range map[string]struct {
		options FilterOptions
		want    bool
	}{
		"nothing":                {FilterOptions{}, true},
		"status":                 {FilterOptions{MatchStatus: one("200,400-403")}, true},
		"status, other":          {FilterOptions{MatchStatus: one("200")}, false},
		"status, given twice":    {FilterOptions{MatchStatus: one("200", "403")}, true},
		"no status":              {FilterOptions{FilterStatus: one("400-499")}, false},
		"no status, other":       {FilterOptions{FilterStatus: one("404,500")}, true},
		"match and filter":       {FilterOptions{MatchStatus: one("all"), FilterStatus: one("403")}, false},
		"length":                 {FilterOptions{MatchLength: one("47")}, true},
		"length, other":          {FilterOptions{MatchLength: one("46,48,>1000")}, false},
		"no length":              {FilterOptions{FilterLength: one("<100")}, false},
		"no length, other":       {FilterOptions{FilterLength: one("0,>100")}, true},
		"text":                   {FilterOptions{MatchString: one("go away, ")}, true},
		"text, one of them":      {FilterOptions{MatchString: one("nowhere", "DENIED")}, true},
		"text, none":             {FilterOptions{MatchString: one("nowhere", "go  away")}, false},
		"text, with umlaut":      {FilterOptions{MatchString: one("Ärger")}, true},
		"text, umlaut's case":    {FilterOptions{MatchString: one("ärger")}, false},
		"text, in a header":      {FilterOptions{MatchString: one("server: apache")}, true},
		"text, comma kept":       {FilterOptions{MatchString: one("x-id: a, b")}, true},
		"text, over the edge":    {FilterOptions{MatchString: one("a, b<title>")}, false},
		"no text":                {FilterOptions{FilterString: one("away")}, false},
		"no text, other":         {FilterOptions{FilterString: one("nowhere")}, true},
		"pattern":                {FilterOptions{MatchRegex: one(`build=\d{1,3}`)}, true},
		"pattern, case":          {FilterOptions{MatchRegex: one(`BUILD=\d+`)}, false},
		"pattern, case ignored":  {FilterOptions{MatchRegex: one(`(?i)BUILD=\d+`)}, true},
		"pattern, one of them":   {FilterOptions{MatchRegex: one("nowhere", "Denied")}, true},
		"pattern, header line":   {FilterOptions{MatchRegex: one("^Server: Apache/2\\.4$")}, true},
		"pattern, start of body": {FilterOptions{MatchRegex: one("^<title>")}, true},
		"no pattern":             {FilterOptions{FilterRegex: one("^X-Id: .*b$")}, false},
		"no pattern, other":      {FilterOptions{FilterRegex: one("nowhere")}, true},
		"all flags":              {FilterOptions{MatchStatus: one("403"), MatchLength: one(">1"), MatchString: one("away"), MatchRegex: one("Den")}, true},
		"all flags but one":      {FilterOptions{MatchStatus: one("403"), MatchLength: one(">1"), MatchString: one("away"), MatchRegex: one("Dan")}, false},
		"one drop is enough":     {FilterOptions{MatchStatus: one("403"), FilterStatus: one("500"), FilterString: one("no", "away")}, false},
	} {
		f, err := NewFilter(row.options)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		page := ReadPage(resp)
		if got := f.Match(&page, resp); got != row.want {
			t.Errorf("%s: got %v, want %v", name, got, row.want)
		}
	}
}

func TestFilterWithoutBody(t *testing.T) {
	resp := &requester.Response{Status: 200}
	page := ReadPage(resp)
	var none *Filter
	if !none.Match(&page, resp) || !new(Filter).Match(&page, resp) {
		t.Error("a filter without rules refused an answer")
	}
	f, err := NewFilter(FilterOptions{MatchString: []string{"x"}})
	if err != nil || f.Match(&page, resp) {
		t.Errorf("a text was found in nothing, %v", err)
	}
}

func TestFilterRefused(t *testing.T) {
	bad := []string{"200", "x"}
	for want, options := range map[string]FilterOptions{
		`--match-status "x": bad number "x", expected a number from 100`: {MatchStatus: bad},
		`--filter-status "x": bad number "x"`:                            {FilterStatus: bad},
		`--match-length "x": bad number "x", expected a number of 0`:     {MatchLength: bad},
		`--filter-length "x": bad number "x"`:                            {FilterLength: bad},
		`--match-status "": an empty entry, expected`:                    {MatchStatus: []string{""}},
		`--match-string "": an empty text is in every answer, expected`:  {MatchString: []string{"a", ""}},
		`--filter-string "": an empty text`:                              {FilterString: []string{""}},
		`--match-regex "": an empty expression`:                          {MatchRegex: []string{""}},
		`--match-regex "a(": error parsing regexp: missing closing ):`:   {MatchRegex: []string{"a("}},
		`--filter-regex "(?=x)": error parsing regexp: invalid or unsup`: {FilterRegex: []string{"(?=x)"}},
	} {
		f, err := NewFilter(options)
		if f != nil || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, %v; want the error %s", f, err, want)
		}
		if flag, ok := errors.AsType[*FlagError](err); !ok || flag.Err == nil || errors.Unwrap(err) != flag.Err {
			t.Errorf("%v is no FlagError with a reason", err)
		}
	}
}

func TestContainsFold(t *testing.T) {
	text := rapid.StringOfN(rapid.SampledFrom([]rune("aAbBzZ@[`{é\n")), 0, 20, -1)
	part := rapid.StringOfN(rapid.SampledFrom([]rune("aAbBzZ@[`{é")), 0, 4, -1)
	rapid.Check(t, func(t *rapid.T) {
		text, part := text.Draw(t, "text"), part.Draw(t, "part")
		got := containsFold([]byte(text), asciiLower(part))
		if want := strings.Contains(asciiLower(text), asciiLower(part)); got != want {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}
