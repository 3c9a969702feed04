package check

import (
	"cmp"
	"encoding/hex"
	"regexp"
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
	patterns    []*regexp.Regexp
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
		return members(m.patterns, m.all, func(re *regexp.Regexp) bool { return re.MatchString(part) }) != m.negative
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

// matcherLists are the types of matchers, with the field that each needs.
var matcherLists = map[string]string{
	"word": "words", "regex": "regex", "status": "status", "size": "size", "binary": "binary", "dsl": "dsl", "xpath": "xpath",
}

func (r *blockReader) matcher(n *yaml.Node, field string) *matcher {
	m := &matcher{}
	kind, hexWords := "", false
	lists := map[string]*yaml.Node{}
	keep := func(n *yaml.Node, field string) { lists[field[strings.LastIndexByte(field, '.')+1:]] = n }
	r.mapping(n, field, fields{
		"type": func(n *yaml.Node, field string) {
			kind = r.oneOf(n, field, "word", "regex", "status", "size", "binary", "dsl", "xpath")
		},
		"name":             func(n *yaml.Node, field string) { m.name, _ = r.text(n, field) },
		"part":             func(n *yaml.Node, field string) { m.part = r.part(n, field) },
		"condition":        func(n *yaml.Node, field string) { m.all = r.oneOf(n, field, "or", "and") == "and" },
		"negative":         func(n *yaml.Node, field string) { m.negative = r.bool(n, field) },
		"internal":         func(n *yaml.Node, field string) { m.internal = r.bool(n, field) },
		"case-insensitive": func(n *yaml.Node, field string) { m.fold = r.bool(n, field) },
		"encoding":         func(n *yaml.Node, field string) { hexWords = r.oneOf(n, field, "hex") == "hex" },
		"match-all":        func(n *yaml.Node, field string) { r.bool(n, field) }, // asks for more matches to show, not for other ones
		"words":            keep, "regex": keep, "status": keep, "size": keep, "binary": keep, "dsl": keep, "xpath": keep,
	})
	if kind == "" {
		r.problem(n, field+".type", KindValue, "expected the type of the matcher, got nothing")
		return nil
	}
	if kind == "status" {
		r.hasStatus(n, field, m.part)
	}
	for name, list := range lists {
		if name != matcherLists[kind] {
			r.problem(list, field+"."+name, KindValue, "expected %s with type %s", matcherLists[kind], kind)
		}
	}
	list := lists[matcherLists[kind]]
	if list == nil && kind == "word" && !m.negative {
		m.all = false // so that it never matches, which does no harm among others of which one is enough
		r.idle = cmp.Or(r.idle, n)
		return m
	}
	if list == nil || list.Kind == yaml.SequenceNode && len(list.Content) == 0 {
		r.problem(n, field+"."+matcherLists[kind], KindValue, "expected a list, got nothing")
		return nil
	}
	r.list(list, field+"."+matcherLists[kind], func(n *yaml.Node, field string) { r.addTo(m, kind, hexWords, n, field) })
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

// part reads which part of an answer is looked at.
func (r *blockReader) part(n *yaml.Node, field string) string {
	part, _ := r.text(n, field)
	if strings.HasPrefix(part, outOfBand) {
		r.unsupported(n, field, "out-of-band interaction")
	}
	return part
}
