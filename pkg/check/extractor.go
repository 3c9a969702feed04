package check

import (
	"regexp"
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
	fold        bool
	group       int
	patterns    []*regexp.Regexp
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
			for _, at := range re.FindAllStringSubmatchIndex(part, maxExtracted) {
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

// extractorLists are the types of extractors, with the field that each needs.
var extractorLists = map[string]string{"regex": "regex", "kval": "kval", "dsl": "dsl", "json": "json", "xpath": "xpath"}

func (r *blockReader) extractor(n *yaml.Node, field string) *extractor {
	e := &extractor{}
	kind, attribute := "", ""
	lists := map[string]*yaml.Node{}
	keep := func(n *yaml.Node, field string) { lists[field[strings.LastIndexByte(field, '.')+1:]] = n }
	r.mapping(n, field, fields{
		"type":             func(n *yaml.Node, field string) { kind = r.oneOf(n, field, "regex", "kval", "dsl", "json", "xpath") },
		"name":             func(n *yaml.Node, field string) { e.name, _ = r.text(n, field) },
		"part":             func(n *yaml.Node, field string) { e.part = r.part(n, field) },
		"internal":         func(n *yaml.Node, field string) { e.internal = r.bool(n, field) },
		"case-insensitive": func(n *yaml.Node, field string) { e.fold = r.bool(n, field) },
		"group":            func(n *yaml.Node, field string) { e.group = r.number(n, field, 0) },
		"attribute":        func(n *yaml.Node, field string) { attribute, _ = r.text(n, field) },
		"regex":            keep, "kval": keep, "dsl": keep, "json": keep, "xpath": keep,
	})
	if kind == "" {
		r.problem(n, field+".type", KindValue, "expected the type of the extractor, got nothing")
		return nil
	}
	for name, list := range lists {
		if name != extractorLists[kind] {
			r.problem(list, field+"."+name, KindValue, "expected %s with type %s", extractorLists[kind], kind)
		}
	}
	list := lists[extractorLists[kind]]
	if list == nil || list.Kind == yaml.SequenceNode && len(list.Content) == 0 {
		r.problem(n, field+"."+extractorLists[kind], KindValue, "expected a list, got nothing")
		return nil
	}
	r.list(list, field+"."+extractorLists[kind], func(n *yaml.Node, field string) { r.extract(e, kind, attribute, n, field) })
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
