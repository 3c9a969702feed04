package dsl

import (
	"errors"
	"fmt"
	"math"
)

// node is a part of a compiled expression.
type node interface {
	eval(env Env) (any, error)
}

type (
	literal       struct{ value any }
	variable      struct{ name string }
	interpolation struct{ text *Text }
	sequence      struct{ members []node }
	prefix        struct {
		op string
		x  node
	}
	operation struct {
		op          string
		left, right node
	}
	// logical is && or ||, which end at the value stop of the left side.
	logical struct {
		left, right node
		stop        bool
	}
	// matching is =~ or !~. pattern is nil when it is known only when evaluated.
	matching struct {
		left, right node
		pattern     *Pattern
		negative    bool
	}
	choice struct{ cond, yes, no node } // no may be nil
	orElse struct{ left, right node }
)

func (n *literal) eval(Env) (any, error) { return n.value, nil }

func (n *variable) eval(env Env) (any, error) {
	v, ok := env.Lookup(n.name)
	if !ok {
		return nil, &MissingError{n.name}
	}
	return plain(v), nil
}

func (n *interpolation) eval(env Env) (any, error) { return n.text.Expand(env) }

func (n *sequence) eval(env Env) (any, error) {
	list := make([]any, len(n.members))
	for i, m := range n.members {
		v, err := m.eval(env)
		if err != nil {
			return nil, err
		}
		list[i] = v
	}
	return list, nil
}

func (n *prefix) eval(env Env) (any, error) {
	v, err := n.x.eval(env)
	if err != nil {
		return nil, err
	}
	switch x := v.(type) {
	case bool:
		if n.op == "!" {
			return !x, nil
		}
	case float64:
		switch n.op {
		case "-":
			return -x, nil
		case "~":
			return float64(^int64(x)), nil
		}
	}
	return nil, fmt.Errorf("operator %s does not take %T", n.op, v)
}

func (n *logical) eval(env Env) (any, error) {
	left, err := truth(n.left, env)
	if err != nil || left == n.stop {
		return left, err
	}
	return asAny(truth(n.right, env))
}

func asAny(b bool, err error) (any, error) { return b, err }

func truth(n node, env Env) (bool, error) {
	v, err := n.eval(env)
	if err != nil {
		return false, err
	}
	b, ok := v.(bool)
	if !ok {
		return false, fmt.Errorf("expected true or false, got %T", v)
	}
	return b, nil
}

func (n *matching) eval(env Env) (any, error) {
	left, err := n.left.eval(env)
	if err != nil {
		return nil, err
	}
	if n.pattern != nil {
		return n.pattern.Regexp().MatchString(String(left)) != n.negative, nil
	}
	right, err := n.right.eval(env)
	if err != nil {
		return nil, err
	}
	found, err := matches(String(right), String(left))
	if err != nil {
		return nil, err
	}
	return found != n.negative, nil
}

func (n *choice) eval(env Env) (any, error) {
	yes, err := truth(n.cond, env)
	switch {
	case err != nil:
		return nil, err
	case yes:
		return n.yes.eval(env)
	case n.no == nil:
		return nil, errors.New("the condition is false, and there is nothing else")
	}
	return n.no.eval(env)
}

func (n *orElse) eval(env Env) (any, error) {
	v, err := n.left.eval(env)
	if _, missing := errors.AsType[*MissingError](err); missing {
		return n.right.eval(env)
	}
	return v, err
}

func (n *operation) eval(env Env) (any, error) {
	left, err := n.left.eval(env)
	if err != nil {
		return nil, err
	}
	right, err := n.right.eval(env)
	if err != nil {
		return nil, err
	}
	switch n.op {
	case "==":
		return same(left, right), nil
	case "!=":
		return !same(left, right), nil
	case "in":
		return within(left, right)
	}
	x, leftNumber := left.(float64)
	y, rightNumber := right.(float64)
	if leftNumber && rightNumber {
		return arithmetic(n.op, x, y)
	}
	a, leftText := left.(string)
	b, rightText := right.(string)
	switch {
	case n.op == "+" && (leftText || rightText):
		if !leftText {
			a = joined(left)
		}
		if !rightText {
			b = joined(right)
		}
		if len(a)+len(b) > MaxValue {
			return nil, errTooLong
		}
		return a + b, nil
	case leftText && rightText:
		return ordered(n.op, a, b)
	}
	return nil, fmt.Errorf("operator %s does not take %T and %T", n.op, left, right)
}

// joined is a value beside a string. Large numbers have an exponent there, as in the evaluator that the templates were written for.
func joined(v any) string { return fmt.Sprint(v) }

func within(x, list any) (any, error) {
	members, ok := list.([]any)
	if !ok {
		return nil, fmt.Errorf("operator in expects a list on the right, got %T", list)
	}
	for _, m := range members {
		if same(x, m) {
			return true, nil
		}
	}
	return false, nil
}

func arithmetic(op string, x, y float64) (any, error) {
	switch op {
	case "+":
		return x + y, nil
	case "-":
		return x - y, nil
	case "*":
		return x * y, nil
	case "/":
		return x / y, nil
	case "%":
		return math.Mod(x, y), nil
	case "**":
		return math.Pow(x, y), nil
	case "&":
		return float64(int64(x) & int64(y)), nil
	case "|":
		return float64(int64(x) | int64(y)), nil
	case "^":
		return float64(int64(x) ^ int64(y)), nil
	case "<<":
		return float64(uint64(x) << min(uint64(y), 64)), nil
	case ">>":
		return float64(uint64(x) >> min(uint64(y), 64)), nil
	}
	return ordered(op, x, y)
}

func ordered[T float64 | string](op string, x, y T) (any, error) {
	switch op {
	case "<":
		return x < y, nil
	case "<=":
		return x <= y, nil
	case ">":
		return x > y, nil
	case ">=":
		return x >= y, nil
	}
	return nil, fmt.Errorf("operator %s does not take %T", op, x)
}
