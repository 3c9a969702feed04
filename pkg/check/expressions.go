package check

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/redialscan/redial/pkg/check/dsl"
)

// outOfBand is the beginning of all names that stand for a server of our own that hosts under test are to call.
const outOfBand = "interactsh"

// expression compiles a dsl expression.
func (t *templateReader) expression(n *yaml.Node, field string) *dsl.Expr {
	src, ok := t.text(n, field)
	if !ok {
		return nil
	}
	e, err := dsl.Compile(src)
	if err != nil {
		t.badExpression(n, field, err)
		return nil
	}
	t.noOutOfBand(n, field, e.Names())
	return e
}

func (t *templateReader) badExpression(n *yaml.Node, field string, err error) {
	if unknown, ok := errors.AsType[*dsl.FunctionError](err); ok && unknown.Err == nil {
		t.about(n, field, KindUnsupported, "function "+unknown.Name, "%v", err)
		return
	}
	t.problem(n, field, KindExpression, "%v", err)
}

// template compiles a text with expressions between double braces.
func (t *templateReader) braces(n *yaml.Node, field, src string) *dsl.Text {
	text, err := dsl.CompileText(marked(src))
	if err != nil {
		t.badExpression(n, field, err)
		return &dsl.Text{}
	}
	t.noOutOfBand(n, field, text.Names())
	return text
}

// inRequest is a text of a request: each of its variables must be defined somewhere.
func (t *templateReader) inRequest(n *yaml.Node, field, src string) *dsl.Text {
	text := t.braces(n, field, src)
	if len(text.Names()) > 0 {
		t.uses = append(t.uses, use{n, field, text})
	}
	return text
}

// marked writes the older marks of variables, as in §name§, as braces.
func marked(src string) string {
	if !strings.Contains(src, "§") {
		return src
	}
	return oldMark.ReplaceAllString(src, "{{$1}}")
}

var oldMark = regexp.MustCompile(`§([A-Za-z_][\w.-]*)§`)

func (t *templateReader) noOutOfBand(n *yaml.Node, field string, names []string) {
	for _, name := range names {
		if strings.HasPrefix(name, outOfBand) {
			t.unsupported(n, field, "out-of-band interaction")
			return
		}
	}
}

// pattern compiles a regular expression.
func (t *templateReader) pattern(n *yaml.Node, field string) *dsl.Pattern {
	src, ok := t.text(n, field)
	if !ok {
		return nil
	}
	p, err := dsl.CompilePattern(src)
	if err != nil {
		t.problem(n, field, KindRegexp, "%s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return p
}

// variables reads the section of the same name.
func (t *templateReader) variables(n *yaml.Node, field string) {
	t.each(n, field, func(key, value *yaml.Node, name string) {
		if src, ok := t.text(value, name); ok {
			text := t.inRequest(value, name, src)
			t.check.defined = append(t.check.defined, definition{key.Value, text})
			t.names[key.Value] = true
		}
	})
	t.noCycle(n, field)
}

// noCycle refuses variables that need themselves, and puts each behind those that it needs.
func (t *templateReader) noCycle(n *yaml.Node, field string) {
	byName := map[string]definition{}
	for _, d := range t.check.defined {
		if _, given := t.src.vars[d.name]; !given { // then it is not looked at
			byName[d.name] = d
		}
	}
	state := map[string]int{} // 1 = under way, 2 = done
	var order []definition
	var visit func(d definition, depth int) bool
	visit = func(d definition, depth int) bool {
		switch {
		case state[d.name] == 2:
			return true
		case state[d.name] == 1 || depth > dsl.MaxDepth:
			return false
		}
		state[d.name] = 1
		for _, name := range d.text.Names() {
			if needed, ok := byName[name]; ok && !visit(needed, depth+1) {
				return false
			}
		}
		state[d.name] = 2
		order = append(order, d)
		return true
	}
	for _, d := range t.check.defined {
		if _, given := byName[d.name]; !given {
			order = append(order, d)
		} else if !visit(d, 0) {
			t.problem(n, field+"."+d.name, KindVariable, "the variable needs itself, expected a value of its own, or one by --var")
			return
		}
	}
	t.check.defined = order
}

// isOfReply knows the names that replies of DNS servers have, in a check that asks some.
func (t *templateReader) isOfReply(name string) bool {
	switch name {
	case "rcode", "question", "answer", "ns", "extra":
	default:
		if !isRecord(name) {
			return false
		}
	}
	return slices.ContainsFunc(t.check.blocks, func(b *block) bool { return b.protocol == protocolDNS })
}

// checkVariables refuses requests with a variable that nothing defines.
func (t *templateReader) checkVariables() {
	for _, u := range t.uses {
		for _, name := range u.text.Names() {
			_, given := t.src.vars[name]
			if given || t.names[name] || isBuiltin(name) || isOfResponse(name) || t.isOfReply(name) {
				continue
			}
			t.about(u.node, u.field, KindVariable, name, "variable %s is defined nowhere, expected it in variables, payloads, an extractor or --var (known: %s)",
				name, strings.Join(slices.Sorted(maps.Keys(t.names)), ", "))
		}
	}
}
