package dsl

import (
	"errors"
	"slices"
	"strings"
)

// Text is a text with expressions between double braces. The zero value is the empty text; make others with [CompileText].
type Text struct {
	parts []part
	names []string
	size  int // of the fixed parts
	// varies: see Varies
	varies bool
}

// maxVain is how many braces of a text may turn out to hold no expression; what comes after that many is text.
const maxVain = 64

// part is either fixed text or an expression.
type part struct {
	fixed string // for an expression: its source with the braces
	expr  node
}

// CompileText reads a text. What stands between double braces and is no expression, or one that names neither a variable nor a function,
// is text like the rest of it: checks send such for other reasons. A call of a function that does not exist is a [FunctionError].
func CompileText(src string) (*Text, error) { return compileText(src, 0) }

func compileText(src string, depth int) (*Text, error) {
	t := &Text{}
	if depth > MaxDepth {
		return nil, &SyntaxError{src, 0, "less nesting"}
	}
	pending, vain := 0, 0 // src[pending:at] is fixed and not added yet
	for at := 0; at < len(src); {
		open := strings.Index(src[at:], "{{")
		if open < 0 || vain == maxVain {
			break
		}
		open += at
		end := closing(src, open)
		if end < 0 {
			at, vain = open+2, vain+1
			continue
		}
		expr, err := inner(strings.TrimSpace(src[open+2:end-2]), depth)
		if err != nil {
			return nil, err
		}
		if expr.root == nil {
			at, vain = open+2, vain+1
			continue
		}
		t.addFixed(src[pending:open])
		t.parts = append(t.parts, part{fixed: src[open:end], expr: expr.root})
		t.names = append(t.names, expr.names...)
		t.varies = t.varies || expr.varies
		at, pending = end, end
	}
	t.addFixed(src[pending:])
	slices.Sort(t.names)
	t.names = slices.Compact(t.names)
	return t, nil
}

func (t *Text) addFixed(s string) {
	if s != "" {
		t.parts = append(t.parts, part{fixed: s})
		t.size += len(s)
	}
}

// closing finds the end of the braces that open at a place, with those in between; -1 when there is none.
func closing(src string, open int) int {
	depth := 0
	for i := open; i+1 < len(src); {
		switch src[i : i+2] {
		case "{{":
			depth++
			i += 2
		case "}}":
			depth--
			i += 2
			if depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return -1
}

// inner compiles what stands between braces; without a root and an error it is text.
func inner(src string, depth int) (Expr, error) {
	if isName(src) {
		return Expr{root: &variable{src}, names: []string{src}}, nil
	}
	e, err := compile(src, depth+1)
	if _, unknown := errors.AsType[*FunctionError](err); unknown {
		return Expr{}, err
	}
	if err != nil || !e.calls && len(e.names) == 0 {
		return Expr{}, nil
	}
	return *e, nil
}

// isName knows the names that extractors give and expressions cannot spell, such as csrf-token.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '-' || c == '.')) {
			return false
		}
	}
	return s != "" && s != "true" && s != "false"
}

// Names are the variables that the text uses, sorted. The slice is not to be changed.
func (t *Text) Names() []string { return t.names }

// Varies says that the text may be another each time it is expanded with the same variables: it draws or tells the time.
func (t *Text) Varies() bool { return t.varies }

// Fixed gives a text that has no expressions.
func (t *Text) Fixed() (string, bool) {
	switch {
	case len(t.parts) == 0:
		return "", true
	case len(t.parts) == 1 && t.parts[0].expr == nil:
		return t.parts[0].fixed, true
	}
	return "", false
}

// Expand puts the values of the expressions in their places. The first that cannot be evaluated is the error.
func (t *Text) Expand(env Env) (string, error) { return t.expand(env, false) }

// ExpandKnown is Expand, but for variables without a value: an expression that uses one stays as it was written.
func (t *Text) ExpandKnown(env Env) (string, error) { return t.expand(env, true) }

func (t *Text) expand(env Env, lenient bool) (string, error) {
	if fixed, ok := t.Fixed(); ok {
		return fixed, nil
	}
	var b strings.Builder
	b.Grow(t.size + 16)
	for i := range t.parts {
		p := &t.parts[i]
		if p.expr == nil {
			b.WriteString(p.fixed)
			continue
		}
		v, err := p.expr.eval(env)
		if err != nil {
			if _, missing := errors.AsType[*MissingError](err); !missing || !lenient {
				return "", err
			}
			v = p.fixed
		}
		text := String(v)
		if b.Len()+len(text) > MaxValue {
			return "", errTooLong
		}
		b.WriteString(text)
	}
	return b.String(), nil
}
