package check

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/redialscan/redial/pkg/check/dsl"
)

// matcher is one condition on an answer. One of its lists is set.
type matcher struct {
	name        string
	part        string
	all         bool // every member of the list, not one
	negative    bool
	internal    bool
	fold        bool // without regard to case
	words       []word
	patterns    []*dsl.Pattern
	statuses    []int
	sizes       []int
	expressions []*dsl.Expr
	paths       []*nodePath
}

// word is fixed, but for the few that hold expressions.
type word struct {
	fixed string
	text  *dsl.Text // nil: the word is fixed
}

// match tells whether the answer in s fulfils the matcher. What it looks at and is not there makes no match, negative or not.
func (m *matcher) match(s *state) bool {
	switch {
	case m.statuses != nil:
		return slices.Contains(m.statuses, s.now.status()) != m.negative
	case m.sizes != nil:
		part, ok := s.part(m.part)
		return ok && slices.Contains(m.sizes, len(part)) != m.negative
	case m.expressions != nil:
		return m.matchExpressions(s) != m.negative
	}
	part, ok := s.part(m.part)
	if !ok {
		return false
	}
	switch {
	case m.patterns != nil:
		return members(m.patterns, m.all, func(p *dsl.Pattern) bool { return p.Regexp().MatchString(part) }) != m.negative
	case m.paths != nil:
		return members(m.paths, m.all, func(p *nodePath) bool { return len(p.find(s, m.part, part)) > 0 }) != m.negative
	}
	if m.fold {
		part = s.lower(m.part, part)
	}
	return members(m.words, m.all, func(w word) bool {
		text, ok := w.value(s, m.fold)
		return ok && strings.Contains(part, text)
	}) != m.negative
}

// members asks for each of a list, or for one of it.
func members[T any](list []T, all bool, holds func(T) bool) bool {
	for _, x := range list {
		if holds(x) != all {
			return !all
		}
	}
	return all
}

// matchExpressions takes an expression that has no value, or one of another type, for one that is not true.
func (m *matcher) matchExpressions(s *state) bool {
	return members(m.expressions, m.all, func(e *dsl.Expr) bool {
		ok, err := e.True(s)
		return err == nil && ok
	})
}

func (w *word) value(s *state, fold bool) (string, bool) {
	if w.text == nil {
		return w.fixed, true
	}
	text, err := w.text.ExpandKnown(s)
	if err != nil {
		return "", false
	}
	if fold {
		text = strings.ToLower(text)
	}
	return text, true
}

// matcherKinds are the types of matchers.
var matcherKinds = []kindOf{
	{"word", "words"}, {"regex", "regex"}, {"status", "status"}, {"size", "size"}, {"binary", "binary"}, {"dsl", "dsl"}, {"xpath", "xpath"},
}

func (r *blockReader) matcher(n *yaml.Node, field string) *matcher {
	m := &matcher{}
	hexWords := false
	var foldAt *yaml.Node
	o := &operatorReader{blockReader: r, what: "matcher", kinds: matcherKinds}
	r.walk(n, field, func(name string) taker {
		switch name {
		case "name":
			return func(n *yaml.Node, field string) { m.name, _ = r.text(n, field) }
		case "condition":
			return func(n *yaml.Node, field string) { m.all = r.oneOf(n, field, "or", "and") == "and" }
		case "negative":
			return func(n *yaml.Node, field string) { m.negative = r.bool(n, field) }
		case "internal":
			return func(n *yaml.Node, field string) { m.internal = r.bool(n, field) }
		case "case-insensitive":
			return func(n *yaml.Node, field string) { m.fold, foldAt = r.bool(n, field), n }
		case "encoding":
			return func(n *yaml.Node, field string) { hexWords = r.oneOf(n, field, "hex") == "hex" }
		case "match-all": // asks for more matches to show, not for other ones
			return func(n *yaml.Node, field string) { r.bool(n, field) }
		}
		return o.common(name)
	})
	if o.kind == "status" {
		r.hasStatus(n, field, o.part)
	}
	if m.fold && o.kind != "word" {
		r.problem(foldAt, field+".case-insensitive", KindValue, "expected it with type word alone, got %s; a regex says (?i)", o.kind)
	}
	list, ok := o.found(n, field)
	if ok && list == nil && o.kind == "word" && !m.negative {
		m.all = false // so that it never matches, which does no harm among others of which one is enough
		m.part, r.idle = o.part, cmp.Or(r.idle, n)
		return m
	}
	if !ok || !o.members(list, n, field, func(n *yaml.Node, field string) { r.addTo(m, o.kind, hexWords, n, field) }) {
		return nil
	}
	m.part = o.part
	return m
}

// hasStatus refuses matchers of a status where there is none.
func (r *blockReader) hasStatus(n *yaml.Node, field, part string) {
	switch r.b.protocol {
	case protocolHTTP:
	case protocolDNS:
		if part != "rcode" {
			r.problem(n, field+".part", KindValue, "expected the part rcode with type status, got %q", part)
		}
	default:
		r.problem(n, field+".type", KindValue, "expected another type than status, which only http has")
	}
}

// addTo reads one member of a matcher's list.
func (r *blockReader) addTo(m *matcher, kind string, hexWords bool, n *yaml.Node, field string) {
	switch kind {
	case "status":
		m.statuses = append(m.statuses, r.number(n, field, 0))
	case "size":
		m.sizes = append(m.sizes, r.number(n, field, 0))
	case "regex":
		m.patterns = appendSet(m.patterns, r.pattern(n, field))
	case "xpath":
		m.paths = appendSet(m.paths, r.xpath(n, field, ""))
	case "dsl":
		m.expressions = appendSet(m.expressions, r.expression(n, field))
	default:
		m.words = append(m.words, r.word(n, field, hexWords || kind == "binary", m.fold))
	}
}

func (r *blockReader) word(n *yaml.Node, field string, isHex, fold bool) word {
	src, _ := r.text(n, field)
	if isHex {
		b, err := hex.DecodeString(strings.TrimSpace(src))
		if err != nil {
			r.problem(n, field, KindValue, "expected bytes in hexadecimal, got %s", nature(n))
		}
		return word{fixed: string(b)}
	}
	text, err := dsl.CompileText(marked(src))
	if err != nil { // a page may well contain what looks like a call
		return folded(src, fold)
	}
	r.noOutOfBand(n, field, text.Names())
	if fixed, ok := text.Fixed(); ok {
		return folded(fixed, fold)
	}
	return word{text: text}
}

func folded(s string, fold bool) word {
	if fold {
		s = strings.ToLower(s)
	}
	return word{fixed: s}
}
