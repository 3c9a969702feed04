package check

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxAliases bounds what the aliases of a file may add to it: a few lines of aliases of aliases can stand for gigabytes.
const maxAliases = 1000

// resolve follows an alias.
func (r *reader) resolve(n *yaml.Node, field string) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		if r.aliases++; r.aliases > maxAliases {
			if r.aliases == maxAliases+1 {
				r.problem(n, field, KindYAML, "expected at most %d uses of aliases", maxAliases)
			}
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line, Column: n.Column}
		}
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// fields are what a mapping may have. A nil function is a field that is known and says nothing that matters here.
type fields map[string]func(n *yaml.Node, field string)

// mapping hands each field of a mapping to its function.
func (r *reader) mapping(n *yaml.Node, field string, known fields) {
	r.each(n, field, func(key, value *yaml.Node, name string) {
		take, ok := known[key.Value]
		switch {
		case !ok:
			r.about(key, name, KindField, key.Value, "unknown field")
		case take != nil && !isNull(value):
			take(value, name)
		}
	})
}

// taker reads the value of a field.
type taker func(n *yaml.Node, field string)

// ignored is a field that is known and says nothing that matters here.
func ignored(*yaml.Node, string) {}

// walk is mapping with a function in place of a table, for what is read thousands of times: it gives nil for a field that is unknown.
func (r *reader) walk(n *yaml.Node, field string, known func(name string) taker) {
	r.each(n, field, func(key, value *yaml.Node, name string) {
		take := known(key.Value)
		switch {
		case take == nil:
			r.about(key, name, KindField, key.Value, "unknown field")
		case !isNull(value):
			take(value, name)
		}
	})
}

// each walks a mapping; a field that is given twice is a problem.
func (r *reader) each(n *yaml.Node, field string, f func(key, value *yaml.Node, name string)) {
	n = r.resolve(n, field)
	if n.Kind != yaml.MappingNode {
		r.problem(n, field, KindValue, "expected fields, got %s", nature(n))
		return
	}
	given := seenFields{small: make([]string, 0, 16)}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := r.resolve(n.Content[i], field)
		name := key.Value
		if field != "" {
			name = field + "." + name
		}
		if key.Kind != yaml.ScalarNode {
			r.problem(key, field, KindValue, "expected a name of a field, got %s", nature(key))
			continue
		}
		if given.before(key.Value) {
			r.problem(key, name, KindValue, "the field is given twice")
			continue
		}
		f(key, r.resolve(n.Content[i+1], name), name)
	}
}

// seenFields are the names of a mapping so far. Most have few.
type seenFields struct {
	small []string
	large map[string]bool
}

// before tells whether a name was there before, and notes it.
func (s *seenFields) before(name string) bool {
	switch {
	case s.large != nil:
		known := s.large[name]
		s.large[name] = true
		return known
	case slices.Contains(s.small, name):
		return true
	case len(s.small) < cap(s.small):
		s.small = append(s.small, name)
		return false
	}
	s.large = map[string]bool{name: true}
	for _, other := range s.small {
		s.large[other] = true
	}
	return false
}

// list hands each member of a sequence to f; a single value counts as a sequence of one.
func (r *reader) list(n *yaml.Node, field string, f func(n *yaml.Node, field string)) {
	if n = r.resolve(n, field); n.Kind != yaml.SequenceNode {
		f(n, field)
		return
	}
	for i, member := range n.Content {
		name := field + "[" + strconv.Itoa(i) + "]"
		f(r.resolve(member, name), name)
	}
}

func nature(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "fields"
	case yaml.SequenceNode:
		return "a list"
	}
	if isNull(n) {
		return "nothing"
	}
	if text := n.Value; len(text) <= 40 {
		return strconv.Quote(text)
	}
	return strconv.Quote(n.Value[:40]) + "..."
}

// text reads a scalar of any type as it is written.
func (r *reader) text(n *yaml.Node, field string) (string, bool) {
	if n.Kind != yaml.ScalarNode {
		r.problem(n, field, KindValue, "expected text, got %s", nature(n))
		return "", false
	}
	if isNull(n) {
		return "", true
	}
	return n.Value, true
}

func (r *reader) bool(n *yaml.Node, field string) bool {
	switch strings.ToLower(n.Value) {
	case "true", "yes", "on":
		return true
	case "false", "no", "off":
		return false
	}
	r.problem(n, field, KindValue, "expected true or false, got %s", nature(n))
	return false
}

// number reads a whole number of at least least.
func (r *reader) number(n *yaml.Node, field string, least int) int {
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || v < least {
		r.problem(n, field, KindValue, "expected a number of at least %d, got %s", least, nature(n))
		return least
	}
	return v
}

// count reads a whole number from 1 to most.
func (r *reader) count(n *yaml.Node, field string, most int) int {
	v := r.number(n, field, 1)
	if v > most {
		r.problem(n, field, KindValue, "expected at most %d, got %d", most, v)
	}
	return v
}

// texts reads a list of text. One text with commas is a list only where commas says so, as in tags.
func (r *reader) texts(n *yaml.Node, field string, commas bool) []string {
	var all []string
	r.list(n, field, func(n *yaml.Node, field string) {
		s, ok := r.text(n, field)
		switch {
		case !ok:
		case commas:
			for part := range strings.SplitSeq(s, ",") {
				if part = strings.TrimSpace(part); part != "" {
					all = append(all, part)
				}
			}
		default:
			all = append(all, s)
		}
	})
	return all
}

// oneOf reads one of several words.
func (r *reader) oneOf(n *yaml.Node, field string, words ...string) string {
	got := strings.ToLower(strings.TrimSpace(n.Value))
	for _, w := range words {
		if got == w && n.Kind == yaml.ScalarNode {
			return w
		}
	}
	r.problem(n, field, KindValue, "expected %s, got %s", strings.Join(words, ", "), nature(n))
	return words[0]
}
