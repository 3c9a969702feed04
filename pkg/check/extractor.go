package check

import (
	"slices"
	"strings"

	"github.com/itchyny/gojq"
	"go.yaml.in/yaml/v3"

	"github.com/redialscan/redial/pkg/check/dsl"
)

// maxExtracted bounds the values that one extractor takes from one answer.
const maxExtracted = 1000

// extractor takes values out of an answer. One of its lists is set.
type extractor struct {
	name        string
	part        string
	internal    bool // for the check itself, not for the report
	group       int
	patterns    []*dsl.Pattern
	keys        []string // normalized names of header fields and cookies
	expressions []*dsl.Expr
	queries     []*gojq.Code
	paths       []*nodePath
}

// extract gives the values in order, each once.
func (e *extractor) extract(s *state) []string {
	var found values
	switch {
	case e.keys != nil:
		for _, key := range e.keys {
			if v, ok := s.Lookup(key); ok {
				found.add(dsl.String(v))
			}
		}
		return found.list
	case e.expressions != nil:
		for _, x := range e.expressions {
			if v, err := x.Eval(s); err == nil {
				found.add(dsl.String(v))
			}
		}
		return found.list
	}
	part, ok := s.part(e.part)
	if !ok {
		return nil
	}
	switch {
	case e.queries != nil:
		runQueries(e.queries, part, &found)
	case e.paths != nil:
		for _, p := range e.paths {
			for _, v := range p.find(s, e.part, part) {
				found.add(v)
			}
		}
	default:
		for _, re := range e.patterns {
			for _, at := range re.Regexp().FindAllStringSubmatchIndex(part, maxExtracted) {
				if 2*e.group+1 < len(at) && at[2*e.group] >= 0 {
					found.add(strings.Clone(part[at[2*e.group]:at[2*e.group+1]]))
				}
			}
		}
	}
	return found.list
}

// values is a list without doubles and empty texts.
type values struct{ list []string }

func (v *values) add(s string) {
	if s != "" && len(v.list) < maxExtracted && !slices.Contains(v.list, s) {
		v.list = append(v.list, s)
	}
}

// extractorKinds are the types of extractors.
var extractorKinds = []kindOf{{"regex", "regex"}, {"kval", "kval"}, {"dsl", "dsl"}, {"json", "json"}, {"xpath", "xpath"}}

func (r *blockReader) extractor(n *yaml.Node, field string) *extractor {
	e := &extractor{}
	attribute := ""
	var fold *yaml.Node
	o := &operatorReader{blockReader: r, what: "extractor", kinds: extractorKinds}
	r.walk(n, field, func(name string) taker {
		switch name {
		case "name":
			return func(n *yaml.Node, field string) { e.name, _ = r.text(n, field) }
		case "internal":
			return func(n *yaml.Node, field string) { e.internal = r.bool(n, field) }
		case "case-insensitive":
			return func(n *yaml.Node, _ string) { fold = n }
		case "group":
			return func(n *yaml.Node, field string) { e.group = r.number(n, field, 0) }
		case "attribute":
			return func(n *yaml.Node, field string) { attribute, _ = r.text(n, field) }
		}
		return o.common(name)
	})
	list, ok := o.found(n, field)
	if !ok || !o.members(list, n, field, func(n *yaml.Node, field string) { r.extract(e, o.kind, attribute, n, field) }) {
		return nil
	}
	e.part = o.part
	if fold != nil && r.bool(fold, field+".case-insensitive") && o.kind != "kval" { // those are found in any case anyway
		r.problem(fold, field+".case-insensitive", KindValue, "expected it with type kval alone, got %s", o.kind)
	}
	return e
}

// extract reads one member of an extractor's list.
func (r *blockReader) extract(e *extractor, kind, attribute string, n *yaml.Node, field string) {
	switch kind {
	case "regex":
		e.patterns = appendSet(e.patterns, r.pattern(n, field))
	case "kval":
		key, _ := r.text(n, field)
		e.keys = append(e.keys, strings.ReplaceAll(strings.ToLower(key), "-", "_"))
	case "dsl":
		e.expressions = appendSet(e.expressions, r.expression(n, field))
	case "json":
		e.queries = appendSet(e.queries, r.query(n, field))
	case "xpath":
		e.paths = appendSet(e.paths, r.xpath(n, field, attribute))
	}
}
