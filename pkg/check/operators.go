package check

import (
	"iter"
	"slices"

	"go.yaml.in/yaml/v3"
)

// operators are what a block makes of an answer.
type operators struct {
	matchers   []*matcher
	extractors []*extractor
	all        bool // every matcher must match, not one
}

// names are the variables that matchers and extractors use.
func (o *operators) names() iter.Seq[string] {
	return func(yield func(string) bool) {
		all := func(names []string) bool {
			return !slices.ContainsFunc(names, func(name string) bool { return !yield(name) })
		}
		for _, m := range o.matchers {
			if !yield(m.part) {
				return
			}
			for _, e := range m.expressions {
				if !all(e.Names()) {
					return
				}
			}
			for _, w := range m.words {
				if w.text != nil && !all(w.text.Names()) {
					return
				}
			}
		}
		for _, e := range o.extractors {
			if !yield(e.part) {
				return
			}
			for _, x := range e.expressions {
				if !all(x.Names()) {
					return
				}
			}
		}
	}
}

// verdict is what operators say of one answer.
type verdict struct {
	matched   bool
	internal  bool     // what matched is for the check itself, not for the report
	names     []string // of matchers that matched, of those that have one
	extracted []string
	named     []extraction // by extractors with a name
}

type extraction struct {
	name   string
	values []string
}

// judge extracts first, so that matchers can use what was found.
func (o *operators) judge(s *state) verdict {
	var v verdict
	found := false
	for _, e := range o.extractors {
		values := e.extract(s)
		if len(values) == 0 {
			continue
		}
		found = true
		if e.name != "" {
			s.remember(e.name, values, e.internal)
		}
		if e.internal {
			continue
		}
		for _, value := range values {
			if !slices.Contains(v.extracted, value) {
				v.extracted = append(v.extracted, value)
			}
		}
		if e.name != "" {
			v.named = append(v.named, extraction{e.name, values})
		}
	}
	if !o.looks() { // the block serves others by what it asks
		return verdict{matched: true, internal: true}
	}
	if len(o.matchers) == 0 {
		v.matched, v.internal = found, len(v.extracted) == 0
		return v
	}
	v.matched, v.internal = o.all, true
	for _, m := range o.matchers {
		ok := m.match(s)
		switch {
		case !ok && o.all:
			return verdict{}
		case !ok:
			continue
		}
		v.matched = true
		v.internal = v.internal && m.internal
		if !o.all && m.name != "" && !m.internal {
			v.names = append(v.names, m.name)
		} else if !o.all && !o.named() && !m.internal {
			return v // more matches would say no more
		}
	}
	if !v.matched {
		return verdict{}
	}
	return v
}

// looks says that there is anything to look for.
func (o *operators) looks() bool { return len(o.matchers) > 0 || len(o.extractors) > 0 }

// named says that some matcher has a name.
func (o *operators) named() bool {
	return slices.ContainsFunc(o.matchers, func(m *matcher) bool { return m.name != "" })
}

func (r *blockReader) readMatchers(n *yaml.Node, field string) {
	r.list(n, field, func(n *yaml.Node, field string) {
		if m := r.matcher(n, field); m != nil {
			r.b.matchers = append(r.b.matchers, m)
		}
	})
}

func (r *blockReader) readExtractors(n *yaml.Node, field string) {
	r.list(n, field, func(n *yaml.Node, field string) {
		if e := r.extractor(n, field); e != nil {
			r.b.extractors = append(r.b.extractors, e)
			if e.name != "" {
				r.names[e.name] = true
			}
		}
	})
}

// appendSet leaves out what could not be read, which is a problem of the template already.
func appendSet[T any](list []*T, x *T) []*T {
	if x == nil {
		return list
	}
	return append(list, x)
}
